"""How loud it is, told about thirty times a second."""

from collections.abc import Callable
from typing import Final

import numpy as np
import numpy.typing as npt

from app.core.ports import Clock
from app.core.voice import VoiceEvent, VoiceLevel

Samples = npt.NDArray[np.float32]

SILENCE_DBFS: Final = -120.0
_EVERY_S: Final = 1 / 30


def dbfs(samples: Samples) -> float:
    """Say how loud samples are."""
    if not len(samples):
        return SILENCE_DBFS
    power = float(np.mean(np.square(samples, dtype=np.float64)))
    return max(SILENCE_DBFS, 10 * float(np.log10(power))) if power > 0 else SILENCE_DBFS


class LevelTeller:
    """Tells levels, but no more often than an eye can follow."""

    def __init__(self, *, emit: Callable[[VoiceEvent], None], clock: Clock) -> None:
        self._emit = emit
        self._clock = clock
        self._told_at = 0.0

    def tell(self, level: float) -> None:
        """Tell a level, unless one was told just now."""
        now = self._clock.monotonic()
        if now - self._told_at >= _EVERY_S:
            self._told_at = now
            self._emit(VoiceLevel(dbfs=level))
