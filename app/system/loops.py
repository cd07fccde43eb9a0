"""A stock asyncio loop of our own, from its first task to its end in bounded time.

`asyncio.run` waits for ever for a task that swallows its cancel and for the default executor's
threads. Here what does not end within the grace is abandoned, and kept alive unheard: a pending
task that is collected would run its `finally` blocks on a closed loop.
"""

import asyncio
import logging
from collections.abc import Coroutine
from typing import Any, TypeVar

from app.system.threads import install_daemon_executor

T = TypeVar("T")

_log = logging.getLogger(__name__)
_abandoned: list["asyncio.Task[Any]"] = []


def run_loop(main: Coroutine[Any, Any, T], *, grace_s: float = 0.5) -> T:
    """Run a coroutine on a new loop on this thread, then end the loop within the grace."""
    loop = asyncio.new_event_loop()
    install_daemon_executor(loop)
    asyncio.set_event_loop(loop)
    try:
        return loop.run_until_complete(main)
    finally:
        end_loop(loop, grace_s=grace_s)
        asyncio.set_event_loop(None)


def end_loop(loop: asyncio.AbstractEventLoop, *, grace_s: float = 0.5) -> None:
    """Cancel what still runs on a stopped loop, wait at most the grace for it, and close it."""
    tasks = asyncio.all_tasks(loop)
    for task in tasks:
        task.cancel()
    ending = loop.create_task(_unwind(tasks, loop, grace_s), name="end of loop")
    loop.run_until_complete(ending)
    left = asyncio.all_tasks(loop)
    if left:
        _log.warning("abandoned at the loop's end: %s", sorted(t.get_name() for t in left))
        _abandoned.extend(left)
    loop.close()


async def _unwind(
    tasks: "set[asyncio.Task[Any]]", loop: asyncio.AbstractEventLoop, grace_s: float
) -> None:
    if tasks:
        done, _ = await asyncio.wait(tasks, timeout=grace_s)
        for task in done:
            _report(task)
    closing = loop.create_task(loop.shutdown_asyncgens(), name="close generators")
    await asyncio.wait({closing}, timeout=grace_s)


def _report(task: "asyncio.Task[Any]") -> None:
    if task.cancelled():
        return
    error = task.exception()
    if error is not None:
        _log.error("%s failed at the loop's end", task.get_name(), exc_info=error)
