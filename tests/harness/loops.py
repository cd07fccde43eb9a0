"""Event loops for tests: bounded, and able to count their turns."""

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

T = TypeVar("T")
LIMIT_S = 60.0  # a bound against hanging, not a measure


class CountingLoop(asyncio.SelectorEventLoop):
    """Counts its iterations, so that a busy loop shows without a clock."""

    ticks = 0

    def _run_once(self) -> None:
        self.ticks += 1
        super()._run_once()  # type: ignore[misc]


def play(scenario: Coroutine[Any, Any, T]) -> T:
    """Run a scenario on a counting loop of its own; fail rather than hang."""

    async def bounded() -> T:
        async with asyncio.timeout(LIMIT_S):
            return await scenario

    loop = CountingLoop()
    try:
        return loop.run_until_complete(bounded())
    finally:
        _end(loop)


def _end(loop: asyncio.AbstractEventLoop) -> None:
    # Not asyncio.run: that waits for tasks that ignore a cancel, and a failing test would hang.
    for task in asyncio.all_tasks(loop):
        task.cancel()
    loop.run_until_complete(pass_ticks(5))
    loop.run_until_complete(loop.shutdown_asyncgens())
    loop.close()


async def pass_ticks(count: int) -> None:
    """Let the loop go round this often."""
    for _ in range(count):
        await asyncio.sleep(0)
