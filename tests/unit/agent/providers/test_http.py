"""The provider against a real server: what it sends, and what it makes of every misbehaviour."""

import sys
import threading
from pathlib import Path

import pytest

from app.agent.provider import ChatRequest, RequestBegun, RequestDelivered, ToolSpec
from app.agent.providers.http import HttpProvider
from app.agent.providers.refusals import Refusals
from app.core.errors import ProblemKind
from app.core.messages import ImagePart, Role, TextPart
from app.core.settings import Endpoint
from app.core.wording import sentence
from tests.fakes.script import (
    Answer,
    Done,
    Finish,
    Gate,
    Text,
    failing,
    saying,
)
from tests.fakes.server import FakeServer
from tests.harness.loops import play
from tests.unit.agent.providers.asking import (
    Asking,
    ask,
    message,
    problem_with,
    provider_at,
    question,
)

K = ProblemKind


def test_the_first_listed_model_is_asked_when_none_is_named(server: FakeServer) -> None:
    async def act() -> None:
        provider = HttpProvider(Endpoint(base_url=server.url), None)
        assert provider.model == server.host
        replies = [await ask(provider), await ask(provider)]
        assert [reply.model for reply in replies] == ["fake-model", "fake-model"]
        assert provider.model == "fake-model"
        assert [request.path for request in server.log.requests] == [
            "/v1/models",
            "/v1/chat/completions",
            "/v1/chat/completions",
        ]
        await provider.aclose()

    play(act())


def test_a_server_without_models_is_a_problem(server: FakeServer) -> None:
    server.models = []

    async def act() -> None:
        provider = HttpProvider(Endpoint(base_url=server.url), None)
        found = await problem_with(provider)
        assert found.kind is K.NO_SUCH_MODEL
        assert sentence(found) == f"{server.host} has no model at all. Choose another."
        assert server.log.chats == []
        await provider.aclose()

    play(act())


def test_a_model_that_is_gone_is_looked_up_again(server: FakeServer) -> None:
    async def act() -> None:
        provider = HttpProvider(Endpoint(base_url=server.url), None)
        await ask(provider)
        server.models = ["new-model"]
        server.script(failing(404, "model 'fake-model' not found"))
        assert (await problem_with(provider)).params["model"] == "fake-model"
        assert (await ask(provider)).model == "new-model"
        await provider.aclose()

    play(act())


def test_connections_are_used_again(server: FakeServer) -> None:
    async def act() -> None:
        provider = provider_at(server.url)
        for streaming in (True, False, True):
            await ask(provider, question(streaming=streaming))
        assert len(server.log.connections) == 1
        await provider.aclose()

    play(act())


def test_delivered_is_told_before_the_server_answers(server: FakeServer) -> None:
    async def act() -> None:
        server.script(Answer(before=(Gate("there"),), steps=(Text("One"), Finish(), Done())))
        provider = provider_at(server.url)
        asking = Asking(provider)
        await asking.ear.until(lambda ear: ear.all(RequestDelivered))
        assert asking.ear.events == [RequestBegun(model="m"), RequestDelivered(model="m")]
        server.release("there")
        assert (await asking.reply()).text == "One"
        await provider.aclose()

    play(act())


def test_pictures_and_tools_arrive(server: FakeServer, tmp_path: Path) -> None:
    (tmp_path / "dot.png").write_bytes(b"\x89PNG")
    parts = (TextPart(text="See"), ImagePart(path="dot.png", media_type="image/png"))
    tool = ToolSpec(name="look", description="Looks.", parameters={"type": "object"})
    request = ChatRequest(messages=(message(Role.USER, *parts),), tools=(tool,))

    async def act() -> None:
        endpoint = Endpoint(base_url=server.url, model="m")
        provider = HttpProvider(endpoint, None, attachments=tmp_path)
        await ask(provider, request)
        (sent,) = server.log.chats
        assert (
            sent.messages[0]["content"][1]["image_url"]["url"] == "data:image/png;base64,iVBORw=="
        )
        assert sent.body["tools"][0]["function"]["name"] == "look"
        await provider.aclose()

    play(act())


def test_a_bad_address_is_a_problem_and_no_request() -> None:
    async def act() -> None:
        found = await problem_with(provider_at("htp:/nowhere"))
        assert found.kind is K.BAD_ADDRESS

    play(act())


def test_a_key_that_cannot_be_one_is_rejected_without_asking(server: FakeServer) -> None:
    async def act() -> None:
        found = await problem_with(provider_at(server.url, key="••••••"))
        assert found.kind is K.KEY_REJECTED
        assert server.log.connections == []

    play(act())


def test_a_real_refusal_is_one_request_and_the_servers_reason(server: FakeServer) -> None:
    async def act() -> None:
        server.script(failing(400, "messages:  too\n spicy"))
        provider = provider_at(server.url)
        found = await problem_with(provider)
        assert found.kind is K.BAD_REQUEST
        assert found.params["reason"] == "messages: too spicy."
        assert len(server.log.chats) == 1
        await provider.aclose()

    play(act())


@pytest.mark.parametrize(
    "refusal",
    [
        failing(400, "Unrecognized request argument supplied: stream_options"),
        Answer(
            status=422, body='{"detail": [{"loc": ["body", "stream_options"], "msg": "extra"}]}'
        ),
    ],
    ids=["400", "422"],
)
def test_a_refused_option_is_left_out_and_remembered(server: FakeServer, refusal: Answer) -> None:
    async def act() -> None:
        server.script(refusal, saying("One"), saying("Two"))
        refusals = Refusals()
        endpoint = Endpoint(base_url=server.url, model="m")
        for expected in ("One", "Two"):
            provider = HttpProvider(endpoint, None, refusals=refusals)
            assert (await ask(provider)).text == expected
            await provider.aclose()
        sent = ["stream_options" in chat.body for chat in server.log.chats]
        assert sent == [True, False, False]

    play(act())


def test_options_are_refused_one_by_one_and_a_limit_is_sent_by_its_newer_name(
    server: FakeServer,
) -> None:
    async def act() -> None:
        use = "'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead."
        server.script(failing(400, use), failing(400, "temperature does not fit"), saying("One"))
        endpoint = Endpoint(base_url=server.url, model="m", temperature=0.2, max_tokens=50)
        provider = HttpProvider(endpoint, None)
        assert (await ask(provider)).text == "One"
        names = ("temperature", "max_tokens", "max_completion_tokens")
        sent = [[chat.body.get(name) for name in names] for chat in server.log.chats]
        assert sent == [[0.2, 50, None], [0.2, None, 50], [None, None, 50]]
        await provider.aclose()

    play(act())


def test_a_server_that_refuses_the_same_option_twice_is_not_asked_a_third_time(
    server: FakeServer,
) -> None:
    async def act() -> None:
        server.default = failing(400, "stream_options is bad")
        provider = provider_at(server.url)
        assert (await problem_with(provider)).kind is K.BAD_REQUEST
        assert len(server.log.chats) == 2
        await provider.aclose()

    play(act())


def test_a_large_request_is_encoded_off_the_loop(
    server: FakeServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    threads = []
    encode = sys.modules["app.agent.providers.http"].encode

    def noting(*args: object, **kwargs: object) -> bytes:
        threads.append(threading.current_thread() is threading.main_thread())
        body: bytes = encode(*args, **kwargs)
        return body

    monkeypatch.setattr("app.agent.providers.http.encode", noting)

    async def act() -> None:
        provider = provider_at(server.url)
        server.script(saying("Long."))
        await ask(provider, question("x " * 400_000))
        await ask(provider, question("small"))
        assert threads == [False, True]
        await provider.aclose()

    play(act())
