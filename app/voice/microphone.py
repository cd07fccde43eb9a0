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
        """Name what can be listened to now."""
        ...


class PortAudioMicrophone:
    """The real one; opens one stream at a time."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._stream: Any = None

    def open(self, device: str, on_samples: OnSamples, on_gone: Callable[[], None]) -> None:
        """Begin to listen to a device, by name; empty is the system's choice."""
        audio = _audio()
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
                stream.close(ignore_errors=True)

    def devices(self) -> tuple[str, ...]:
        """Name what can be listened to, newly plugged devices too unless one is in use."""
        try:
            audio = _audio()
        except ProblemError:
            return ()
        with self._lock:
            if self._stream is None:
                _look_again(audio)
            return input_devices()

    def _after_looking_again(
        self, audio: Any, device: str, on_samples: OnSamples, on_gone: Callable[[], None]
    ) -> Any:
        """The device may be new, or gone: then the system's choice will do."""
        try:
            _look_again(audio)
            wanted = device if device in input_devices() else ""
            return _started(audio, wanted, on_samples, on_gone)
        except (audio.PortAudioError, ValueError) as error:
            raise _explained(error) from error


def input_devices() -> tuple[str, ...]:
    """Name the devices that can be listened to."""
    try:
        devices = _audio().query_devices()
    except (ProblemError, OSError):
        return ()
    return tuple(str(d["name"]) for d in devices if d["max_input_channels"] > 0)


def _look_again(audio: Any) -> None:
    """PortAudio knows only the devices that were there at its start: start it anew."""
    audio._terminate()  # noqa: SLF001 - there is no public way to see a new device
    audio._initialize()  # noqa: SLF001


def _audio() -> Any:
    try:
        import sounddevice  # noqa: PLC0415 - without PortAudio it cannot even be imported
    except OSError as error:
        raise problem(ProblemKind.MICROPHONE_MISSING, f"no PortAudio: {error}") from error
    return sounddevice


def _started(audio: Any, device: str, on_samples: OnSamples, on_gone: Callable[[], None]) -> Any:
    rate = _rate(audio, device)
    resampler = Resampler(rate)
    is_over = threading.Event()

    def arrived(block: Samples, _frames: int, _time: Any, _status: Any) -> None:
        on_samples(resampler.feed(block[:, 0].copy()))

    def ended() -> None:
        if not is_over.is_set():
            on_gone()

    stream = audio.InputStream(
        device=device or None,
        samplerate=rate,
        channels=1,
        dtype="float32",
        blocksize=int(rate * _BLOCK_S),
        callback=arrived,
        finished_callback=ended,
    )
    stream.start()
    return _Stream(stream, is_over)


class _Stream:
    """A stream that knows whether it was closed on purpose."""

    def __init__(self, stream: Any, is_over: threading.Event) -> None:
        self._stream = stream
        self._is_over = is_over

    def close(self, *, ignore_errors: bool) -> None:
        self._is_over.set()
        self._stream.abort(ignore_errors=ignore_errors)
        self._stream.close(ignore_errors=ignore_errors)


def _rate(audio: Any, device: str) -> int:
    """Prefer the device's own rate: it opens at once everywhere, and we resample well."""
    info = audio.query_devices(device or None, "input")
    return int(info["default_samplerate"]) or TARGET_RATE


def _explained(error: Exception) -> ProblemError:
    detail = str(error)
    if not input_devices() or isinstance(error, ValueError):
        return problem(ProblemKind.MICROPHONE_MISSING, detail)
    if "permission" in detail.lower() or "denied" in detail.lower():
        return problem(ProblemKind.MICROPHONE_REFUSED, detail)
    return problem(ProblemKind.MICROPHONE_FAILED, detail)
