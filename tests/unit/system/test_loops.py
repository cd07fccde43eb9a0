"""A loop of our own ends in bounded time, whatever still runs on it."""

import asyncio
import gc
import threading
from collections.abc import AsyncIterator

import pytest

from app.system.loops import run_loop

BOUND_S = 30.0


async def _ignore_every_cancel(started: asyncio.Event) -> None:
    started.set()
    while True:
        try:
            await asyncio.sleep(3600)
        except asyncio.CancelledError:
            continue


def test_result_comes_back_and_the_loop_is_closed() -> None:
    async def main() -> asyncio.AbstractEventLoop:
        return asyncio.get_running_loop()

    assert run_loop(main()).is_closed()


def test_leftover_task_unwinds_before_the_loop_closes() -> None:
    unwound: list[str] = []

    async def leftover() -> None:
        try:
            await asyncio.sleep(3600)
        finally:
            await asyncio.sleep(0)
            unwound.append("leftover")

    async def main() -> "asyncio.Task[None]":
        task = asyncio.create_task(leftover())
        await asyncio.sleep(0)
        return task

    assert run_loop(main()).cancelled()
    assert unwound == ["leftover"]


def test_task_that_ignores_cancel_is_abandoned(caplog: pytest.LogCaptureFixture) -> None:
    async def main() -> str:
        started = asyncio.Event()
        deaf = asyncio.create_task(_ignore_every_cancel(started), name="deaf")
        await started.wait()
        assert not deaf.done()
        return "done"

    assert run_loop(main(), grace_s=0.01) == "done"
    gc.collect()
    assert "deaf" in caplog.text
    assert "destroyed" not in caplog.text


def test_generator_that_hangs_while_closing_is_abandoned() -> None:
    async def numbers() -> AsyncIterator[int]:
        try:
            yield 1
        finally:
            await asyncio.sleep(3600)

    generator = numbers()

    async def main() -> int:
        return await anext(generator)

    assert run_loop(main(), grace_s=0.01) == 1


def test_error_of_main_is_raised_after_the_end() -> None:
    async def main() -> None:
        raise LookupError("lost")

    with pytest.raises(LookupError, match="lost"):
        run_loop(main())


def test_hung_name_lookup_does_not_hold_the_end() -> None:
    release, returned = threading.Event(), threading.Event()

    def look_up() -> None:
        release.wait(BOUND_S)
        returned.set()

    async def main() -> None:
        asyncio.get_running_loop().run_in_executor(None, look_up)

    run_loop(main())
    assert not returned.is_set()
    release.set()
    assert returned.wait(BOUND_S)
