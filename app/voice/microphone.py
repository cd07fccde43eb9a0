"""The microphone, through PortAudio.

`open` may take its time and belongs on a daemon thread. Sound arrives on PortAudio's own thread,
already at 16 kHz; `on_gone` comes from there too, when the device vanishes in the middle. Once
`close` has returned nothing more arrives.
"""

import logging
import threading
from collections.abc import Callable
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from app.core.errors import ProblemError, ProblemKind, problem
from app.voice.portaudio import close, input_devices, look_again, opened, portaudio
from app.voice.resampling import TARGET_RATE, Resampler

log = logging.getLogger(__name__)

Samples = npt.NDArray[np.float32]
OnSamples = Callable[[Samples], None]

_BLOCK_S = 0.02


class Microphone(Protocol):
    """Something that can be listened to."""

    def open(self, device: str, on_samples: OnSamples, on_gone: Callable[[], None]) -> None:
        """Begin to listen; raise ProblemError."""
        ...

    def close(self) -> None:
        """Stop listening."""
        ...

    def devices(self) -> tuple[str, ...]:
        """Name what can be listened to now; raise ProblemError if nothing ever can."""
        ...


class PortAudioMicrophone:
    """The real one; opens one stream at a time."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._stream: _Stream | None = None

    def open(self, device: str, on_samples: OnSamples, on_gone: Callable[[], None]) -> None:
        """Begin to listen to a device, by name; empty is the system's choice."""
        audio = portaudio()
        with self._lock:
            try:
                self._stream = _started(audio, device, on_samples, on_gone)
            except (audio.PortAudioError, ValueError) as first:
                log.info("the microphone did not open, looking again: %s", first)
                self._stream = self._after_looking_again(audio, device, on_samples, on_gone)

    def close(self) -> None:
        """Stop listening; a stream that is already gone is no trouble."""
        with self._lock:
            stream, self._stream = self._stream, None
            if stream is not None:
                stream.close()

    def devices(self) -> tuple[str, ...]:
        """Name what can be listened to, newly plugged devices too unless one is in use."""
        with self._lock:
            look_again()
            return tuple(input_devices())

    def _after_looking_again(
        self, audio: Any, device: str, on_samples: OnSamples, on_gone: Callable[[], None]
    ) -> "_Stream":
        """The device may be new, or gone: then the system's choice will do."""
        try:
            look_again()
            wanted = device if device in input_devices() else ""
            return _started(audio, wanted, on_samples, on_gone)
        except (audio.PortAudioError, ValueError) as error:
            raise explained(error, has_devices=bool(input_devices())) from error


def _started(
    audio: Any, device: str, on_samples: OnSamples, on_gone: Callable[[], None]
) -> "_Stream":
    number = _number(device)
    rate = _rate(audio, number)
    resampler = Resampler(rate)
    is_over = threading.Event()

    def arrived(block: Samples, _frames: int, _time: Any, _status: Any) -> None:
        on_samples(resampler.feed(block[:, 0].copy()))

    def ended() -> None:
        if not is_over.is_set():
            on_gone()

    def start() -> Any:
        stream = audio.InputStream(
            device=number,
            samplerate=rate,
            channels=1,
            dtype="float32",
            blocksize=int(rate * _BLOCK_S),
            callback=arrived,
            finished_callback=ended,
        )
        stream.start()
        return stream

    return _Stream(opened(start), is_over)


class _Stream:
    """A stream that knows whether it was closed on purpose."""

    def __init__(self, stream: Any, is_over: threading.Event) -> None:
        self._stream = stream
        self._is_over = is_over

    def close(self) -> None:
        self._is_over.set()
        close(self._stream)


def _number(device: str) -> int | None:
    if not device:
        return None
    try:
        return input_devices()[device]
    except KeyError as error:
        raise ValueError(f"there is no {device}") from error


def _rate(audio: Any, number: int | None) -> int:
    """Prefer the device's own rate: it opens at once everywhere, and we resample well."""
    info = audio.query_devices(number, "input")
    return int(info["default_samplerate"]) or TARGET_RATE


# macOS gives silence instead of an error; Windows and the portals of Linux say it in their words.
_REFUSALS = ("permission", "denied", "not permitted", "unauthorized", "0x80070005", "-2147024891")


def explained(error: Exception, *, has_devices: bool) -> ProblemError:
    """Say why a microphone did not open."""
    detail = str(error)
    if any(word in detail.lower() for word in _REFUSALS):
        return problem(ProblemKind.MICROPHONE_REFUSED, detail)
    if not has_devices or isinstance(error, ValueError):
        return problem(ProblemKind.MICROPHONE_MISSING, detail)
    return problem(ProblemKind.MICROPHONE_FAILED, detail)
