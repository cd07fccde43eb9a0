"""A model in a child: started when it is needed, again when it died, within limits.

It is the one that came with Belay, or a file of the person's own.

Lives on the agent loop; implements `app.core.ports.ModelServer`. Nobody waits for it to end:
Stop closes a connection, Quit tells the child to go.
"""

import asyncio
import logging
import os
from collections.abc import Callable
from pathlib import Path

from app.core.errors import ProblemKind, problem
from app.core.ports import Clock, ModelAddress
from app.core.settings import BUILT_IN_WINDOW
from app.localmodel.child import ModelChild, start_child
from app.localmodel.weights import Weights, are_genuine
from app.system.threads import call_in_thread

log = logging.getLogger(__name__)

_MOST_STARTS = 3
_WITHIN_S = 60.0


class LocalModel:
    """One child at a time, shared by all conversations."""

    def __init__(
        self,
        *,
        weights: Callable[[], Weights | None],
        cache: Path,
        clock: Clock,
        context: int = BUILT_IN_WINDOW,
    ) -> None:
        self._context = context
        self._weights = weights
        self._cache = cache
        self._clock = clock
        self._child: ModelChild | None = None
        self._starting: asyncio.Task[ModelChild] | None = None
        self._starts: list[float] = []
        self._is_ended = False

    @property
    def is_ready(self) -> bool:
        """Say whether it can be asked at once."""
        return self._child is not None and self._child.is_alive

    async def address(self) -> ModelAddress:
        """Start it if it does not run; many may wait for one start."""
        child = self._child
        if child is None or not child.is_alive:
            child = await asyncio.shield(self._start())
        return child.address

    def warm_up(self) -> None:
        """Start it in the background, so that the first question need not wait."""
        if not self.is_ready and not self._is_ended:
            self._start()

    def end(self) -> None:
        """Tell the child to go, for good."""
        self._is_ended = True
        if self._starting is not None:
            self._starting.cancel()
        if self._child is not None:
            self._child.end()

    def _start(self) -> "asyncio.Task[ModelChild]":
        if self._starting is None:
            self._starting = asyncio.get_running_loop().create_task(self._begin(), name="model")
            self._starting.add_done_callback(self._started)
        return self._starting

    def _started(self, task: "asyncio.Task[ModelChild]") -> None:
        self._starting = None
        if task.cancelled():
            return
        if (error := task.exception()) is not None:
            log.info("the built-in model did not start: %s", error)
            return
        if self._child is not None:
            self._child.end()  # it died by itself: what it left is still to be cleared away
        self._child = task.result()
        if self._is_ended:
            self._child.end()

    async def _begin(self) -> ModelChild:
        self._count_start()
        weights = await call_in_thread(self._weights)
        if weights is None:
            raise problem(ProblemKind.BUILT_IN_MISSING)
        if not await call_in_thread(are_genuine, weights, self._cache):
            raise problem(
                ProblemKind.BUILT_IN_FAILED, str(weights.path), reason="its file is damaged"
            )
        return await start_child(weights.path, threads=_threads(), context=self._context)

    def _count_start(self) -> None:
        """Give up visibly on a model that keeps dying."""
        now = self._clock.monotonic()
        self._starts = [at for at in self._starts if now - at < _WITHIN_S]
        if self._is_ended:
            raise problem(ProblemKind.BUILT_IN_FAILED, reason="Belay is closing")
        if len(self._starts) >= _MOST_STARTS:
            raise problem(ProblemKind.BUILT_IN_FAILED, reason="it stopped again and again")
        self._starts.append(now)


def _threads() -> int:
    """Leave a core to everything else: with all of them taken, decoding collapses."""
    return max(1, min(4, (os.cpu_count() or 2) - 1))
