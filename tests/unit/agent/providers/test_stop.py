"""Stop in every phase of a request: the server sees the close, and nobody is asked again."""

import asyncio
import random

import psutil
import pytest

from app.agent.provider import FallbackAnnounced, Provider, RetryAnnounced
from app.agent.providers.fallback import FallbackProvider
from app.agent.providers.http import HttpProvider
from app.agent.providers.retry import RetryingProvider
from app.core.settings import Endpoint
from app.core.tokens import Cancelled
from tests.fakes.listeners import FullListener
from tests.fakes.script import Answer, Gate, Reset, Stall, Text, failing, saying
from tests.fakes.server import FakeServer
from tests.harness.loops import pass_ticks, play
from tests.unit.agent.providers.asking import Asking, ask, provider_at, question, until_closed

ROUNDS = 200


def retrying(provider: Provider, *, wait_s: float = 0.0) -> RetryingProvider:
    return RetryingProvider(provider, jitter=lambda: 0.5, first_wait_s=wait_s)


async def ends_cancelled(asking: Asking) -> None:
    asking.stop()
    heard = len(asking.ear.events)
    with pytest.raises(Cancelled):
        await asking.reply()
    assert asking.ear.events[heard:] == []
    assert asyncio.all_tasks() == {asyncio.current_task()}, "something still runs"


def connections_to(port: int) -> list[str]:
    """List the states of this process's sockets that lead to a port."""
    found = psutil.Process().net_connections(kind="tcp")
    return [str(c.status) for c in found if getattr(c.raddr, "port", None) == port]


def test_stop_while_connecting_leaves_no_socket() -> None:
    async def act(full: FullListener, waiting: int) -> None:
        provider = provider_at(full.url)
        asking = Asking(retrying(provider))
        async with asyncio.timeout(20):
            while connections_to(full.port).count(psutil.CONN_SYN_SENT) == waiting:
                await pass_ticks(1)
        await ends_cancelled(asking)
        assert connections_to(full.port).count(psutil.CONN_SYN_SENT) == waiting
        assert asking.ear.all(RetryAnnounced) == []
        await provider.aclose()

    with FullListener() as full:
        play(act(full, connections_to(full.port).count(psutil.CONN_SYN_SENT)))


def test_stop_in_the_tls_handshake_closes_the_connection(server: FakeServer) -> None:
    # The server waits for a request and will never answer the handshake.
    async def act() -> None:
        provider = provider_at(server.url.replace("http:", "https:"))
        asking = Asking(retrying(provider))
        await server.log.until(lambda log: log.connections and log.connections[0].received)
        await ends_cancelled(asking)
        await server.log.until(lambda log: not log.open_connections)
        assert len(server.log.connections) == 1
        await provider.aclose()

    play(act())


@pytest.mark.parametrize("streaming", [True, False], ids=["streaming", "whole"])
@pytest.mark.parametrize(
    "answer",
    [
        Answer(before=(Gate("there"),)),
        Answer(steps=(Text("One two"), Gate("there"))),
        Answer(steps=(Gate("there"), Stall())),
    ],
    ids=["before the head", "mid-stream", "in a stall"],
)
def test_stop_while_waiting_for_the_server_closes_the_connection(
    server: FakeServer, answer: Answer, streaming: bool
) -> None:
    async def act() -> None:
        server.script(answer)
        provider = provider_at(server.url)
        asking = Asking(retrying(provider), question(streaming=streaming))
        await server.log.until(lambda log: log.gates_reached)
        await ends_cancelled(asking)
        await until_closed(server)
        assert len(server.log.chats) == 1
        assert asking.ear.all(RetryAnnounced) == []
        await provider.aclose()

    play(act())


def test_stop_while_the_model_list_is_awaited_sends_no_chat() -> None:
    async def act(full: FakeServer) -> None:
        full.models_gate = "list"
        provider = HttpProvider(Endpoint(base_url=full.url), None)
        asking = Asking(retrying(provider))
        await full.log.until(lambda log: log.gates_reached)
        await ends_cancelled(asking)
        await full.log.until(lambda log: not log.open_connections)
        assert full.log.chats == []
        await provider.aclose()

    with FakeServer() as server:
        play(act(server))


def test_stop_in_a_retry_wait_asks_nobody_again(server: FakeServer) -> None:
    async def act() -> None:
        server.script(failing(503))
        provider = provider_at(server.url)
        asking = Asking(retrying(provider, wait_s=3600))
        await asking.ear.until(lambda ear: ear.all(RetryAnnounced))
        await ends_cancelled(asking)
        assert len(server.log.chats) == 1
        await provider.aclose()

    play(act())


def test_stop_in_the_moment_of_a_failure_is_not_announced_as_a_retry(server: FakeServer) -> None:
    # The reset and the Stop meet: whichever the code sees first, the person asked for the end.
    async def act() -> None:
        provider = provider_at(server.url)
        for ticks in range(12):
            server.script(Answer(before=(Gate("there"), Reset())))
            asking = Asking(retrying(provider))
            await server.log.until(lambda log: log.gates_reached)
            server.log.gates_reached.clear()
            server.release("there")
            await server.log.until(lambda log: log.chats[-1].connection.closed_at)
            await pass_ticks(ticks)
            announced = len(asking.ear.all(RetryAnnounced))
            asking.stop()
            with pytest.raises(Cancelled):
                await asking.reply()
            assert len(asking.ear.all(RetryAnnounced)) == announced
        await provider.aclose()

    play(act())


def test_stop_in_a_fallback_closes_its_connection_and_tries_no_third(server: FakeServer) -> None:
    async def act() -> None:
        server.script(failing(402), Answer(steps=(Text("One"), Gate("there"))))
        asked = [provider_at(server.url, model=name) for name in ("a", "b", "c")]
        asking = Asking(FallbackProvider([retrying(provider) for provider in asked]))
        await server.log.until(lambda log: log.gates_reached)
        await ends_cancelled(asking)
        await until_closed(server)
        assert [chat.body["model"] for chat in server.log.chats] == ["a", "b"]
        assert len(asking.ear.all(FallbackAnnounced)) == 1
        for provider in asked:
            await provider.aclose()

    play(act())


def test_no_connection_is_left_after_stops_at_random_moments(server: FakeServer) -> None:
    async def act() -> None:
        provider = provider_at(server.url)
        chance = random.Random(20261118)
        port = int(server.host.rpartition(":")[2])
        await ask(provider)
        for _ in range(ROUNDS):
            asking = Asking(provider, question(streaming=chance.random() < 0.8))
            await pass_ticks(chance.randrange(60))
            asking.stop()
            try:
                await asking.reply()
            except Cancelled:
                continue
        assert (await ask(provider)).text.startswith("One")
        pooled = provider._wire.value._http._transport._inner._pool.connections  # type: ignore[union-attr]
        assert len(pooled) == 1
        assert all(connection.is_idle() for connection in pooled)
        assert connections_to(port).count(psutil.CONN_ESTABLISHED) == 1
        await server.log.until(lambda log: len(log.open_connections) == 1)
        await provider.aclose()
        await server.log.until(lambda log: not log.open_connections)

    server.default = saying("One two three four five six seven eight nine ten")
    play(act())
