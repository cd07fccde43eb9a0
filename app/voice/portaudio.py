"""PortAudio, which there is once per process: found, looked at anew, and never under a stream.

Any thread: streams are opened and closed one at a time, for PortAudio itself keeps no order. It
knows only the devices that were there at its start; starting it anew ends every stream, so that
waits until none is open.
"""

import threading
from collections.abc import Callable
from typing import Any, TypeVar

from app.core.errors import ProblemKind, problem

S = TypeVar("S")

_lock = threading.RLock()
_streams = 0


def portaudio() -> Any:
    """Give the library; raise ProblemError where there is none."""
    try:
        import sounddevice  # noqa: PLC0415 - without PortAudio it cannot even be imported
    except OSError as error:
        raise problem(ProblemKind.SOUND_MISSING, str(error)) from error
    return sounddevice


def opened(make: Callable[[], S]) -> S:
    """Open a stream; it is to be closed with `close`."""
    global _streams  # noqa: PLW0603 - PortAudio itself is one per process
    with _lock:
        stream = make()
        _streams += 1
        return stream


def close(stream: Any) -> None:
    """Close a stream at once; one that is already gone is no trouble."""
    global _streams  # noqa: PLW0603
    with _lock:
        stream.abort(ignore_errors=True)
        stream.close(ignore_errors=True)
        _streams -= 1


def look_again() -> None:
    """Notice what was plugged in or pulled out, unless somebody listens or plays."""
    audio = portaudio()
    with _lock:
        if _streams == 0:
            audio._terminate()  # noqa: SLF001 - there is no public way to see a new device
            audio._initialize()  # noqa: SLF001


def input_devices() -> dict[str, int]:
    """Name what can be listened to, with the number PortAudio knows each by.

    Windows lists a microphone once for each of its sound systems; the preferred one counts.
    """
    audio = portaudio()
    with _lock:
        devices = list(audio.query_devices())
        preferred = audio.query_hostapis(audio.default.hostapi)["devices"]
    named = {
        number: str(device["name"])
        for number, device in enumerate(devices)
        if device["max_input_channels"] > 0
    }
    found: dict[str, int] = {}
    for number in [n for n in preferred if n in named] or named:
        found.setdefault(named[number], number)
    return found
