"""What the fake server saw: requests, connections, and when each of them closed.

Written on the server's thread, read on any. `wait_for` blocks a test's thread, `until` waits in a
test's loop; both give up with an AssertionError that shows the log.
"""

import asyncio
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

LIMIT_S = 20.0  # a bound against hanging, not a measure


@dataclass(slots=True)
class SeenConnection:
    """A connection: when it came, and when and how the client let it go."""

    id: int
    opened_at: float
    closed_at: float | None = None
    received: int = 0  # bytes
    how: str = ""  # "eof" or "reset" by the client, "server" by ourselves


@dataclass(slots=True)
class SeenRequest:
    """A request as it arrived."""

    method: str
    path: str
    headers: dict[str, str]
    body: Any
    at: float
    connection: SeenConnection
    violations: list[str] = field(default_factory=list)

    @property
    def messages(self) -> list[dict[str, Any]]:
        """The history it carried."""
        found: list[dict[str, Any]] = self.body["messages"]
        return found


class Log:
    """Everything the server saw, and ways to wait for more."""

    def __init__(self) -> None:
        self.requests: list[SeenRequest] = []
        self.connections: list[SeenConnection] = []
        self.gates_reached: list[str] = []
        self._changed = threading.Condition()
        self._watchers: list[Callable[[], None]] = []

    @property
    def chats(self) -> list[SeenRequest]:
        """The chat requests alone."""
        return [r for r in self.requests if r.path.endswith("/chat/completions")]

    @property
    def violations(self) -> list[str]:
        """Everything a strict server would have refused."""
        return [what for request in self.requests for what in request.violations]

    @property
    def open_connections(self) -> list[SeenConnection]:
        """The connections that are still there."""
        return [c for c in self.connections if c.closed_at is None]

    def opened(self) -> SeenConnection:
        """Note a new connection."""
        seen = SeenConnection(len(self.connections), time.monotonic())
        self._note(lambda: self.connections.append(seen))
        return seen

    def heard(self, connection: SeenConnection, size: int) -> None:
        """Note that bytes came."""

        def count() -> None:
            connection.received += size

        self._note(count)

    def asked(self, request: SeenRequest) -> None:
        """Note a request."""
        self._note(lambda: self.requests.append(request))

    def reached(self, gate: str) -> None:
        """Note that an answer waits at a gate."""
        self._note(lambda: self.gates_reached.append(gate))

    def closed(self, connection: SeenConnection, how: str) -> None:
        """Note that a connection ended; the first word on how counts."""
        if connection.closed_at is None:
            at = time.monotonic()

            def close() -> None:
                connection.closed_at, connection.how = at, how

            self._note(close)

    def clear(self) -> None:
        """Forget the requests and the gates; connections stay."""
        self._note(self.requests.clear)
        self._note(self.gates_reached.clear)

    def _note(self, change: Callable[[], object]) -> None:
        with self._changed:
            change()
            watchers = list(self._watchers)
            self._changed.notify_all()
        for watcher in watchers:
            watcher()

    def wait_for(self, holds: Callable[["Log"], object], limit_s: float = LIMIT_S) -> None:
        """Block until the log satisfies `holds`."""
        with self._changed:
            assert self._changed.wait_for(lambda: holds(self), limit_s), self.as_json()

    async def until(self, holds: Callable[["Log"], object], limit_s: float = LIMIT_S) -> None:
        """Wait in an event loop until the log satisfies `holds`."""
        loop, changed = asyncio.get_running_loop(), asyncio.Event()

        def watcher() -> None:
            loop.call_soon_threadsafe(changed.set)

        with self._changed:
            self._watchers.append(watcher)
        try:
            async with asyncio.timeout(limit_s):
                while not holds(self):
                    await changed.wait()
                    changed.clear()
        except TimeoutError:
            raise AssertionError(self.as_json()) from None
        finally:
            self._watchers.remove(watcher)

    def as_json(self) -> dict[str, Any]:
        """Write it down for `GET /_log` and for failed waits."""
        with self._changed:
            return {
                "requests": [_request_json(request) for request in self.requests],
                "connections": [_connection_json(seen) for seen in self.connections],
                "gates_reached": list(self.gates_reached),
            }


def _request_json(request: SeenRequest) -> dict[str, Any]:
    names = ("method", "path", "headers", "body", "at", "violations")
    plain = {name: getattr(request, name) for name in names}
    return {**plain, "connection": request.connection.id}


def _connection_json(seen: SeenConnection) -> dict[str, Any]:
    names = ("id", "opened_at", "closed_at", "received", "how")
    return {name: getattr(seen, name) for name in names}
