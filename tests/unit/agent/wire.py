"""The real provider against the fake server, for whole conversations."""

import asyncio
import socket
from collections.abc import Iterator
from contextlib import contextmanager

import psutil

from app.agent.provider import Provider
from app.agent.providers.build import build_provider
from app.core.settings import Endpoint
from tests.fakes.log import LIMIT_S
from tests.fakes.server import FakeServer

MODEL = "fake-model"


def asking(*urls: str, user_after_tool: bool = True) -> Provider:
    """Make the provider that the app would make for these servers, in order."""
    endpoints = [Endpoint(base_url=u, model=MODEL, user_after_tool=user_after_tool) for u in urls]
    return build_provider(endpoints, lambda _: None)


def asked_texts(server: FakeServer, index: int = -1) -> list[str]:
    """List what the person said, as a request carried it."""
    messages = server.log.chats[index].messages
    return [message["content"] for message in messages if message["role"] == "user"]


@contextmanager
def deaf_server() -> Iterator[int]:
    """Listen without ever accepting, with a full backlog: a connect gets no answer."""
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        listening.listen(0)
        port = listening.getsockname()[1]
        fillers = [_knock(port) for _ in range(4)]
        try:
            yield port
        finally:
            for filler in fillers:
                filler.close()


def _knock(port: int) -> socket.socket:
    filler = socket.socket()
    filler.setblocking(False)  # noqa: FBT003 - the standard library's own way
    filler.connect_ex(("127.0.0.1", port))
    return filler


def connecting_to(port: int) -> int:
    """Count this process's sockets on their way to a port."""
    found = psutil.Process().net_connections("tcp4")
    under_way = [c for c in found if c.status == psutil.CONN_SYN_SENT]
    return len([c for c in under_way if tuple(c.raddr) == ("127.0.0.1", port)])


async def until_connecting_to(port: int, more_than: int) -> None:
    """Wait until there are more sockets on their way to a port."""
    async with asyncio.timeout(LIMIT_S):
        while connecting_to(port) <= more_than:  # noqa: ASYNC110 - the kernel tells nobody
            await asyncio.sleep(0.001)
