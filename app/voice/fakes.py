"""A microphone, a loudspeaker and a decoder without hardware, for tests of all around them.

They keep the contracts of the real ones: sound comes on a thread of its own and only between
`open` and `close`; words come later.
"""

import asyncio
import threading
from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from app.core.errors import ProblemError
from app.voice.microphone import OnSamples
from app.voice.speech import Transcript

Samples = npt.NDArray[np.float32]

CHUNK = 320


class FakeMicrophone:
    """Gives the sound that `hear` is handed, while it is open."""

    def __init__(self) -> None:
        self.opened: list[str] = []  # the devices, in order
        self.failure: ProblemError | None = None
        self._lock = threading.Lock()
        self._listener: tuple[OnSamples, Callable[[], None]] | None = None

    @property
    def is_open(self) -> bool:
        """Say whether somebody listens."""
        return self._listener is not None

    def open(self, device: str, on_samples: OnSamples, on_gone: Callable[[], None]) -> None:
        """Begin to listen; a second listener is a mistake."""
        with self._lock:
            if self.failure is not None:
                raise self.failure
            if self._listener is not None:
                raise RuntimeError("opened twice")
            self.opened.append(device)
            self._listener = (on_samples, on_gone)

    def close(self) -> None:
        """Stop listening."""
        with self._lock:
            self._listener = None

    def devices(self) -> tuple[str, ...]:
        """Name the one there is."""
        if self.failure is not None:
            raise self.failure
        return ("Fake microphone",)

    def hear(self, samples: Samples) -> None:
        """Let sound arrive, on another thread, in small chunks."""
        self._from_outside(lambda on_samples, _: _in_chunks(on_samples, samples))

    def vanish(self) -> None:
        """Be unplugged."""
        self._from_outside(lambda _, on_gone: on_gone())

    def _from_outside(self, act: Callable[[OnSamples, Callable[[], None]], None]) -> None:
        def run() -> None:
            with self._lock:
                if self._listener is not None:
                    act(*self._listener)

        thread = threading.Thread(target=run, daemon=True)
        thread.start()
        thread.join()


class FakeLoudspeaker:
    """Keeps what was played."""

    def __init__(self) -> None:
        self.played: list[Samples] = []

    def play(self, samples: Samples) -> None:
        """Take the sound."""
        self.played.append(samples)


class FakeSpeech:
    """Says how many samples it was given, unless `words` says what to say."""

    def __init__(self) -> None:
        self.words: list[str] = []  # the texts of the next clips
        self.failure: Exception | None = None
        self.is_sure = True
        self.gate: asyncio.Event | None = None  # when set, words wait for it
        self.fed: dict[int, int] = {}
        self.forgotten: list[int] = []

    def warm_up(self) -> None:
        """There is nothing to load."""

    def begin(self, generation: int) -> None:
        """Count the samples of a clip."""
        self.fed[generation] = 0

    def feed(self, generation: int, samples: Samples) -> None:
        """Count."""
        self.fed[generation] += len(samples)

    def forget(self, generation: int) -> None:
        """Remember what was forgotten."""
        self.forgotten.append(generation)

    async def finish(self, generation: int, whole: Samples) -> Transcript:  # noqa: ARG002 - the protocol's
        """Say the next words, or the number of samples."""
        if self.gate is not None:
            await self.gate.wait()
        if self.failure is not None:
            raise self.failure
        text = self.words.pop(0) if self.words else f"{len(whole)} samples"
        return Transcript(text=text, is_sure=self.is_sure)

    def end(self) -> None:
        """Nothing is to be let go."""


def _in_chunks(on_samples: OnSamples, samples: Samples) -> None:
    for start in range(0, len(samples), CHUNK):
        on_samples(samples[start : start + CHUNK])
