"""The fence holds: what a test may reach, and what happens when it tries more."""

import asyncio
import socket

import pytest

from tests.harness.network import Fence, OutsideLoopbackError, is_local


@pytest.fixture
def fence(monkeypatch: pytest.MonkeyPatch) -> Fence:
    fence = Fence()
    fence.put_up(monkeypatch)
    return fence


@pytest.mark.parametrize("host", ["127.0.0.1", "127.8.8.8", "::1", "localhost", b"localhost", None])
def test_loopback_is_local(host: object) -> None:
    assert is_local(host)


@pytest.mark.parametrize("host", ["192.0.2.1", "2001:db8::1", "example.org", "0.0.0.0"])
def test_the_world_is_not_local(host: object) -> None:
    assert not is_local(host)


def test_connecting_to_loopback_works(fence: Fence) -> None:
    with (
        socket.create_server(("127.0.0.1", 0)) as server,
        socket.create_connection(server.getsockname()),
    ):
        server.accept()[0].close()
    assert fence.attempts == []


@pytest.mark.parametrize("method", ["connect", "connect_ex"])
def test_connecting_elsewhere_raises_and_is_remembered(fence: Fence, method: str) -> None:
    with socket.socket() as sock, pytest.raises(OutsideLoopbackError):
        getattr(sock, method)(("192.0.2.1", 80))
    assert fence.attempts == [("192.0.2.1", 80)]


def test_sending_a_datagram_elsewhere_raises(fence: Fence) -> None:
    with socket.socket(type=socket.SOCK_DGRAM) as sock, pytest.raises(OutsideLoopbackError):
        sock.sendto(b"x", ("192.0.2.1", 53))


def test_asyncio_is_fenced_too(fence: Fence) -> None:
    async def connect() -> None:
        await asyncio.open_connection("192.0.2.1", 80)

    with pytest.raises(OutsideLoopbackError):
        asyncio.run(connect())


def test_foreign_names_do_not_resolve(fence: Fence) -> None:
    with pytest.raises(socket.gaierror):
        socket.getaddrinfo("example.org", 80)
    assert fence.attempts == []
