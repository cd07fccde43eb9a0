"""Sound files, in pieces short enough to be written down one by one.

WAV, FLAC and what else libsndfile reads; anything more through PyAV where it is installed. A file
is never read whole: hours of it take no more memory than a minute.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from app.core.errors import ProblemError, ProblemKind, problem
from app.voice.resampling import TARGET_RATE, Resampler

Samples = npt.NDArray[np.float32]

_BLOCK = 1 << 16
_LONGEST_S = 25.0
_QUIET_S = 0.2


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """A stretch of a file, and how far into the file it ends (0 to 1; None if unknown)."""

    samples: Samples
    done: float | None


def read_pieces(path: Path) -> Iterator[Piece]:
    """Read a sound file, cut where it is quiet; raise ProblemError if it is none."""
    if not path.is_file():
        raise problem(ProblemKind.NO_SUCH_FILE, path=str(path))
    pending = np.zeros(0, np.float32)
    done: float | None = None
    for block, done in _blocks(path):
        pending = np.concatenate([pending, block])
        while len(pending) > _LONGEST_S * TARGET_RATE:
            cut = quiet_cut(pending[: int(_LONGEST_S * TARGET_RATE)])
            yield Piece(samples=pending[:cut], done=done)
            pending = pending[cut:]
    if len(pending):
        yield Piece(samples=pending, done=None if done is None else 1.0)


def quiet_cut(samples: Samples) -> int:
    """Find the quietest moment in the last two thirds."""
    width = int(_QUIET_S * TARGET_RATE)
    first = len(samples) // 3 // width
    windows = samples[: len(samples) // width * width].reshape(-1, width)
    power = np.square(windows[first:]).mean(axis=1)
    return (first + int(power.argmin())) * width + width // 2


def _blocks(path: Path) -> Iterator[tuple[Samples, float | None]]:
    import soundfile  # noqa: PLC0415 - only `belay transcribe` reads files

    try:
        with soundfile.SoundFile(path) as file:
            yield from _of_soundfile(file)
    except soundfile.LibsndfileError:
        yield from _of_av(path)


def _of_soundfile(file: Any) -> Iterator[tuple[Samples, float | None]]:
    resampler = Resampler(file.samplerate)
    while len(block := file.read(_BLOCK, dtype="float32", always_2d=True)):
        yield resampler.feed(block.mean(axis=1)), file.tell() / max(1, file.frames)


def _of_av(path: Path) -> Iterator[tuple[Samples, float | None]]:
    try:
        import av  # noqa: PLC0415 - only for what libsndfile does not read
    except ImportError as error:
        raise _unreadable(path) from error
    try:
        with av.open(str(path)) as container:
            resampler = av.AudioResampler(format="flt", layout="mono", rate=TARGET_RATE)
            for frame in container.decode(audio=0):
                for resampled in resampler.resample(frame):
                    yield resampled.to_ndarray().reshape(-1).astype(np.float32), None
    except (av.FFmpegError, IndexError) as error:
        raise _unreadable(path) from error


def _unreadable(path: Path) -> ProblemError:
    return problem(ProblemKind.NOT_SOUND, path=str(path))
