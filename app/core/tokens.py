"""Cancel tokens: one per turn, a child per request and tool call.

A token is cancelled once, from any thread, and never reset or shared between turns. Callbacks run
once, outside the lock, on the cancelling thread. `run` puts a coroutine into a task of its own
and gives up on it when its grace is over: Stop never waits for code that swallows a cancel.
"""

import asyncio
import threading
import time
from collections.abc import Callable, Coroutine
from contextlib import ExitStack
from typing import Any, Self, TypeVar

import anyio

from app.core.events import StopReason

T = TypeVar("T")
Callback = Callable[[], None]


class Cancelled(Exception):  # noqa: N818 - a fact, not an error
    """The token was cancelled; whatever the code was doing does not matter any more.

    `abandoned` says that the code had not ended when its grace was over.
    """

    def __init__(self, reason: StopReason, *, abandoned: bool = False) -> None:
        super().__init__(reason.value)
        self.reason = reason
        self.abandoned = abandoned


class CancelToken:
    """A one-way switch with a reason."""

    def __init__(self, name: str = "token") -> None:
        self.name = name
        self._lock = threading.Lock()
        self._reason: StopReason | None = None
        self._cancelled_at = 0.0
        self._callbacks: dict[int, Callback] = {}
        self._next_key = 0
        self._event = threading.Event()

    def __repr__(self) -> str:
        return f"<CancelToken {self.name} {self._reason or 'live'}>"

    @property
    def reason(self) -> StopReason | None:
        """Why it was cancelled; None while it is live."""
        return self._reason

    @property
    def is_cancelled(self) -> bool:
        """Say whether it was cancelled."""
        return self._reason is not None

    @property
    def cancelled_at(self) -> float:
        """When it was cancelled, on `time.monotonic`; 0.0 while it is live."""
        return self._cancelled_at

    def cancel(self, reason: StopReason) -> bool:
        """Cancel it and all its children; False if somebody was first."""
        with self._lock:
            if self._reason is not None:
                return False
            self._cancelled_at = time.monotonic()
            self._reason = reason
            callbacks = list(self._callbacks.values())
            self._callbacks.clear()
        self._event.set()
        with ExitStack() as stack:  # one that fails does not keep the rest from hearing
            for callback in reversed(callbacks):
                stack.callback(callback)
        return True

    def on_cancel(self, callback: Callback) -> Callback:
        """Call back at cancellation, at once if it is past; returns what takes it off again."""
        with self._lock:
            if self._reason is None:
                key = self._next_key
                self._next_key += 1
                self._callbacks[key] = callback
                return lambda: self._forget(key)
        callback()
        return _nothing

    def _forget(self, key: int) -> None:
        with self._lock:
            self._callbacks.pop(key, None)

    def child(self, name: str) -> "ChildToken":
        """Make a token that is cancelled with this one, and can be cancelled alone."""
        return ChildToken(self, name)

    def check(self, *, abandoned: bool = False) -> None:
        """Raise `Cancelled` if it was cancelled."""
        if self._reason is not None:
            raise Cancelled(self._reason, abandoned=abandoned)

    def wait_blocking(self, timeout_s: float | None = None) -> bool:
        """Wait on a tool's own thread until it is cancelled; False if the time ran out."""
        return self._event.wait(timeout_s)

    async def sleep(self, seconds: float) -> None:
        """Sleep, or raise `Cancelled` the moment it is cancelled."""
        self.check()
        loop = asyncio.get_running_loop()
        woken = loop.create_future()
        timer = loop.call_later(seconds, _resolve, woken)
        remove = self.on_cancel(_from_any_thread(loop, woken))
        try:
            await woken
        finally:
            remove()
            timer.cancel()
        self.check()

    async def run(self, work: Coroutine[Any, Any, T], *, grace_s: float = 0.5) -> T:
        """Run a coroutine until it is done or the token is cancelled.

        After a cancel it has `grace_s` to unwind; what still runs then is abandoned.
        """
        if self._reason is not None:
            work.close()
            raise Cancelled(self._reason)
        loop = asyncio.get_running_loop()
        scope = anyio.CancelScope()
        task = loop.create_task(_inside(self, scope, work), name=self.name)
        stop_asked = loop.create_future()
        remove = self.on_cancel(_from_any_thread(loop, stop_asked))
        try:
            await asyncio.wait({task, stop_asked}, return_when=asyncio.FIRST_COMPLETED)
            if not task.done():
                await _unwind(scope, task, grace_s)
        except asyncio.CancelledError:
            await _unwind(scope, task, grace_s)
            raise
        finally:
            remove()
        if task.done() and not task.cancelled() and task.exception() is None:
            return task.result()
        # Our own close looks exactly like a network failure: the token knows better.
        self.check(abandoned=not task.done())
        return task.result()


class ChildToken(CancelToken):
    """A token cancelled with its parent; `release` it when its work is over."""

    def __init__(self, parent: CancelToken, name: str) -> None:
        super().__init__(f"{parent.name}/{name}")
        self._remove = parent.on_cancel(lambda: self._follow(parent))

    def _follow(self, parent: CancelToken) -> None:
        if parent.reason is not None:
            self.cancel(parent.reason)

    def release(self) -> None:
        """Stop listening to the parent."""
        self._remove()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.release()


def _nothing() -> None:
    """Nothing to take off: the callback ran already."""


def _resolve(future: "asyncio.Future[None]") -> None:
    if not future.done():
        future.set_result(None)


def _from_any_thread(loop: asyncio.AbstractEventLoop, future: "asyncio.Future[None]") -> Callback:
    def wake() -> None:
        try:
            loop.call_soon_threadsafe(_resolve, future)
        except RuntimeError:  # the loop has ended, and with it everything that waited
            return

    return wake


async def _inside(token: CancelToken, scope: anyio.CancelScope, work: Coroutine[Any, Any, T]) -> T:
    if token.is_cancelled or scope.cancel_called:  # before its first step: it takes none
        work.close()
        raise asyncio.CancelledError
    # A scope cancels again at every await until the task is out of it: a cancel that lands in
    # an `aclose` does not leave a connection behind, as a single `task.cancel()` can.
    with scope:
        return await work
    raise asyncio.CancelledError


async def _unwind(scope: anyio.CancelScope, task: "asyncio.Task[Any]", grace_s: float) -> None:
    scope.cancel()
    try:
        # Shielded from a scope round the caller, which would end this wait on the next tick.
        with anyio.CancelScope(shield=True):
            await asyncio.wait({task}, timeout=grace_s)
    finally:
        _let_go(scope, task)


def _let_go(scope: anyio.CancelScope, task: "asyncio.Task[Any]") -> None:
    if task.done():
        _retrieve(task)
        return
    # anyio delivers the cancel anew on every tick; for a task that swallows it that is a busy
    # loop without end. It has no public way to call it off (anyio 4.16).
    handle = getattr(scope, "_cancel_handle", None)
    if handle is not None:
        handle.cancel()
    task.add_done_callback(_retrieve)


def _retrieve(task: "asyncio.Task[Any]") -> None:
    if not task.cancelled():
        task.exception()  # nobody else will ask
