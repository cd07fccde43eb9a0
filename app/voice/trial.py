"""A look at the microphone without keeping anything: its level, and whether it opens at all.

Lives on the agent loop. It holds the microphone from `run` until it is told to end, a press
included, or until it has gone on for a minute.
"""

import asyncio
import logging
from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from app.core.errors import ProblemError
from app.core.voice import VoiceEvent, VoiceFailed
from app.system.threads import call_in_thread
from app.voice.loudness import dbfs
from app.voice.microphone import Microphone

log = logging.getLogger(__name__)

Samples = npt.NDArray[np.float32]

LONGEST_S = 60.0


class Trial:
    """One opening of the microphone for the eye alone."""

    def __init__(
        self,
        *,
        microphone: Microphone,
        device: str,
        tell: Callable[[float], None],
        emit: Callable[[VoiceEvent], None],
    ) -> None:
        self._microphone = microphone
        self._device = device
        self._tell = tell
        self._emit = emit
        self._over = asyncio.Event()
        self._loop = asyncio.get_running_loop()

    def end(self) -> None:
        """Have the microphone closed."""
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

    def _arrived(self, samples: Samples) -> None:
        self._on_loop(self._tell, dbfs(samples))

    def _gone(self) -> None:
        self._on_loop(self._over.set)

    def _on_loop(self, call: Callable[..., None], *args: float) -> None:
        try:
            self._loop.call_soon_threadsafe(call, *args)
        except RuntimeError:  # the loop has ended, and with it everybody who would look
            return
