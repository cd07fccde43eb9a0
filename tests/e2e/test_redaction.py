"""A key planted in every way in is found in no file, no output, no argument and no environment.

The one exception is the file that the person agreed to.
"""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from app.localmodel.weights import bundled_weights
from tests.conftest import BelayStarter
from tests.fakes.script import Answer, Gate, Text, failing, saying
from tests.fakes.server import FakeServer
from tests.harness.process import BelayProcess

KEY = "planted.K3y/with+signs=0123456789"  # of no shape that a pattern would know
OTHER = "sk-planted-other-0123456789abcdef"


@pytest.fixture
def server() -> Iterator[FakeServer]:
    with FakeServer() as running:
        yield running


def environment(server: FakeServer) -> dict[str, str]:
    return {
        "OPENAI_API_KEY": KEY,
        "OPENAI_BASE_URL": server.url,
        "BELAY_MODEL": "m",
    }


def assert_nowhere(home: Path, *outputs: str, agreed: Path | None = None) -> None:
    files = [path for path in home.rglob("*") if path.is_file() and path != agreed]
    assert files, "nothing was written: the test proves nothing"
    for path in files:
        data = path.read_bytes()
        for key in (KEY, OTHER):
            assert key.encode() not in data, f"a key is in {path.name}"
    for output in outputs:
        assert KEY not in output
        assert OTHER not in output


def ended(process: BelayProcess) -> tuple[str, str]:
    process.close_stdin()
    process.wait()
    return process.stdout.read_to_end(), process.stderr.read_to_end()


def test_a_server_that_repeats_the_key_in_its_errors_does_not_get_it_written_down(
    server: FakeServer, start_belay: BelayStarter, belay_home: Path
) -> None:
    said = f"Incorrect API key provided: {KEY}. Authorization: Bearer {KEY}"
    plain, as_json = ("ask",), ("ask", "--json")
    for form, answer in (
        (plain, failing(401, said)),
        (as_json, failing(401, said)),
        (plain, failing(400, f"{said} {json.dumps(KEY)}")),
        (as_json, Answer(status=302, body=said, headers={"Location": f"{server.url}/x?key={KEY}"})),
        (plain, Answer(steps=(Text("Half"),), before=())),
    ):
        server.script(answer)
        outputs = ended(start_belay(*form, "Hello", env=environment(server)))
        assert_nowhere(belay_home, *outputs)
    assert {chat.headers.get("authorization") for chat in server.log.chats} == {f"Bearer {KEY}"}


def test_an_answer_is_given_and_the_key_stays_out_of_the_process_list(
    server: FakeServer, start_belay: BelayStarter, belay_home: Path
) -> None:
    server.script(Answer(steps=(Text("One"), Gate("hold"))))
    asking = start_belay("ask", "Hello", env=environment(server))
    asking.close_stdin()
    asking.stdout.wait_for("One")
    for process in asking.tree():
        assert KEY not in " ".join(process.cmdline())
        if process.pid != asking.pid:
            assert KEY not in str(process.environ())
    asking.send_signal(2)
    assert_nowhere(belay_home, *ended(asking))


def test_a_model_file_is_served_by_a_child_that_has_no_key_in_sight(
    start_belay: BelayStarter, belay_home: Path
) -> None:
    bundled = bundled_weights()
    assert bundled is not None
    settings = belay_home / "config" / "settings.json"
    settings.parent.mkdir(parents=True)
    brief = {"base_url": bundled.path.as_uri(), "max_tokens": 20}
    settings.write_text(json.dumps({"endpoints": [brief]}))
    chat = start_belay("chat", env={"OPENAI_API_KEY": KEY})
    chat.write("Say hello\n")
    chat.stdout.wait_for(lambda text: len(text.partition("Say hello\n")[2]) > 5)
    (model,) = chat.workers("model")
    assert KEY not in str(model.environ())
    assert_nowhere(belay_home, *ended(chat))


def test_a_key_in_an_address_is_refused_and_not_repeated(
    start_belay: BelayStarter, belay_home: Path
) -> None:
    address = f"https://me:{OTHER}@api.example/v1"
    outputs = ended(start_belay("ask", "Hello", env={"OPENAI_BASE_URL": address}))
    assert_nowhere(belay_home, *outputs)


def test_a_question_that_holds_a_key_is_kept_for_the_person_and_not_logged(
    server: FakeServer, start_belay: BelayStarter, belay_home: Path
) -> None:
    server.script(saying("I will not repeat it."))
    ended(start_belay("ask", f"Is {OTHER} a key?", env=environment(server)))
    logs = [path for path in belay_home.rglob("*") if path.suffix in (".log", ".txt", ".json")]
    assert logs
    for path in logs:
        assert OTHER.encode() not in path.read_bytes(), path.name


def test_a_key_from_the_file_that_was_agreed_to_goes_to_its_server_and_into_no_other_file(
    server: FakeServer, start_belay: BelayStarter, belay_home: Path
) -> None:
    config = belay_home / "config"
    config.mkdir(parents=True)
    endpoint = {"base_url": server.url, "model": "m"}
    (config / "settings.json").write_text(json.dumps({"endpoints": [endpoint]}))
    agreed = config / "keys.json"
    agreed.write_text(json.dumps({server.url: KEY}))
    agreed.chmod(0o600)
    server.script(failing(401, f"No such key: {KEY}"))
    for form in (("ask", "Hello"), ("doctor",)):
        assert_nowhere(belay_home, *ended(start_belay(*form)), agreed=agreed)
    (chat,) = server.log.chats
    assert chat.headers["authorization"] == f"Bearer {KEY}"
    assert agreed.stat().st_mode & 0o777 == 0o600


def test_the_password_of_a_proxy_goes_to_the_proxy_and_is_not_repeated(
    server: FakeServer, start_belay: BelayStarter, belay_home: Path
) -> None:
    # The server stands in for the proxy: it refuses what is not addressed to itself.
    proxy = f"http://me:{OTHER}@{server.host}"
    env = {"OPENAI_BASE_URL": "http://models.example/v1", "BELAY_MODEL": "m", "http_proxy": proxy}
    for form in (("ask", "Hello"), ("doctor",)):
        process = start_belay(*form, env=env)
        outputs = ended(process)
        assert process.wait() == 1, outputs
        assert_nowhere(belay_home, *outputs)
    assert all("proxy-authorization" in seen.headers for seen in server.log.requests)
    assert {seen.path.partition("/v1")[0] for seen in server.log.requests} == {
        "http://models.example"
    }
