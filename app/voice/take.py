"""One press: its recording, and when it has gone on for long enough."""

import asyncio
from dataclasses import dataclass

from app.core.errors import Problem, ProblemKind
from app.core.voice import Force
from app.voice.clips import Clip
from app.voice.loudness import SILENCE_DBFS
from app.voice.machine import Arming, Recording

LONGEST_S = 120.0
QUIET_S = 15.0  # a latched recording ends after this long without a sound
MUTE_S = 10.0  # a microphone that gives nothing at all for this long has failed
GONE_S = 2.0  # a device that gives nothing for this long is gone, whatever it says
_QUIET_DBFS = -45.0
_FLAT_DBFS = -90.0


@dataclass
class Take:
    """What is known of a press."""

    clip: Clip
    began_at: float
    opened: "asyncio.Task[None] | None" = None
    shut: "asyncio.Task[None] | None" = None
    force: Force | None = None
    loudest_dbfs: float = SILENCE_DBFS

    def __post_init__(self) -> None:
        """Count from the press."""
        self.heard_at = self.began_at  # when somebody last made a sound
        self.sound_at = self.began_at  # when the device last gave anything, if only silence

    @property
    def is_flat(self) -> bool:
        """Say whether the microphone gave pure silence."""
        return self.loudest_dbfs < _FLAT_DBFS

    def note(self, level_dbfs: float, now: float) -> None:
        """Take in how loud it is now."""
        self.sound_at = now
        self.loudest_dbfs = max(self.loudest_dbfs, level_dbfs)
        if level_dbfs > _QUIET_DBFS:
            self.heard_at = now

    def overdue(self, phase: Arming | Recording, now: float) -> Force | Problem | None:
        """Say why it must end now, if it must."""
        if isinstance(phase, Arming):
            is_mute = now - self.began_at > MUTE_S
            return Problem(kind=ProblemKind.MICROPHONE_FAILED) if is_mute else None
        if now - self.began_at > LONGEST_S:
            return Force.TIME_LIMIT
        if now - self.sound_at > GONE_S:
            return Force.DEVICE_GONE
        is_quiet = phase.is_latched and now - self.heard_at > QUIET_S
        return Force.SILENCE if is_quiet else None
