"""What every provider promises, held against the scripted one and the real one on a real socket."""

import asyncio
from collections.abc import Callable, Coroutine, Iterator
from typing import Any, Protocol

import pytest

from app.agent.provider import (
    Provider,
    ReasoningChunk,
    RequestBegun,
    RequestDelivered,
    TextChunk,
    ToolCallChunk,
    Usage,
)
from app.agent.providers.fake import Gate, ScriptedProvider
from app.core.errors import Problem, ProblemKind
from app.core.events import StopReason
from app.core.ids import CallId
from app.core.messages import ToolCallPart
from app.core.tokens import Cancelled, CancelToken
from app.system.threads import spawn_thread
from tests.fakes import script
from tests.fakes.respond import words
from tests.fakes.server import FakeServer
from tests.harness.loops import play
from tests.unit.agent.providers.asking import Asking, Ear, ask, provider_at, question


class Stage(Protocol):
    """A provider, and a way to tell its model what to say."""

    provider: Provider

    def will_say(self, text: str) -> None:
        """Answer with these words, one chunk each, and count the tokens."""

    def will_call(self, name: str, arguments: str) -> None:
        """Answer with a tool call, after a thought."""

    def will_pause_after(self, text: str) -> None:
        """Say this and no more."""

    def will_fail_after(self, text: str) -> None:
        """Say this and break off."""

    async def paused(self) -> None:
        """Wait until the answer has come to its pause."""

    def requests(self) -> int:
        """Count the requests that reached the model."""


class ScriptedStage:
    def __init__(self) -> None:
        self._scripted = ScriptedProvider()
        self.provider: Provider = self._scripted
        self._gate = Gate()

    def will_say(self, text: str) -> None:
        chunks = [TextChunk(text=word) for word in words(text)]
        self._scripted.add([*chunks, Usage(prompt_tokens=7, completion_tokens=5)])

    def will_call(self, name: str, arguments: str) -> None:
        call = ToolCallPart(call_id=CallId("call_1"), name=name, arguments=arguments)
        self._scripted.add([ReasoningChunk(text="Hm"), call])

    def will_pause_after(self, text: str) -> None:
        self._scripted.add([TextChunk(text=text), self._gate])

    def will_fail_after(self, text: str) -> None:
        self._scripted.add([TextChunk(text=text), Problem(kind=ProblemKind.BROKEN_OFF)])

    async def paused(self) -> None:
        await self._gate.reached.wait()

    def requests(self) -> int:
        return len(self._scripted.requests)


class HttpStage:
    def __init__(self, server: FakeServer) -> None:
        self._server = server
        self.provider: Provider = provider_at(server.url)

    def will_say(self, text: str) -> None:
        self._server.script(script.saying(text))

    def will_call(self, name: str, arguments: str) -> None:
        call = script.ToolCall(name, arguments, pieces=3)
        steps = (script.Reasoning("Hm"), call, script.Finish("tool_calls"), script.Done())
        self._server.script(script.Answer(steps=steps))

    def will_pause_after(self, text: str) -> None:
        self._server.script(script.Answer(steps=(script.Text(text), script.Gate("pause"))))

    def will_fail_after(self, text: str) -> None:
        self._server.script(script.Answer(steps=(script.Text(text), script.Reset())))

    async def paused(self) -> None:
        await self._server.log.until(lambda log: "pause" in log.gates_reached)

    def requests(self) -> int:
        return len(self._server.log.chats)


@pytest.fixture(params=["scripted", "http"])
def stage(request: pytest.FixtureRequest) -> Iterator[Stage]:
    if request.param == "scripted":
        yield ScriptedStage()
        return
    with FakeServer() as server:
        yield HttpStage(server)
    assert server.log.violations == []


STREAMING = pytest.mark.parametrize("streaming", [True, False], ids=["streaming", "whole"])


def scene(stage: Stage, act: Callable[[], Coroutine[Any, Any, None]]) -> None:
    """Play an act, then let go of the provider's connections."""

    async def whole() -> None:
        try:
            await act()
        finally:
            await stage.provider.aclose()

    play(whole())


@STREAMING
def test_an_answer_completes_with_everything_that_was_said(stage: Stage, streaming: bool) -> None:
    async def act() -> None:
        stage.will_say("One two three")
        reply = await ask(stage.provider, question(streaming=streaming))
        assert reply.text == "One two three"
        assert reply.model == stage.provider.model
        assert reply.usage == Usage(prompt_tokens=7, completion_tokens=5)
        assert reply.finish_reason == "stop"
        assert stage.requests() == 1

    scene(stage, act)


@STREAMING
def test_what_is_told_is_what_is_replied_in_order(stage: Stage, streaming: bool) -> None:
    async def act() -> None:
        stage.will_say("One two three")
        asking = Asking(stage.provider, question(streaming=streaming))
        reply = await asking.reply()
        chunks = [chunk.text for chunk in asking.ear.all(TextChunk)]
        assert chunks == (["One", " two", " three"] if streaming else ["One two three"])
        assert asking.ear.text == reply.text
        assert asking.ear.all(Usage) == [reply.usage]

    scene(stage, act)


@STREAMING
def test_begun_and_delivered_come_before_the_first_word(stage: Stage, streaming: bool) -> None:
    async def act() -> None:
        stage.will_say("Hello")
        asking = Asking(stage.provider, question(streaming=streaming))
        await asking.reply()
        kinds = [type(event) for event in asking.ear.events]
        assert kinds == [RequestBegun, RequestDelivered, TextChunk, Usage]

    scene(stage, act)


@STREAMING
def test_a_tool_call_arrives_whole_with_the_thought_before_it(
    stage: Stage, streaming: bool
) -> None:
    async def act() -> None:
        stage.will_call("look", '{"where": "there"}')
        asking = Asking(stage.provider, question(streaming=streaming))
        reply = await asking.reply()
        (call,) = reply.tool_calls
        assert (call.call_id, call.name, call.arguments) == (
            "call_1",
            "look",
            '{"where": "there"}',
        )
        assert reply.reasoning == "Hm"
        assert reply.finish_reason == "tool_calls"
        assert asking.ear.all(ToolCallChunk)

    scene(stage, act)


@STREAMING
def test_a_cancelled_token_asks_nobody(stage: Stage, streaming: bool) -> None:
    async def act() -> None:
        token, ear = CancelToken(), Ear()
        token.cancel(StopReason.PERSON)
        with pytest.raises(Cancelled):
            await stage.provider.stream(question(streaming=streaming), token, ear)
        assert ear.events == []
        assert stage.requests() == 0

    scene(stage, act)


@STREAMING
def test_stop_in_mid_answer_is_a_cancellation_and_nothing_else(
    stage: Stage, streaming: bool
) -> None:
    async def act() -> None:
        stage.will_pause_after("One two")
        asking = Asking(stage.provider, question(streaming=streaming))
        await stage.paused()
        if streaming:
            await asking.ear.until(lambda ear: ear.text == "One two")
        heard = len(asking.ear.events)
        asking.stop()
        with pytest.raises(Cancelled) as caught:
            await asking.reply()
        assert caught.value.reason is StopReason.PERSON
        assert len(asking.ear.events) == heard
        assert stage.requests() == 1

    scene(stage, act)


def test_stop_from_another_thread_ends_the_answer(stage: Stage) -> None:
    async def act() -> None:
        stage.will_pause_after("One")
        asking = Asking(stage.provider)
        await stage.paused()
        spawn_thread("stop", asking.stop)
        with pytest.raises(Cancelled):
            await asking.reply()

    scene(stage, act)


def test_stop_in_the_moment_of_a_word_says_no_further_word(stage: Stage) -> None:
    async def act() -> None:
        stage.will_say("One two three")
        token, heard = CancelToken(), list[str]()

        def stop_at_the_second_word(event: object) -> None:
            if isinstance(event, TextChunk):
                heard.append(event.text)
                if len(heard) == 2:
                    token.cancel(StopReason.PERSON)

        with pytest.raises(Cancelled):
            await stage.provider.stream(question(), token, stop_at_the_second_word)
        assert heard == ["One", " two"]

    scene(stage, act)


def test_stop_after_the_answer_changes_nothing(stage: Stage) -> None:
    async def act() -> None:
        stage.will_say("One")
        stage.will_say("Two")
        first = Asking(stage.provider)
        reply = await first.reply()
        first.stop()
        assert reply.text == "One"
        assert (await ask(stage.provider)).text == "Two"

    scene(stage, act)


def test_an_answer_that_breaks_off_is_a_problem_and_its_words_were_told(stage: Stage) -> None:
    async def act() -> None:
        stage.will_fail_after("One two")
        asking = Asking(stage.provider)
        assert (await asking.problem()).kind is ProblemKind.BROKEN_OFF
        assert asking.ear.text == "One two"

    scene(stage, act)


def test_two_answers_at_once_do_not_mix(stage: Stage) -> None:
    async def act() -> None:
        stage.will_say("One one one")
        stage.will_say("Two two two")
        first, second = Asking(stage.provider), Asking(stage.provider)
        texts = {(await first.reply()).text, (await second.reply()).text}
        assert texts == {"One one one", "Two two two"}
        assert {first.ear.text, second.ear.text} == texts

    scene(stage, act)


def test_a_provider_answers_again_after_a_stop_and_after_a_failure(stage: Stage) -> None:
    async def act() -> None:
        stage.will_pause_after("One")
        stage.will_fail_after("Two")
        stage.will_say("Three")
        stopped = Asking(stage.provider)
        await stage.paused()
        stopped.stop()
        with pytest.raises(Cancelled):
            await stopped.reply()
        await Asking(stage.provider).problem()
        assert (await ask(stage.provider)).text == "Three"

    scene(stage, act)


def test_cancelling_the_asking_task_itself_is_a_plain_cancellation(stage: Stage) -> None:
    async def act() -> None:
        stage.will_pause_after("One")
        asking = Asking(stage.provider)
        await stage.paused()
        asking.task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asking.task

    scene(stage, act)
