"""One client's connection to the fake server: HTTP/1.1 by hand, so that it can be broken at will.

Lives on the server's loop. What is being answered is cancelled when the client goes away, and the
log has the moment it went.
"""

import asyncio
import json
import socket
import struct
import time
from collections.abc import Awaitable, Callable, Mapping
from http import HTTPStatus
from typing import Any

from tests.fakes.log import Log, SeenConnection, SeenRequest

Handler = Callable[["Connection", SeenRequest], Awaitable[None]]


class Connection(asyncio.Protocol):
    """Reads requests one after the other and writes whatever the handler wants."""

    def __init__(
        self,
        log: Log,
        handler: Handler,
        living: set["Connection"],
        greeting: bytes = b"",
    ) -> None:
        self._greeting = greeting
        self._log = log
        self._handler = handler
        self._living = living
        self._buffer = b""
        self._task: asyncio.Task[None] | None = None
        self._chunked = False
        self._transport: asyncio.Transport
        self.seen: SeenConnection

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Note the client."""
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        self.seen = self._log.opened()
        self._living.add(self)
        self._transport.write(self._greeting)

    def data_received(self, data: bytes) -> None:
        """Collect bytes until they are a request."""
        self._buffer += data
        self._log.heard(self.seen, len(data))
        self._serve_next()

    def eof_received(self) -> bool:
        """Note that the client closed."""
        self._log.closed(self.seen, "eof")
        return False

    def connection_lost(self, exc: Exception | None) -> None:
        """Note that the connection is gone, and stop answering."""
        self._log.closed(self.seen, "reset" if exc else "eof")
        self._living.discard(self)
        if self._task is not None:
            self._task.cancel()

    @property
    def is_idle(self) -> bool:
        """Say whether nothing is being answered."""
        return self._task is None

    def _serve_next(self) -> None:
        if self._task is None and (request := self._take_request()) is not None:
            if not request.path.startswith("/_"):
                self._log.asked(request)
            self._task = asyncio.get_running_loop().create_task(self._serve(request))

    async def _serve(self, request: SeenRequest) -> None:
        await self._handler(self, request)
        self._task = None
        self._serve_next()

    def _take_request(self) -> SeenRequest | None:
        head, separator, rest = self._buffer.partition(b"\r\n\r\n")
        if not separator:
            return None
        first, *lines = head.decode("latin-1").split("\r\n")
        headers = {name.lower(): value.strip() for name, _, value in map(_split, lines)}
        length = int(headers.get("content-length", "0"))
        if len(rest) < length:
            return None
        self._buffer = rest[length:]
        method, path, _ = first.split(" ")
        body = _parsed(rest[:length])
        return SeenRequest(method, path, headers, body, time.monotonic(), self.seen)

    def begin(self, status: int, headers: Mapping[str, str], length: int | None = None) -> None:
        """Send the head; without a length the body comes in chunks."""
        self._chunked = length is None
        framing = {"Transfer-Encoding": "chunked"} if self._chunked else {}
        if length is not None:
            framing = {"Content-Length": str(length)}
        lines = [f"{name}: {value}" for name, value in {**headers, **framing}.items()]
        phrase = _phrase(status)
        self._transport.write("\r\n".join([f"HTTP/1.1 {status} {phrase}", *lines, "", ""]).encode())

    def send(self, data: bytes) -> None:
        """Send a piece of the body."""
        framed = f"{len(data):x}\r\n".encode() + data + b"\r\n" if self._chunked else data
        if data:
            self._transport.write(framed)

    def send_raw(self, data: bytes) -> None:
        """Send bytes outside of any framing."""
        self._transport.write(data)

    def end(self) -> None:
        """End the body."""
        if self._chunked:
            self._transport.write(b"0\r\n\r\n")

    def send_json(self, data: Any, status: int = 200) -> None:
        """Send a whole answer."""
        body = json.dumps(data).encode()
        self.begin(status, {"Content-Type": "application/json"}, len(body))
        self.send(body)

    def hang_up(self, *, mid_chunk: bool = False) -> None:
        """Close; `mid_chunk` promises bytes that never come."""
        self._break_chunk(mid_chunk)
        self._log.closed(self.seen, "server")
        self._transport.close()

    def reset(self, *, mid_chunk: bool = False) -> None:
        """Reset the connection."""
        self._break_chunk(mid_chunk)
        self._log.closed(self.seen, "server")
        sock = self._transport.get_extra_info("socket")
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self._transport.abort()

    def _break_chunk(self, mid_chunk: bool) -> None:
        if mid_chunk and self._chunked:
            self._transport.write(b'ff\r\ndata: {"choices": [{"del')


def _split(line: str) -> tuple[str, str, str]:
    return line.partition(":")


def _phrase(status: int) -> str:
    try:
        return HTTPStatus(status).phrase
    except ValueError:
        return "Odd"


def _parsed(body: bytes) -> Any:
    try:
        return json.loads(body)
    except ValueError:
        return body.decode("latin-1")
