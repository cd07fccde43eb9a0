"""What every provider promises, held against the real llama.cpp child.

Its words cannot be scripted, so the promises are checked without knowing them; the scripted
provider and the fake server are held to the same ones in agent/test_provider_contract.py.
"""

import asyncio
import os
import signal
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from app.agent.provider import RequestBegun, RequestDelivered, TextChunk, Usage
from app.agent.providers.retry import RetryingProvider
from app.core.errors import ProblemKind
from app.core.events import StopReason
from app.core.settings import BUILT_IN
from app.core.tokens import Cancelled, CancelToken
from app.system.threads import spawn_thread
from tests.harness.loops import play
from tests.unit.agent.providers.asking import Asking, Ear, ask, question
from tests.unit.localmodel.living import LONG_ANSWER, Living, living, short

Act = Callable[[Living], Awaitable[None]]


def scene(cache: Path, act: Act) -> None:
    """Play an act with a child of its own."""

    async def whole() -> None:
        async with living(cache) as alive:
            await act(alive)

    play(whole())


async def begun(alive: Living) -> Asking:
    """Ask for a long answer and wait for its first words."""
    asking = Asking(alive.provider, question(LONG_ANSWER))
    await asking.ear.until(lambda ear: len(ear.all(TextChunk)) >= 3)
    return asking


def test_what_is_told_is_what_is_replied_in_order_and_counted(tmp_path: Path) -> None:
    async def act(alive: Living) -> None:
        asking = Asking(alive.provider, short())
        reply = await asking.reply()
        kinds = [type(event) for event in asking.ear.events]
        assert kinds[:2] == [RequestBegun, RequestDelivered]
        assert set(kinds[2:-1]) == {TextChunk}
        assert kinds[-1] is Usage
        assert asking.ear.text == reply.text != ""
        assert reply.model == alive.provider.model == BUILT_IN
        assert reply.finish_reason == "stop"
        assert reply.usage is not None
        assert reply.usage.prompt_tokens > 0
        assert reply.usage.completion_tokens >= len(asking.ear.all(TextChunk)) > 0

    scene(tmp_path, act)


def test_an_answer_in_one_piece_is_whole(tmp_path: Path) -> None:
    async def act(alive: Living) -> None:
        asking = Asking(alive.provider, question("hello", streaming=False))
        reply = await asking.reply()
        assert [chunk.text for chunk in asking.ear.all(TextChunk)] == [reply.text]

    scene(tmp_path, act)


def test_a_cancelled_token_asks_nobody(tmp_path: Path) -> None:
    async def act(alive: Living) -> None:
        token, ear = CancelToken(), Ear()
        token.cancel(StopReason.PERSON)
        with pytest.raises(Cancelled):
            await alive.provider.stream(short(), token, ear)
        assert ear.events == []

    scene(tmp_path, act)


def test_stop_in_mid_answer_is_a_cancellation_and_the_next_question_is_answered(
    tmp_path: Path,
) -> None:
    async def act(alive: Living) -> None:
        asking = await begun(alive)
        asking.stop()
        heard = len(asking.ear.events)
        with pytest.raises(Cancelled) as caught:
            await asking.reply()
        assert caught.value.reason is StopReason.PERSON
        assert len(asking.ear.events) == heard
        assert (await ask(alive.provider, short())).text

    scene(tmp_path, act)


def test_stop_from_another_thread_ends_the_answer(tmp_path: Path) -> None:
    async def act(alive: Living) -> None:
        asking = await begun(alive)
        spawn_thread("stop", asking.stop)
        with pytest.raises(Cancelled):
            await asking.reply()

    scene(tmp_path, act)


def test_stop_in_the_moment_of_a_word_says_no_further_word(tmp_path: Path) -> None:
    async def act(alive: Living) -> None:
        token, heard = CancelToken(), list[str]()

        def stop_at_the_second_word(event: object) -> None:
            if isinstance(event, TextChunk):
                heard.append(event.text)
                if len(heard) == 2:
                    token.cancel(StopReason.PERSON)

        with pytest.raises(Cancelled):
            await alive.provider.stream(question(LONG_ANSWER), token, stop_at_the_second_word)
        assert len(heard) == 2

    scene(tmp_path, act)


def test_two_answers_at_once_both_come(tmp_path: Path) -> None:
    async def act(alive: Living) -> None:
        first, second = Asking(alive.provider, short()), Asking(alive.provider, short())
        for asking in (first, second):
            assert (await asking.reply()).text == asking.ear.text != ""

    scene(tmp_path, act)


def test_a_child_that_dies_in_mid_answer_is_a_problem_and_the_next_one_answers(
    tmp_path: Path,
) -> None:
    async def act(alive: Living) -> None:
        asking = await begun(alive)
        os.kill(alive.pid, signal.SIGKILL)
        assert (await asking.problem()).kind is ProblemKind.BROKEN_OFF
        assert asking.ear.text
        # Asked within the moment before its death is noticed, the dead one is asked once more.
        again = RetryingProvider(alive.provider, first_wait_s=0.1)
        assert (await ask(again, short())).text

    scene(tmp_path, act)


def test_cancelling_the_asking_task_itself_is_a_plain_cancellation(tmp_path: Path) -> None:
    async def act(alive: Living) -> None:
        asking = await begun(alive)
        asking.task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asking.task

    scene(tmp_path, act)
