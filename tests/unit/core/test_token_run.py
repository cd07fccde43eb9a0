"""`run` and `sleep`: a coroutine under a token ends with it, one way and in bounded time."""

import asyncio
import threading
from collections.abc import Callable, Coroutine
from typing import Any

import anyio
import pytest

from app.core.events import StopReason
from app.core.tokens import Cancelled, CancelToken
from tests.harness.loops import CountingLoop, pass_ticks, play

FOREVER_S = 3600.0


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


def test_stubborn_work_is_given_up_after_its_grace() -> None:
    async def scenario() -> None:
        stubborn = Stubborn()
        token = CancelToken()
        running = asyncio.create_task(token.run(stubborn(), grace_s=0.01))
        await stubborn.started.wait()
        token.cancel(StopReason.PERSON)
        with pytest.raises(Cancelled):
            await running
        assert stubborn.swallowed > 0
        await assert_quiet(stubborn)

    play(scenario())


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


def test_abandoned_work_may_fail_later_without_a_word() -> None:
    async def scenario() -> None:
        fail = asyncio.Event()
        stubborn = Stubborn()

        async def work() -> None:
            await stubborn()
            await fail.wait()
            raise OSError("nobody listens any more")

        token = CancelToken()
        running = asyncio.create_task(token.run(work(), grace_s=0.0))
        await stubborn.started.wait()
        token.cancel(StopReason.PERSON)
        with pytest.raises(Cancelled):
            await running
        stubborn.let_go.set()
        fail.set()
        await until_everything_ended()

    play(scenario())  # the conftest fails a test whose exception was never retrieved


def test_cancelling_the_caller_cancels_the_work() -> None:
    async def scenario() -> list[str]:
        seen: list[str] = []
        waiting = asyncio.Event()

        async def work() -> None:
            try:
                waiting.set()
                await anyio.sleep_forever()
            finally:
                seen.append("cleaning up")
                await asyncio.sleep(0)
                seen.append("unreachable: the cancel lands again in every await")

        token = CancelToken()
        running = asyncio.create_task(token.run(work()))
        await waiting.wait()
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running
        assert not token.is_cancelled
        assert token._callbacks == {}
        assert len(asyncio.all_tasks()) == 1
        return seen

    assert play(scenario()) == ["cleaning up"]


@pytest.mark.parametrize("cancels", [1, 2, 3])
def test_cancelling_the_caller_again_still_leaves_no_busy_loop(cancels: int) -> None:
    async def scenario() -> None:
        stubborn = Stubborn()
        running = asyncio.create_task(CancelToken().run(stubborn(), grace_s=0.01))
        await stubborn.started.wait()
        for _ in range(cancels):
            running.cancel()
            await asyncio.sleep(0)
        with pytest.raises(asyncio.CancelledError):
            await running
        await assert_quiet(stubborn)

    play(scenario())


def test_a_run_within_a_run_is_unwound_before_the_outer_one_returns() -> None:
    async def scenario() -> list[str]:
        seen: list[str] = []
        waiting = asyncio.Event()

        async def request() -> None:
            try:
                waiting.set()
                await anyio.sleep_forever()
            finally:
                with anyio.CancelScope(shield=True):
                    await pass_ticks(5)
                seen.append("connection closed")

        turn = CancelToken("turn")

        async def work() -> None:
            await CancelToken("unrelated").run(request())

        running = asyncio.create_task(turn.run(work()))
        await waiting.wait()
        turn.cancel(StopReason.PERSON)
        with pytest.raises(Cancelled):
            await running
        return seen

    assert play(scenario()) == ["connection closed"]


def test_a_stubborn_run_within_a_run_leaves_no_busy_loop() -> None:
    async def scenario() -> None:
        stubborn = Stubborn()
        turn = CancelToken("turn")

        async def work() -> None:
            with turn.child("tool") as child:
                await child.run(stubborn(), grace_s=0.01)

        running = asyncio.create_task(turn.run(work(), grace_s=0.02))
        await stubborn.started.wait()
        turn.cancel(StopReason.PERSON)
        with pytest.raises(Cancelled):
            await running
        await assert_quiet(stubborn)

    play(scenario())


def test_a_timeout_round_a_run_ends_it() -> None:
    async def scenario() -> None:
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0):
                await CancelToken().run(anyio.sleep_forever())

    play(scenario())


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
