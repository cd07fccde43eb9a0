"""One clip while it is spoken: each phrase is written down in the pause that follows it.

A pause is when nothing else is to be done, so decoding in it delays nobody; and if it turns out
to be the end, the words are ready, or nearly, when the key comes up. A phrase too short to be
understood by itself waits for the next one; one that knows no end is cut where it is quietest, so
that the key never comes up before a mountain of sound. Lives in the speech child.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from app.voice.decoding import RATE, Heard
from app.voice.files import quiet_cut

Samples = npt.NDArray[np.float32]
Spans = list[tuple[int, int]]

PAUSE_S = 0.25  # longer than the closure of any consonant: no word is cut
SHORTEST_PHRASE_S = 2.0
LONGEST_PHRASE_S = 24.0
_LOOKED_AT_S = 8.0  # a pause is at the end: what came long before need not be looked at again
_LOOK_EVERY_S = 0.15
_KEPT_SILENCE_S = 0.5


@dataclass(frozen=True, slots=True, kw_only=True)
class _Phrase:
    """What was heard up to a pause."""

    heard: Heard
    end: int  # in the middle of the pause


class Utterance:
    """Collects sound and writes phrases down; `decode` and `find_speech` are handed in."""

    def __init__(
        self, *, decode: Callable[[Samples], Heard], find_speech: Callable[[Samples], Spans]
    ) -> None:
        self._decode = decode
        self._find_speech = find_speech
        self._pending = np.zeros(0, np.float32)
        self._unlooked = 0
        self._written: list[Heard] = []
        self._open: _Phrase | None = None  # the last phrase, should nothing follow it

    def feed(self, samples: Samples) -> str | None:
        """Take more sound; returns the words so far when a pause let it write some down."""
        step = int(_LOOK_EVERY_S * RATE)
        told: str | None = None
        for start in range(0, len(samples), step):  # a pause may be anywhere in a long portion
            told = self._hear(samples[start : start + step]) or told
        return told

    def _hear(self, samples: Samples) -> str | None:
        self._take(samples)
        if self._unlooked < _LOOK_EVERY_S * RATE:
            return None
        self._unlooked = 0
        last_word = self._last_word()
        if last_word is None:
            self._forget_silence()
            return None
        last_word = self._settle(last_word)
        if self._open is not None:
            return None
        return self._write_down(last_word) or self._cut_short()

    def finish(self, rest: Samples) -> Heard:
        """Write down what is left; returns all of it."""
        self._take(rest)
        if self._open is None or self._find_speech(self._pending[self._open.end :]):
            self._written.append(self._decode(self._pending))
        else:
            self._written.append(self._open.heard)
        self._pending, self._open = np.zeros(0, np.float32), None
        return Heard(text=self._text(), is_sure=all(each.is_sure for each in self._written))

    def _take(self, samples: Samples) -> None:
        self._pending = np.concatenate([self._pending, samples])
        self._unlooked += len(samples)

    def _last_word(self) -> int | None:
        """Find where the last word ends; None if nothing was said at all."""
        start = max(0, len(self._pending) - int(_LOOKED_AT_S * RATE))
        spans = self._find_speech(self._pending[start:])
        if not spans and start:
            start, spans = 0, self._find_speech(self._pending)
        return start + spans[-1][1] if spans else None

    def _cut_short(self) -> str | None:
        """Write down most of a phrase that knows no end; returns the words so far."""
        if len(self._pending) < LONGEST_PHRASE_S * RATE:
            return None
        cut = quiet_cut(self._pending)
        self._written.append(self._decode(self._pending[:cut]))
        self._pending = self._pending[cut:]
        return self._text()

    def _settle(self, last_word: int) -> int:
        """Keep the open phrase for good once something follows it; a short one joins that."""
        phrase = self._open
        if phrase is None or last_word <= phrase.end:
            return last_word
        self._open = None
        if phrase.end < SHORTEST_PHRASE_S * RATE:
            return last_word
        self._written.append(phrase.heard)
        self._pending = self._pending[phrase.end :]
        return last_word - phrase.end

    def _write_down(self, last_word: int) -> str | None:
        """Decode what ends in a pause; returns the words so far."""
        silence = len(self._pending) - last_word
        if silence < PAUSE_S * RATE:
            return None
        end = last_word + silence // 2
        self._open = _Phrase(heard=self._decode(self._pending[:end]), end=end)
        return self._text()

    def _forget_silence(self) -> None:
        self._pending = self._pending[-int(_KEPT_SILENCE_S * RATE) :]

    def _text(self) -> str:
        heard = [*self._written, self._open.heard] if self._open else self._written
        return " ".join(each.text for each in heard if each.text)
