"""A look at the microphone without keeping anything: its level, and how it sounds.

Lives on the agent loop. It holds the microphone from `run` until it is told to end, a press
included, or until it has gone on for a minute. What it heard is in memory only, the last seconds
of it, and is played back if the person wants to hear it.
"""

import asyncio
import logging
from collections import deque
from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from app.core.errors import ProblemError
from app.core.voice import VoiceEvent, VoiceFailed
from app.system.threads import call_in_thread
from app.voice.loudness import dbfs
from app.voice.loudspeaker import Loudspeaker
from app.voice.microphone import Microphone
from app.voice.resampling import TARGET_RATE

log = logging.getLogger(__name__)

Samples = npt.NDArray[np.float32]

LONGEST_S = 60.0
PLAYED_S = 8.0


class Trial:
    """One opening of the microphone for the eye alone."""

    def __init__(
        self,
        *,
        microphone: Microphone,
        loudspeaker: Loudspeaker,
        device: str,
        tell: Callable[[float], None],
        emit: Callable[[VoiceEvent], None],
    ) -> None:
        self._microphone = microphone
        self._loudspeaker = loudspeaker
        self._heard: deque[Samples] = deque()
        self._is_played = False
        self._device = device
        self._tell = tell
        self._emit = emit
        self._over = asyncio.Event()
        self._loop = asyncio.get_running_loop()

    def end(self, *, play: bool = False) -> None:
        """Have the microphone closed, and then what it heard played if it is wished."""
        self._is_played = play
        self._over.set()

    async def run(self, *, after: "asyncio.Task[None] | None") -> None:
        """Show the level until it is over."""
        if after is not None:
            await asyncio.wait({after})
        if self._over.is_set():
            return
        try:
            await call_in_thread(self._microphone.open, self._device, self._arrived, self._gone)
            async with asyncio.timeout(LONGEST_S):
                await self._over.wait()
        except ProblemError as error:
            self._emit(VoiceFailed(problem=error.problem, clip_kept=False))
        except TimeoutError:
            log.info("a trial of the microphone ended by itself")
        finally:
            await call_in_thread(self._microphone.close)

    async def play(self) -> None:
        """Play what was heard, if that was wished."""
        if self._is_played and self._heard:
            await call_in_thread(self._loudspeaker.play, np.concatenate(self._heard))

    def _arrived(self, samples: Samples) -> None:
        self._on_loop(lambda: self._take(samples))

    def _take(self, samples: Samples) -> None:
        self._heard.append(samples)
        while sum(map(len, self._heard)) > PLAYED_S * TARGET_RATE:
            self._heard.popleft()
        self._tell(dbfs(samples))

    def _gone(self) -> None:
        self._on_loop(self._over.set)

    def _on_loop(self, call: Callable[[], None]) -> None:
        try:
            self._loop.call_soon_threadsafe(call)
        except RuntimeError:  # the loop has ended, and with it everybody who would look
            return
