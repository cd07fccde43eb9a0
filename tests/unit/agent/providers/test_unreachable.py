"""Servers that cannot be reached, or fall silent."""

import asyncio
import socket

import pytest

from app.agent.providers.http import HttpProvider
from app.agent.providers.timeouts import Timeouts
from app.core.errors import ProblemKind
from app.core.settings import Endpoint
from tests.fakes.listeners import FullListener
from tests.fakes.script import (
    Answer,
    Done,
    Finish,
    Gate,
    Stall,
    Text,
)
from tests.fakes.server import FakeServer
from tests.harness.loops import play
from tests.unit.agent.providers.asking import (
    Asking,
    problem_with,
    provider_at,
    question,
    until_closed,
)

K = ProblemKind


def test_a_refused_connection_names_the_host() -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        port = unused.getsockname()[1]

    async def act() -> None:
        found = await problem_with(provider_at(f"http://127.0.0.1:{port}/v1"))
        assert found.kind is K.UNREACHABLE
        assert found.params["host"] == f"127.0.0.1:{port}"

    play(act())


def test_a_connection_that_never_comes_about_is_given_up() -> None:
    async def act(full: FullListener) -> None:
        provider = provider_at(full.url, timeouts=Timeouts(connect_s=0.05))
        assert (await problem_with(provider)).kind is K.UNREACHABLE
        await provider.aclose()

    with FullListener() as full:
        play(act(full))


@pytest.mark.parametrize(("routed", "kind"), [(True, K.NO_SUCH_HOST), (False, K.NO_NETWORK)])
def test_a_name_that_does_not_resolve_depends_on_the_network(
    routed: bool, kind: ProblemKind
) -> None:
    endpoint = Endpoint(base_url="https://model.example/v1", model="m")

    async def act() -> None:
        provider = HttpProvider(endpoint, None, has_route=lambda: routed)
        assert (await problem_with(provider)).kind is kind

    play(act())


@pytest.fixture
def far_away(server: FakeServer, monkeypatch: pytest.MonkeyPatch) -> str:
    """Give the server a name that looks remote, and its own address."""
    port = int(server.host.rpartition(":")[2])
    info = (socket.AF_INET, socket.SOCK_STREAM, 6, "", ("127.0.0.1", port))
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: [info])
    return f"http://model.example:{port}/v1"


SHORT = Timeouts(silence_s=0.05, whole_s=0.05)


@pytest.mark.parametrize("streaming", [True, False], ids=["streaming", "whole"])
def test_a_remote_server_that_falls_silent_is_given_up(
    server: FakeServer, far_away: str, streaming: bool
) -> None:
    async def act() -> None:
        server.script(Answer(steps=(Text("One"), Stall())))
        provider = provider_at(far_away, timeouts=SHORT)
        found = await problem_with(provider, question(streaming=streaming))
        assert found.kind is K.SILENT
        assert found.params["model"] == "m"
        await until_closed(server)
        await provider.aclose()

    play(act())


def test_a_local_server_may_think_as_long_as_it_likes(server: FakeServer) -> None:
    async def act() -> None:
        server.script(Answer(steps=(Text("One"), Gate("there"), Finish(), Done())))
        provider = provider_at(server.url, timeouts=SHORT)
        asking = Asking(provider)
        done, _ = await asyncio.wait({asking.task}, timeout=SHORT.silence_s * 6)
        assert not done
        server.release("there")
        assert (await asking.reply()).text == "One"
        await provider.aclose()

    play(act())
