"""An answer on its way from the storage thread.

Settled once, from any thread; awaited from any asyncio loop, or waited for without one. The work
goes on whether or not anybody waits, and a loop that has ended meanwhile is ignored.
"""

import asyncio
import threading
from collections.abc import Callable, Generator
from typing import Any, Generic, TypeVar, cast

from app.core.errors import Problem, ProblemError

T = TypeVar("T")


class Reply(Generic[T]):
    """A value that will be there, or the Problem that prevented it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._settled = threading.Event()
        self._value: T | None = None
        self._problem: Problem | None = None
        self._wakers: list[Callable[[], None]] = []

    @property
    def is_settled(self) -> bool:
        """Say whether the answer is here."""
        return self._settled.is_set()

    def resolve(self, value: T) -> None:
        """Give the answer; later ones are ignored."""
        self._settle(value, None)

    def fail(self, problem: Problem) -> None:
        """Say why there is no answer."""
        self._settle(None, problem)

    def wait(self, timeout_s: float) -> T:
        """Block until the answer is here; raises TimeoutError."""
        if not self._settled.wait(timeout_s):
            raise TimeoutError
        return self._outcome()

    def __await__(self) -> Generator[Any, None, T]:
        """Suspend the task until the answer is here."""
        if not self.is_settled:
            loop = asyncio.get_running_loop()
            woken: asyncio.Future[None] = loop.create_future()
            self._when_settled(lambda: _wake(loop, woken))
            yield from woken
        return self._outcome()

    def _settle(self, value: T | None, problem: Problem | None) -> None:
        with self._lock:
            if self._settled.is_set():
                return
            self._value, self._problem = value, problem
            self._settled.set()
            wakers, self._wakers = self._wakers, []
        for wake in wakers:
            wake()

    def _when_settled(self, wake: Callable[[], None]) -> None:
        with self._lock:
            if not self._settled.is_set():
                self._wakers.append(wake)
                return
        wake()

    def _outcome(self) -> T:
        if self._problem is not None:
            raise ProblemError(self._problem)
        return cast("T", self._value)


def _wake(loop: asyncio.AbstractEventLoop, woken: "asyncio.Future[None]") -> None:
    try:
        loop.call_soon_threadsafe(_resolve, woken)
    except RuntimeError:  # the loop has ended, and with it everything that waited
        return


def _resolve(woken: "asyncio.Future[None]") -> None:
    if not woken.done():
        woken.set_result(None)
