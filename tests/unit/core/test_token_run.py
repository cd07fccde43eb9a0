"""`run` and `sleep`: a coroutine under a token ends with it, in one of two ways."""

import asyncio
import threading
from collections.abc import Callable, Coroutine
from typing import Any

import anyio
import pytest

from app.core.events import StopReason
from app.core.tokens import Cancelled, CancelToken
from tests.harness.loops import CountingLoop, pass_ticks, play
from tests.unit.core.stubborn import Stubborn

FOREVER_S = 3600.0


def test_run_returns_the_result() -> None:
    async def work() -> int:
        await asyncio.sleep(0)
        return 42

    token = CancelToken()
    assert play(token.run(work())) == 42
    assert token._callbacks == {}


def test_run_does_not_start_under_a_cancelled_token() -> None:
    started: list[int] = []

    async def work() -> None:
        started.append(1)

    token = CancelToken()
    token.cancel(StopReason.PERSON)
    with pytest.raises(Cancelled):
        play(token.run(work()))
    assert started == []


def test_work_cancelled_before_its_first_step_takes_none() -> None:
    started: list[int] = []

    async def work() -> None:
        started.append(1)

    async def scenario() -> None:
        token = CancelToken()
        running = asyncio.create_task(token.run(work()))
        # Runs after `run` made its task and before that task's first step.
        asyncio.get_running_loop().call_soon(token.cancel, StopReason.PERSON)
        with pytest.raises(Cancelled):
            await running

    play(scenario())
    assert started == []


def test_cancel_ends_work_that_waits_and_lets_it_clean_up() -> None:
    async def scenario() -> list[str]:
        seen: list[str] = []
        waiting = asyncio.Event()

        async def work() -> None:
            try:
                waiting.set()
                await anyio.sleep_forever()
            finally:
                seen.append("cleaned up")

        token = CancelToken()
        running = asyncio.create_task(token.run(work()))
        await waiting.wait()
        token.cancel(StopReason.REDIRECT)
        with pytest.raises(Cancelled) as caught:
            await running
        assert caught.value.reason is StopReason.REDIRECT
        assert not caught.value.abandoned
        assert token._callbacks == {}
        return seen

    assert play(scenario()) == ["cleaned up"]


def test_cancel_from_another_thread_wakes_the_loop() -> None:
    async def scenario() -> None:
        token = CancelToken()
        canceller = threading.Thread(target=token.cancel, args=(StopReason.PERSON,))
        asyncio.get_running_loop().call_soon(canceller.start)
        with pytest.raises(Cancelled):
            await token.run(anyio.sleep_forever())
        canceller.join()

    play(scenario())


def test_an_exception_passes_through_while_the_token_is_live() -> None:
    async def work() -> None:
        await asyncio.sleep(0)
        raise ConnectionResetError("the network")

    with pytest.raises(ConnectionResetError, match="the network"):
        play(CancelToken().run(work()))


def test_an_exception_under_a_cancelled_token_is_the_cancel() -> None:
    async def scenario() -> None:
        token = CancelToken()

        async def work() -> None:
            token.cancel(StopReason.PERSON)
            raise ConnectionResetError("our own close looks like this")

        with pytest.raises(Cancelled):
            await token.run(work())

    play(scenario())


def test_an_exception_raised_while_unwinding_is_the_cancel() -> None:
    async def scenario() -> None:
        waiting = asyncio.Event()

        async def work() -> None:
            try:
                waiting.set()
                await anyio.sleep_forever()
            finally:
                raise ConnectionResetError("while closing")

        token = CancelToken()
        running = asyncio.create_task(token.run(work()))
        await waiting.wait()
        token.cancel(StopReason.PERSON)
        with pytest.raises(Cancelled):
            await running

    play(scenario())


def test_work_that_finished_first_keeps_its_result() -> None:
    async def scenario() -> str:
        token = CancelToken()

        async def work() -> str:
            token.cancel(StopReason.PERSON)
            return "whole"

        return await token.run(work())

    assert play(scenario()) == "whole"


def test_work_that_finishes_while_unwinding_keeps_its_result() -> None:
    async def scenario() -> str:
        stubborn = Stubborn()
        token = CancelToken()
        running = asyncio.create_task(token.run(stubborn(), grace_s=FOREVER_S))
        await stubborn.started.wait()
        token.cancel(StopReason.PERSON)
        await pass_ticks(5)
        stubborn.let_go.set()
        return await running

    assert play(scenario()) == "late"


def test_work_cancelled_from_within_ends_as_cancelled_by_asyncio() -> None:
    async def work() -> None:
        raise asyncio.CancelledError

    with pytest.raises(asyncio.CancelledError):
        play(CancelToken().run(work()))


@pytest.mark.parametrize("cancel_after", range(8))
@pytest.mark.parametrize("finish_after", range(4))
def test_a_cancel_that_races_completion_has_one_of_two_outcomes(
    cancel_after: int, finish_after: int
) -> None:
    async def scenario() -> None:
        async def work() -> str:
            await pass_ticks(finish_after)
            return "whole"

        token = CancelToken()
        running = asyncio.create_task(token.run(work()))
        await pass_ticks(cancel_after)
        token.cancel(StopReason.PERSON)
        (outcome,) = await asyncio.gather(running, return_exceptions=True)
        assert outcome == "whole" or isinstance(outcome, Cancelled)
        assert token._callbacks == {}
        assert len(asyncio.all_tasks()) == 1

    play(scenario())


def test_cancels_from_a_thread_racing_completion_lose_nothing() -> None:
    async def one(delay_ticks: int) -> None:
        token = CancelToken()
        canceller = threading.Thread(target=token.cancel, args=(StopReason.PERSON,))
        running = asyncio.create_task(token.run(pass_ticks(delay_ticks)))
        canceller.start()
        (outcome,) = await asyncio.gather(running, return_exceptions=True)
        assert outcome is None or isinstance(outcome, Cancelled)
        canceller.join()
        assert token._callbacks == {}

    async def scenario() -> None:
        for round_number in range(200):
            await one(round_number % 20)

    play(scenario())


def test_a_loop_that_has_ended_does_not_disturb_a_late_cancel() -> None:
    token = CancelToken()
    loop = CountingLoop()
    sleeper = loop.create_task(token.sleep(FOREVER_S))
    loop.run_until_complete(pass_ticks(2))
    loop.close()
    assert token.cancel(StopReason.QUIT)
    sleeper.get_coro().close()


def test_sleep_sleeps() -> None:
    token = CancelToken()
    play(token.sleep(0.0))
    assert token._callbacks == {}


def test_sleep_under_a_cancelled_token_raises_at_once() -> None:
    token = CancelToken()
    token.cancel(StopReason.QUIT)
    with pytest.raises(Cancelled):
        play(token.sleep(FOREVER_S))


def _here(cancel: Callable[[], object]) -> None:
    cancel()


def _on_a_thread(cancel: Callable[[], object]) -> None:
    threading.Thread(target=cancel).start()


@pytest.mark.parametrize("place", [_here, _on_a_thread])
def test_a_cancel_ends_a_sleep(place: Callable[[Callable[[], object]], None]) -> None:
    async def scenario() -> None:
        token = CancelToken()
        loop = asyncio.get_running_loop()
        loop.call_soon(place, lambda: token.cancel(StopReason.PERSON))
        with pytest.raises(Cancelled):
            await token.sleep(FOREVER_S)
        assert token._callbacks == {}

    play(scenario())


def test_cancelling_the_sleeper_takes_its_callback_and_its_timer_off() -> None:
    async def scenario() -> None:
        token = CancelToken()
        sleeper = asyncio.create_task(token.sleep(FOREVER_S))
        await pass_ticks(2)
        assert len(token._callbacks) == 1
        sleeper.cancel()
        with pytest.raises(asyncio.CancelledError):
            await sleeper
        assert token._callbacks == {}

    play(scenario())


def test_many_runs_and_sleeps_leave_nothing_on_a_long_lived_token() -> None:
    async def scenario() -> None:
        token = CancelToken()
        works: list[Coroutine[Any, Any, None]] = [token.run(pass_ticks(i % 3)) for i in range(300)]
        works += [token.sleep(0.0) for _ in range(300)]
        await asyncio.gather(*works)
        for _ in range(300):
            with token.child("request"):
                pass
        assert token._callbacks == {}

    play(scenario())
