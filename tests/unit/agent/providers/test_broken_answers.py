"""Every way in which an answer can break, and what the provider makes of it."""

import pytest

from app.agent.providers.timeouts import Timeouts
from app.core.errors import Problem, ProblemKind
from tests.fakes.script import (
    Answer,
    Chunk,
    Delta,
    Done,
    End,
    Fin,
    Finish,
    Raw,
    Reset,
    Stall,
    Step,
    Text,
    Usage,
    error_body,
)
from tests.fakes.server import FakeServer
from tests.harness.loops import play
from tests.unit.agent.providers.asking import (
    Asking,
    ask,
    problem_with,
    provider_at,
    question,
    until_closed,
)

K = ProblemKind


def kind_of(server: FakeServer, answer: Answer, *, streaming: bool = True) -> Problem:
    """Ask once and give the problem that the answer became."""

    async def act() -> Problem:
        server.script(answer)
        provider = provider_at(server.url)
        try:
            return await problem_with(provider, question(streaming=streaming))
        finally:
            await provider.aclose()

    return play(act())


BROKEN: dict[str, tuple[tuple[Step, ...], ProblemKind]] = {
    "reset before a word": ((Reset(),), K.BROKEN_OFF),
    "closed inside a chunk": ((Text("One"), Fin(mid_chunk=True)), K.BROKEN_OFF),
    "reset inside a chunk": ((Text("One"), Reset(mid_chunk=True)), K.BROKEN_OFF),
    "ended without a finish": ((Text("One"), End()), K.BROKEN_OFF),
    "nothing at all": ((), K.BROKEN_OFF),
    "only [DONE]": ((Done(),), K.BROKEN_OFF),
    "usage and no finish": ((Text("One"), Usage()), K.BROKEN_OFF),
    "no JSON": ((Text("One"), Raw("data: {oops\n\n")), K.BAD_REPLY),
    "no UTF-8": ((Text("One"), Raw("data: \xff\xfe\n\n")), K.BAD_REPLY),
    "no object": ((Chunk([1, 2]),), K.BAD_REPLY),
    "nested beyond reason": ((Raw("data: " + "[" * 100_000 + "\n\n"),), K.BAD_REPLY),
    "no events": ((Raw("Hello, I am a teapot.\n"),), K.BAD_REPLY),
    "a nameless tool call": (
        (Delta({"tool_calls": [{"index": 0, "id": "a"}]}), Finish(), Done()),
        K.BAD_REPLY,
    ),
    "an error inside": ((Chunk({"error": {"message": "Boom", "code": 502}}),), K.SERVER_FAULT),
    "a limit inside": ((Chunk({"error": {"message": "Slow", "code": 429}}),), K.RATE_LIMITED),
    "a plain error inside": ((Chunk({"error": "Boom"}),), K.SERVER_FAULT),
    "vLLM's error inside": ((Chunk({"object": "error", "message": "Boom"}),), K.SERVER_FAULT),
    "finished by an error": ((Text("One"), Finish("error")), K.SERVER_FAULT),
}


@pytest.mark.parametrize(("steps", "kind"), BROKEN.values(), ids=BROKEN.keys())
def test_a_broken_stream_is_a_problem_of_its_kind(
    server: FakeServer, steps: tuple[Step, ...], kind: ProblemKind
) -> None:
    assert kind_of(server, Answer(steps=steps)).kind is kind


WHOLE: dict[str, tuple[Answer, ProblemKind]] = {
    "a web page": (Answer(body="<html>Hi</html>", content_type="text/html"), K.BAD_REPLY),
    "plain words": (Answer(body="Hi", content_type="text/plain"), K.BAD_REPLY),
    "JSON of another kind": (Answer(body='{"hello": 1}'), K.BAD_REPLY),
    "a JSON list": (Answer(body="[]"), K.BAD_REPLY),
    "half a JSON": (Answer(body='{"choices": ['), K.BAD_REPLY),
    "an empty body": (Answer(body=""), K.BAD_REPLY),
    "an error in a 200": (Answer(body=error_body("Boom")), K.SERVER_FAULT),
    "not even HTTP": (Answer(before=(Raw("\x15\x03\x01\r\n\r\n"), Fin())), K.BAD_REPLY),
    "closed without a byte": (Answer(before=(Fin(),)), K.BROKEN_OFF),
    "reset without a byte": (Answer(before=(Reset(),)), K.BROKEN_OFF),
}


@pytest.mark.parametrize("streaming", [True, False], ids=["streaming", "whole"])
@pytest.mark.parametrize(("answer", "kind"), WHOLE.values(), ids=WHOLE.keys())
def test_a_body_that_is_no_answer_is_a_problem_of_its_kind(
    server: FakeServer, answer: Answer, kind: ProblemKind, streaming: bool
) -> None:
    assert kind_of(server, answer, streaming=streaming).kind is kind


def test_a_whole_answer_is_taken_though_a_stream_was_asked_for(server: FakeServer) -> None:
    body = '{"choices": [{"message": {"content": "One"}, "finish_reason": "stop"}]}'

    async def act() -> None:
        server.script(Answer(body=body))
        provider = provider_at(server.url)
        assert (await ask(provider)).text == "One"
        await provider.aclose()

    play(act())


@pytest.mark.parametrize(
    "steps",
    [
        (Text("One"), Finish(), End()),
        (Text("One"), Done()),
        (Text("One"), Finish(), Reset(mid_chunk=True)),
        (Text("One"), Finish(), Raw("data: {oops\n\n")),
        (Text("One"), Finish(), Stall()),
        (Text("One"), Finish(), Done(), Stall()),
        (Text("One"), Done(), Stall()),
        (Text("One"), Finish(), Done(), Text("Two")),
    ],
    ids=[
        "no [DONE]",
        "no finish",
        "reset after it",
        "rubbish after it",
        "silence after it",
        "silence after [DONE]",
        "silence after [DONE] alone",
        "words after [DONE]",
    ],
)
def test_an_answer_that_was_ended_is_whole_whatever_follows(
    server: FakeServer, steps: tuple[Step, ...]
) -> None:
    async def act() -> None:
        server.script(Answer(steps=steps))
        provider = provider_at(server.url, timeouts=Timeouts(tail_s=0.05))
        asking = Asking(provider)
        assert (await asking.reply()).text == asking.ear.text == "One"
        await provider.aclose()
        await until_closed(server)

    play(act())
