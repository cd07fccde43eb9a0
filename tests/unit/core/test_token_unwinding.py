"""After a cancel: the work unwinds within its grace, or is given up and leaves the loop idle."""

import asyncio

import anyio
import pytest

from app.core.events import StopReason
from app.core.tokens import Cancelled, CancelToken
from tests.harness.loops import pass_ticks, play
from tests.unit.core.stubborn import Stubborn, assert_quiet, until_everything_ended


def test_stubborn_work_is_given_up_after_its_grace() -> None:
    async def scenario() -> None:
        stubborn = Stubborn()
        token = CancelToken()
        running = asyncio.create_task(token.run(stubborn(), grace_s=0.01))
        await stubborn.started.wait()
        token.cancel(StopReason.PERSON)
        with pytest.raises(Cancelled) as caught:
            await running
        assert caught.value.abandoned
        assert stubborn.swallowed > 0
        await assert_quiet(stubborn)

    play(scenario())


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
