"""Daemon threads for blocking work that cannot be cancelled, and may therefore be abandoned.

Nothing here is ever joined: an abandoned call runs on until it returns by itself or the process
ends, and neither the loop's end nor the interpreter's waits for it.
"""

import contextvars
import threading
from collections.abc import Callable
from concurrent.futures import (
    Future,
    ThreadPoolExecutor,  # noqa: TID251 - asyncio accepts no other base; see DaemonExecutor
)
from functools import cache
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

if TYPE_CHECKING:
    from asyncio import AbstractEventLoop

P = ParamSpec("P")
T = TypeVar("T")
Call = Callable[[], None]

_IDLE_S = 10.0


def spawn_thread(name: str, target: Callable[..., object], *args: object) -> threading.Thread:
    """Start a daemon thread."""
    thread = threading.Thread(target=target, args=args, name=name, daemon=True)
    thread.start()
    return thread


async def call_in_thread(func: Callable[..., T], *args: Any) -> T:
    """Run a blocking call on a daemon thread; a cancel abandons the call and returns at once."""
    import asyncio  # noqa: PLC0415 - here and below: the window starts threads, but no loop

    context = contextvars.copy_context()
    loop = asyncio.get_running_loop()
    return await loop.run_in_executor(shared_executor(), lambda: context.run(func, *args))


async def await_future(future: Future[T]) -> T:
    """Await another thread's future; a cancel ends the wait and leaves the future alone."""
    import asyncio  # noqa: PLC0415

    return await asyncio.shield(asyncio.wrap_future(future))


@cache
def shared_executor() -> "DaemonExecutor":
    """Give the executor that the whole process shares."""
    return DaemonExecutor("belay-call")


def install_daemon_executor(loop: "AbstractEventLoop") -> None:
    """Make a loop's own blocking calls (name lookups) abandonable too."""
    loop.set_default_executor(DaemonExecutor("belay-loop"))


class DaemonExecutor(ThreadPoolExecutor):
    """An executor on daemon threads that nothing waits for.

    A call takes an idle thread or gets a new one: with a limit, a few hung calls would starve
    all others. The base class is here only because `set_default_executor` insists on it; its own
    threads, which the interpreter joins at exit, are never started.
    """

    def __init__(self, name: str = "belay-daemon") -> None:
        super().__init__(max_workers=1)
        self._name = name
        self._mutex = threading.Lock()
        self._calls: SimpleQueue[Call | None] = SimpleQueue()
        self._unclaimed = 0  # threads that wait for a call and are not promised to one
        self._is_closed = False

    def submit(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        """Run a call on a thread of its own; its future can be cancelled until it starts."""
        future: Future[T] = Future()
        with self._mutex:
            if self._is_closed:
                raise RuntimeError("the executor is shut down")
            self._calls.put(lambda: _carry_out(future, lambda: fn(*args, **kwargs)))
            if self._unclaimed:
                self._unclaimed -= 1
            else:
                spawn_thread(self._name, self._work)
        return future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:  # noqa: ARG002
        """Take no more calls; whatever is asked for, wait for none."""
        with self._mutex:
            self._is_closed = True
            for _ in range(self._unclaimed):
                self._calls.put(None)
            self._unclaimed = 0

    def _work(self) -> None:
        while (call := self._next_call()) is not None:
            call()
            del call  # an idle thread must not keep the last result alive
            with self._mutex:
                if self._is_closed:
                    return
                self._unclaimed += 1

    def _next_call(self) -> Call | None:
        while True:
            try:
                return self._calls.get(timeout=_IDLE_S)
            except Empty:
                with self._mutex:
                    if self._unclaimed:
                        self._unclaimed -= 1
                        return None
                # Promised to a call that is about to arrive.


def _carry_out(future: Future[T], call: Callable[[], T]) -> None:
    if not future.set_running_or_notify_cancel():
        return
    try:
        result = call()
    except StopIteration as exc:
        # An asyncio future refuses StopIteration, and whoever awaits it would wait for ever.
        future.set_exception(RuntimeError(f"the call raised {exc!r}"))
    except BaseException as exc:  # noqa: BLE001 - it belongs to whoever waits for the result
        future.set_exception(exc)
    else:
        future.set_result(result)
