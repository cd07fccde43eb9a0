"""A real OpenAI-compatible server on loopback that misbehaves on request.

It serves `/v1/chat/completions` (streaming and not) and `/v1/models`, on a thread and loop of its
own. Nobody told it what to say: it answers with the last user message and some Markdown, always
in the same words, so that the app can be tried with it:

    python -P -m tests.fakes.server [--port N] [--rate CHUNKS_PER_SECOND] [--key KEY]

prints `{"url": "http://127.0.0.1:PORT/v1"}` and runs until its stdin ends or it is killed.

Every history is checked as strict servers do (tests/fakes/history.py); a bad one gets a 400 and
is kept in the log. A test in the same process uses `FakeServer` directly:

    with FakeServer() as server:
        server.script(gated("Hello", " world"))
        ...
        await server.log.until(lambda log: log.gates_reached)
        server.release("gate")

From another process the same goes through JSON: `POST /_script` (a list of answers, see
tests/fakes/script.py), `POST /_release` (`{"gate": …, "times": …}`), `POST /_options`
(`{"user_after_tool": …, "rate": …, "models": […], …}`), `POST /_close_idle`, `POST /_clear`,
`GET /_log`.
"""

import argparse
import asyncio
import json
import ssl
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterable
from typing import Any, Self

from tests.fakes.connection import Connection
from tests.fakes.echo import echo_answer, last_user_text
from tests.fakes.history import violations
from tests.fakes.log import LIMIT_S, Log, SeenRequest
from tests.fakes.respond import Gates, Responder
from tests.fakes.script import Answer, answer_from_json, error_body, failing, saying

OPTIONS = ("models", "models_gate", "key", "user_after_tool", "prefill", "rate")


class FakeServer:
    """Starts with `with`; everything the client did is in `log`."""

    def __init__(
        self,
        *,
        port: int = 0,
        rate: float = 0.0,
        key: str | None = None,
        tls: ssl.SSLContext | None = None,
    ) -> None:
        self.log = Log()
        self.models: list[str] = ["fake-model", "other-model"]
        self.windows: dict[str, int] = {}  # what some of them can read
        self.models_gate = ""  # when set, the list of models waits at this gate
        self.key = key  # when set, requests without it get a 401
        self.user_after_tool = True  # False: refuse a user message after a tool result
        self.prefill = False  # True: accept a history that ends with an assistant message
        self.rate = rate  # of the answers that nobody scripted
        self.greeting = b""  # when set, sent to every connection before anything else
        self.default: Answer | None = None  # instead of the echo
        self.url = ""
        self._port = port
        self._tls = tls
        self._answers: deque[Answer] = deque()
        self._gates = Gates(self.log)
        self._connections: set[Connection] = set()
        self._loop = asyncio.new_event_loop()
        self._started = threading.Event()
        self._thread = threading.Thread(target=self._run, name="fake-server", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        assert self._started.wait(LIMIT_S)
        return self

    def __exit__(self, *_: object) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(LIMIT_S)
        assert not self._thread.is_alive()

    @property
    def host(self) -> str:
        """Host and port."""
        return self.url.split("/")[2]

    def script(self, *answers: Answer) -> None:
        """Queue answers, one per chat request."""
        self._answers.extend(answers)

    def clear(self) -> None:
        """Forget what was asked, and what was still to be answered."""
        self._answers.clear()
        self.log.clear()

    def release(self, gate: str = "gate", times: int = 1) -> None:
        """Let an answer that waits at a gate go on, or one that will."""
        self._loop.call_soon_threadsafe(self._gates.release, gate, times)

    def close_idle(self) -> None:
        """Close the connections on which nothing is being answered."""
        self._on_loop(lambda: self._hang_up([c for c in self._connections if c.is_idle]))

    def close_all(self) -> None:
        """Close every connection."""
        self._on_loop(lambda: self._hang_up(list(self._connections)))

    def _on_loop(self, call: Callable[[], None]) -> None:
        done = threading.Event()
        self._loop.call_soon_threadsafe(call)
        self._loop.call_soon_threadsafe(done.set)
        assert done.wait(LIMIT_S)

    def _hang_up(self, connections: Iterable[Connection]) -> None:
        for connection in connections:
            connection.hang_up()

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        listening = self._loop.run_until_complete(
            self._loop.create_server(self._connected, "127.0.0.1", self._port, ssl=self._tls)
        )
        port = listening.sockets[0].getsockname()[1]
        self.url = f"{'https' if self._tls else 'http'}://127.0.0.1:{port}/v1"
        self._started.set()
        self._loop.run_forever()
        # No more are accepted, but the server stays: asyncio drops a connection that it has
        # accepted and not yet wrapped, without closing it, when its server is gone by then.
        self._loop.remove_reader(listening.sockets[0].fileno())
        self._loop.run_until_complete(self._let_go())
        listening.close()
        self._loop.close()

    async def _let_go(self) -> None:
        await asyncio.sleep(0)  # the last ones accepted are wrapped
        await asyncio.sleep(0)  # and made known
        self._hang_up(list(self._connections))
        while tasks := asyncio.all_tasks() - {asyncio.current_task()}:
            for task in tasks:
                task.cancel()
            await asyncio.wait(tasks)
        await asyncio.sleep(0)  # connection_lost of the connections just closed

    def _connected(self) -> Connection:
        return Connection(self.log, self._handle, self._connections, self.greeting)

    async def _handle(self, connection: Connection, request: SeenRequest) -> None:
        if request.path.startswith("/_"):
            self._control(connection, request)
        elif self.key is not None and request.headers.get("authorization") != f"Bearer {self.key}":
            refused = error_body("Incorrect API key provided.", code="invalid_api_key")
            connection.send_json(json.loads(refused), 401)
        elif (request.method, request.path) == ("GET", "/v1/models"):
            if self.models_gate:
                await self._gates.pass_through(self.models_gate)
            connection.send_json({"object": "list", "data": [self._model(n) for n in self.models]})
        elif (request.method, request.path) == ("POST", "/v1/chat/completions"):
            await self._chat(connection, request)
        else:
            connection.send_json({"detail": "Not Found"}, 404)

    def _model(self, name: str) -> dict[str, Any]:
        known = {"context_length": self.windows[name]} if name in self.windows else {}
        return {"id": name, "object": "model", **known}

    async def _chat(self, connection: Connection, request: SeenRequest) -> None:
        body = request.body if isinstance(request.body, dict) else {}
        messages = body.get("messages")
        request.violations = violations(
            messages, user_after_tool=self.user_after_tool, prefill=self.prefill
        )
        if not isinstance(body.get("model"), str) or not body["model"]:
            request.violations.append("no model is named")
        answer = self._next_answer(messages)
        if request.violations:
            answer = failing(400, f"Invalid history: {request.violations[0]}")
        responder = Responder(connection, self._gates, str(body.get("model")))
        await responder.answer(answer, streaming=bool(body.get("stream")))

    def _next_answer(self, messages: Any) -> Answer:
        asked = last_user_text(messages) if isinstance(messages, list) else ""
        for answer in self._answers:
            if answer.when in asked:
                self._answers.remove(answer)
                return answer
        return self.default or saying(echo_answer(messages), rate=self.rate)

    def _control(self, connection: Connection, request: SeenRequest) -> None:
        match request.path:
            case "/_script":
                self.script(*(answer_from_json(answer) for answer in request.body))
            case "/_release":
                self._gates.release(request.body["gate"], request.body.get("times", 1))
            case "/_options":
                for name in OPTIONS:
                    setattr(self, name, request.body.get(name, getattr(self, name)))
            case "/_close_idle":
                self._hang_up([c for c in self._connections if c.is_idle])
            case "/_clear":
                self.log.clear()
            case _:
                pass
        connection.send_json(self.log.as_json() if request.path == "/_log" else {})


def main() -> None:
    """Serve until stdin ends."""
    parser = argparse.ArgumentParser(description="A fake OpenAI-compatible server.")
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--rate", type=float, default=30.0)
    parser.add_argument("--key", default=None)
    chosen = parser.parse_args()
    with FakeServer(port=chosen.port, rate=chosen.rate, key=chosen.key) as server:
        sys.stdout.write(json.dumps({"url": server.url}) + "\n")
        sys.stdout.flush()
        sys.stdin.read()


if __name__ == "__main__":
    main()
