"""Work that will not be cancelled, for the tests of those who must give up on it."""

import asyncio

from tests.harness.loops import CountingLoop, pass_ticks


class Stubborn:
    """Work that swallows every cancel until it is let go."""

    def __init__(self) -> None:
        self.started = asyncio.Event()
        self.let_go = asyncio.Event()
        self.swallowed = 0

    async def __call__(self) -> str:
        self.started.set()
        while not self.let_go.is_set():
            try:
                await self.let_go.wait()
            except asyncio.CancelledError:
                self.swallowed += 1
        return "late"


async def until_everything_ended() -> None:
    here = asyncio.current_task()
    if others := {task for task in asyncio.all_tasks() if task is not here}:
        await asyncio.wait(others)


async def assert_quiet(stubborn: Stubborn) -> None:
    """Nothing cancels the abandoned work any more, and the loop is idle."""
    await pass_ticks(5)  # a cancel that was under way may still land
    before = stubborn.swallowed
    await pass_ticks(50)
    assert stubborn.swallowed == before
    loop = asyncio.get_running_loop()
    assert isinstance(loop, CountingLoop)
    ticks = loop.ticks
    woken = asyncio.Event()
    loop.call_later(0.05, woken.set)
    await woken.wait()
    assert loop.ticks - ticks < 10
    stubborn.let_go.set()
    await until_everything_ended()
