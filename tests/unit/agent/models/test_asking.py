"""Lists, tests and finds on real sockets: what works is said, and what is wrong in words."""

import json
import socket
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest

from app.agent.models.check import check
from app.agent.models.discovery import Door, described, find_servers
from app.agent.models.listing import list_models
from app.agent.providers.http import HttpProvider
from app.core.errors import ProblemError, ProblemKind
from app.core.models import EndpointChecked, ModelInfo
from app.core.settings import Endpoint
from tests.fakes.script import Answer, Gate, Text, failing, saying
from tests.fakes.server import FakeServer
from tests.harness.loops import play

K = ProblemKind


@pytest.fixture
def server() -> Iterator[FakeServer]:
    with FakeServer() as running:
        yield running


def closed_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
    return port


def no_key(_: str) -> str | None:
    return None


def checked(endpoint: Endpoint, key: str | None = None, limit_s: float = 20.0) -> EndpointChecked:
    return play(check(endpoint, HttpProvider(endpoint, key), limit_s=limit_s))


def test_the_list_is_asked_with_the_key_of_its_address(server: FakeServer) -> None:
    asked: list[str] = []

    def key_for(base_url: str) -> str:
        asked.append(base_url)
        return "sk-for-this-server"

    models = play(list_models(server.url, key_for))
    assert [model.id for model in models]
    assert asked == [server.url]


def test_a_server_that_is_not_there_is_named(server: FakeServer) -> None:
    base_url = f"http://127.0.0.1:{closed_port()}/v1"
    with pytest.raises(ProblemError) as caught:
        play(list_models(base_url, no_key))
    assert caught.value.problem.kind is K.UNREACHABLE


def test_a_working_model_says_so_at_its_first_word(server: FakeServer) -> None:
    server.script(Answer(steps=(Text("ready"), Gate("never"))))
    result = checked(Endpoint(base_url=server.url, model="m"))
    assert result.problem is None
    assert result.model == "m"
    assert len(server.log.chats) == 1


def test_without_a_name_the_first_listed_model_is_tested(server: FakeServer) -> None:
    server.script(saying("ready"))
    result = checked(Endpoint(base_url=server.url))
    assert result.problem is None
    assert result.model == play(list_models(server.url, no_key))[0].id


@pytest.mark.parametrize(
    ("answer", "kind"),
    [
        (failing(401, "Incorrect API key provided"), K.KEY_REJECTED),
        (failing(404, "The model `m` does not exist"), K.NO_SUCH_MODEL),
        (failing(429, "You exceeded your current quota"), K.NO_CREDIT),
        (failing(503, "overloaded"), K.SERVER_FAULT),
        (failing(407, "proxy"), K.PROXY),
        (Answer(status=302, body="", headers={"Location": "http://portal/"}), K.BAD_REPLY),
    ],
    ids=["key", "model", "quota", "fault", "proxy", "portal"],
)
def test_what_is_wrong_is_said_after_one_request(
    server: FakeServer, answer: Answer, kind: ProblemKind
) -> None:
    server.script(answer)
    result = checked(Endpoint(base_url=server.url, model="m"), "sk-test-key")
    assert result.problem is not None
    assert result.problem.kind is kind
    assert len(server.log.chats) == 1


def test_a_model_that_says_nothing_is_given_up(server: FakeServer) -> None:
    server.script(Answer(steps=(Gate("never"),)))
    result = checked(Endpoint(base_url=server.url, model="m"), limit_s=0.5)
    assert result.problem is not None
    assert result.problem.kind is K.SILENT


def test_a_server_on_this_machine_is_found_without_a_key_and_a_closed_door_is_not(
    server: FakeServer,
) -> None:
    port = int(server.url.rsplit(":", 1)[1].split("/")[0])
    doors = (Door(name="llama.cpp", port=port), Door(name="Jan", port=closed_port()))
    (found,) = play(find_servers(doors))
    assert (found.name, found.base_url) == ("llama.cpp", f"http://127.0.0.1:{port}/v1")
    assert found.models
    assert all("authorization" not in seen.headers for seen in server.log.requests)


def test_something_else_behind_the_door_is_not_a_server() -> None:
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen()
        assert play(find_servers((Door(name="vLLM", port=silent.getsockname()[1]),))) == ()


class _OwnInterface(BaseHTTPRequestHandler):
    """Says what LM Studio says beside the common list."""

    def do_GET(self) -> None:
        listed = {"data": [{"id": "m", "type": "vlm", "max_context_length": 32768}]}
        body = json.dumps(listed).encode() if self.path == "/api/v0/models" else b"{}"
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Keep quiet."""


def test_a_known_server_on_this_machine_says_more_in_its_own_interface() -> None:
    with HTTPServer(("127.0.0.1", 0), _OwnInterface) as own:
        serving = threading.Thread(target=own.serve_forever, args=(0.01,))
        serving.start()
        doors = (Door(name="LM Studio", port=own.server_port),)
        here = f"http://127.0.0.1:{own.server_port}/v1"
        listed = (ModelInfo(id="m"), ModelInfo(id="other"))
        found, other = play(described(here, listed, doors))
        unknown = play(described(here, listed, ()))
        own.shutdown()
        serving.join()
    assert (found.context_window, found.sees) == (32768, True)
    assert other == ModelInfo(id="other")
    assert unknown == listed


def test_a_server_elsewhere_is_not_asked_for_more() -> None:
    listed = (ModelInfo(id="m"),)
    doors = (Door(name="LM Studio", port=1234),)
    assert play(described("http://models.example:1234/v1", listed, doors)) == listed
