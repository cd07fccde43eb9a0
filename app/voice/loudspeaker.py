"""The loudspeaker, through PortAudio: a short cue, and what a trial of the microphone heard.

`play` blocks until the sound is over and belongs on a daemon thread. That nothing can be heard
is nobody's trouble: it is logged, and the talk goes on.
"""

import logging
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from app.core.errors import ProblemError
from app.voice.portaudio import close, opened, portaudio
from app.voice.resampling import TARGET_RATE

log = logging.getLogger(__name__)

Samples = npt.NDArray[np.float32]

_SILENCE_S = 0.25  # what is still in the buffers when a stream stops is never heard
_CUE_S = 0.07
_CUE_HZ = 880.0
_CUE_LEVEL = 0.04  # soft: the microphone is open and hears it too


class Loudspeaker(Protocol):
    """Something that can be heard."""

    def play(self, samples: Samples) -> None:
        """Play sound at 16 kHz, to its end."""
        ...


class PortAudioLoudspeaker:
    """The real one: the system's choice."""

    def play(self, samples: Samples) -> None:
        """Play sound at 16 kHz, to its end; without a loudspeaker nothing happens."""
        try:
            audio = portaudio()
        except ProblemError as error:
            log.info("nothing can be played: %s", error)
            return
        try:
            stream, rate = opened(lambda: _started(audio))
        except (audio.PortAudioError, ValueError) as error:
            log.info("nothing can be played: %s", error)
            return
        try:
            silence = np.zeros(int(_SILENCE_S * TARGET_RATE), np.float32)
            stream.write(_at(rate, np.concatenate([samples, silence])).reshape(-1, 1))
            stream.stop()
        except audio.PortAudioError as error:
            log.info("the loudspeaker is gone: %s", error)
        finally:
            close(stream)


def _started(audio: Any) -> tuple[Any, int]:
    rate = int(audio.query_devices(None, "output")["default_samplerate"])
    stream = audio.OutputStream(samplerate=rate, channels=1, dtype="float32")
    stream.start()
    return stream, rate


def _at(rate: int, samples: Samples) -> Samples:
    """Bring sound to the loudspeaker's rate; good enough for an ear."""
    at = np.arange(int(len(samples) * rate / TARGET_RATE)) * (TARGET_RATE / rate)
    return np.asarray(np.interp(at, np.arange(len(samples)), samples), np.float32)


def cue() -> Samples:
    """Make the soft tick that says: now it listens."""
    at = np.arange(int(_CUE_S * TARGET_RATE)) / TARGET_RATE
    tone = _CUE_LEVEL * np.sin(2 * np.pi * _CUE_HZ * at) * np.hanning(len(at))
    return np.asarray(tone, np.float32)
