"""One clip while it is spoken: phrases are written down at the pauses between them.

By the time the key is released only the last phrase is left to do. Lives in the speech child.
"""

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from app.voice.decoding import RATE, Heard

Samples = npt.NDArray[np.float32]
Spans = list[tuple[int, int]]

_PAUSE_S = 0.5
_SHORTEST_PHRASE_S = 2.0
_LOOK_EVERY_S = 0.25


class Utterance:
    """Collects sound and commits phrases; `decode` and `find_speech` are handed in."""

    def __init__(
        self, *, decode: Callable[[Samples], Heard], find_speech: Callable[[Samples], Spans]
    ) -> None:
        self._decode = decode
        self._find_speech = find_speech
        self._pending = np.zeros(0, np.float32)
        self._unlooked = 0
        self._heard: list[Heard] = []

    def feed(self, samples: Samples) -> str | None:
        """Take more sound; returns the words so far when a phrase was finished by it."""
        self._pending = np.concatenate([self._pending, samples])
        self._unlooked += len(samples)
        if len(self._pending) < _SHORTEST_PHRASE_S * RATE:
            return None
        if self._unlooked < _LOOK_EVERY_S * RATE:
            return None
        self._unlooked = 0
        cut = self._end_of_phrase()
        if cut is None:
            return None
        phrase, self._pending = self._pending[:cut], self._pending[cut:]
        self._heard.append(self._decode(phrase))
        return self._text()

    def finish(self) -> Heard:
        """Write down what is left; returns all of it."""
        self._heard.append(self._decode(self._pending))
        self._pending = np.zeros(0, np.float32)
        return Heard(text=self._text(), is_sure=all(each.is_sure for each in self._heard))

    def _end_of_phrase(self) -> int | None:
        """Find the middle of a pause that has lasted long enough, behind some speech."""
        spans = self._find_speech(self._pending)
        if not spans:
            return None
        silence = len(self._pending) - spans[-1][1]
        return spans[-1][1] + silence // 2 if silence >= _PAUSE_S * RATE else None

    def _text(self) -> str:
        return " ".join(each.text for each in self._heard if each.text)
