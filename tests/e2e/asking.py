"""`belay ask` started against the fake server, and what its tests ask of both."""

import json
from typing import Any

from tests.conftest import BelayStarter
from tests.fakes.server import FakeServer
from tests.harness.process import BelayProcess


class Asker:
    """Starts `belay ask` against the server."""

    def __init__(self, start: BelayStarter, server: FakeServer) -> None:
        self._start = start
        self._server = server

    def __call__(self, *args: str, stdin: str | None = "", **env: str) -> BelayProcess:
        """Ask; with None its standard input stays open and silent."""
        process = self._start("ask", *args, env={"OPENAI_BASE_URL": self._server.url, **env})
        if stdin is not None:
            process.write(stdin)
            process.close_stdin()
        return process


def finished(process: BelayProcess) -> tuple[int, str, str]:
    """Wait for the end: exit code, standard output, standard error."""
    code = process.wait()
    return code, process.stdout.read_to_end(), process.stderr.read_to_end()


def events(output: str) -> list[dict[str, Any]]:
    """Read JSON lines."""
    return [json.loads(line) for line in output.splitlines()]


def closed_by_client(server: FakeServer) -> None:
    """Wait until the client has closed the connection of the first chat."""
    server.log.wait_for(lambda log: log.chats and log.chats[0].connection.closed_at is not None)
    assert server.log.chats[0].connection.how in ("eof", "reset")
