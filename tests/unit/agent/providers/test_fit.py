"""What does not fit is said before it is sent, and what may fit is sent."""

from app.agent.provider import ChatRequest, Usage
from app.agent.providers.fit import Fit
from app.agent.providers.http import HttpProvider
from app.agent.providers.omitting import OmittingProvider
from app.core.errors import ProblemKind
from app.core.messages import Role
from app.core.settings import Endpoint
from app.core.wording import sentence
from tests.fakes.script import Answer, Done, Finish, Text, error_body
from tests.fakes.script import Usage as Counted
from tests.fakes.server import FakeServer
from tests.harness.loops import play
from tests.unit.agent.providers.asking import ask, message, problem_with, question


def small(server: FakeServer, window: int | None = 100) -> HttpProvider:
    return HttpProvider(
        Endpoint(base_url=server.url, model="m", context_window=window),
        None,
        has_route=lambda: True,
    )


def test_a_request_that_cannot_fit_is_not_sent_and_says_by_how_much(server: FakeServer) -> None:
    async def act() -> None:
        provider = small(server)
        problem = await problem_with(provider, question("word " * 400))
        assert problem.kind is ProblemKind.TOO_LONG
        assert problem.params["limit"] == 100
        assert "403 of 100" in sentence(problem)
        await provider.aclose()

    play(act())
    assert server.log.chats == []


def test_a_request_that_may_fit_is_sent_whole(server: FakeServer) -> None:
    async def act() -> None:
        provider = small(server)
        words = "word " * 95
        await ask(provider, question(words))
        await provider.aclose()
        assert server.log.chats[0].body["messages"][0]["content"] == words

    play(act())


def test_a_servers_own_count_makes_the_next_judgement_exact(server: FakeServer) -> None:
    async def act() -> None:
        provider = small(server, window=500)
        server.script(Answer(steps=(Text("Yes"), Finish(), Counted(prompt=500), Done())))
        await ask(provider, question("字" * 500))
        problem = await problem_with(provider, question("字" * 600))
        assert problem.kind is ProblemKind.TOO_LONG
        await provider.aclose()

    play(act())
    assert len(server.log.chats) == 1


def test_the_limit_that_a_server_names_is_remembered(server: FakeServer) -> None:
    said = "This model's maximum context length is 4096 tokens, you sent 90000 tokens."

    async def act() -> None:
        provider = small(server, window=None)
        server.script(Answer(status=400, body=error_body(said)))
        long = question("word " * 90_000)
        assert (await problem_with(provider, long)).params["limit"] == 4096
        assert (await problem_with(provider, long)).params["limit"] == 4096
        await provider.aclose()

    play(act())
    assert len(server.log.chats) == 1


def test_a_short_request_teaches_nothing_about_text() -> None:
    fit = Fit(100)
    fit.learn(question("hi"), Usage(prompt_tokens=60, completion_tokens=1))
    assert fit.excess(question("word " * 90)) is None


def test_what_was_left_out_is_not_sent_and_the_rest_is(server: FakeServer) -> None:
    old, answer, new = (
        message(Role.USER, text="old"),
        message(Role.ASSISTANT, text="answered"),
        message(Role.USER, text="new"),
    )

    async def act() -> None:
        provider = OmittingProvider(small(server), lambda: frozenset({old.id, answer.id}))
        await ask(provider, ChatRequest(messages=(old, answer, new)))
        await provider.aclose()

    play(act())
    assert [m["content"] for m in server.log.chats[0].body["messages"]] == ["new"]
