"""`belay ask` as a program: what it prints, what it sends, and what it refuses."""

import base64
import json
import signal
from pathlib import Path

import pytest

from app.core.messages import Role
from tests.conftest import BelayStarter
from tests.e2e.asking import Asker, events, finished
from tests.e2e.stored import messages
from tests.fakes.script import Answer, Stall, Text, failing, gated, saying
from tests.fakes.server import FakeServer

PNG = b"\x89PNG\r\n\x1a\n" + bytes(32)


@pytest.fixture
def ask(start_belay: BelayStarter, server: FakeServer) -> Asker:
    return Asker(start_belay, server)


def test_the_answer_alone_is_printed_and_both_sides_are_kept(
    ask: Asker, server: FakeServer, belay_home: Path
) -> None:
    server.script(saying("Forty-two."))
    assert finished(ask("What is the answer?")) == (0, "Forty-two.\n", "")
    assert [(m.role, m.text) for m in messages(belay_home)] == [
        (Role.USER, "What is the answer?"),
        (Role.ASSISTANT, "Forty-two."),
    ]


def test_the_answer_is_printed_while_it_is_still_being_written(
    ask: Asker, server: FakeServer
) -> None:
    server.script(gated("First ", "second"))
    process = ask("Hi")
    process.stdout.wait_for("First ")
    server.release()
    assert finished(process) == (0, "First second\n", "")


def test_words_come_before_what_is_piped_in(ask: Asker, server: FakeServer) -> None:
    server.script(saying("ok"))
    finished(ask("Explain", stdin="a = 1\n"))
    assert server.log.chats[0].messages[-1]["content"] == "Explain\n\na = 1\n"


def test_standard_input_alone_is_a_question(ask: Asker, server: FakeServer) -> None:
    server.script(saying("ok"))
    assert finished(ask(stdin="Why?\n"))[0] == 0
    assert server.log.chats[0].messages[-1]["content"] == "Why?\n"


def test_nothing_to_ask_is_a_usage_error(ask: Asker, server: FakeServer) -> None:
    code, out, err = finished(ask(stdin=""))
    assert (code, out) == (2, "")
    assert err == "There is nothing to send. Write something first.\n"
    assert not server.log.requests


def test_ten_megabytes_are_refused_in_a_sentence(ask: Asker, server: FakeServer) -> None:
    process = ask(stdin=None)
    assert process.process.stdin is not None
    try:
        process.process.stdin.write(b"x" * 10_000_000)
        process.process.stdin.close()
    except BrokenPipeError:
        pass  # it need not read all of what it refuses
    code, out, err = finished(process)
    assert (code, out, err) == (1, "", "10 MB is too much for one message. Shorten it.\n")
    assert not server.log.requests


def test_json_is_one_event_a_line_from_commit_to_end(ask: Asker, server: FakeServer) -> None:
    server.script(saying("Two words"))
    code, out, err = finished(ask("--json", "Hi"))
    told = events(out)
    assert (code, err) == (0, "")
    assert all(event["schema"] == 1 for event in told)
    assert [event["type"] for event in told] == [
        "message_committed",
        "turn_started",
        "request_started",
        "request_sent",
        "text_delta",
        "text_delta",
        "usage_reported",
        "turn_ended",
    ]
    assert "".join(e["text"] for e in told if e["type"] == "text_delta") == "Two words"
    assert told[-1]["outcome"] == {"kind": "completed"}


def test_json_of_a_stop_ends_with_the_outcome(ask: Asker, server: FakeServer) -> None:
    server.script(Answer(steps=(Text("Partly "), Stall())))
    process = ask("--json", "Hi")
    process.stdout.wait_for("text_delta")
    process.send_signal(signal.SIGINT)
    code, out, _ = finished(process)
    outcome = events(out)[-1]["outcome"]
    assert (code, outcome["kind"], outcome["reason"]) == (130, "stopped", "person")
    assert outcome["closed_in_s"] >= 0


@pytest.mark.parametrize("options", [(), ("--json",)])
def test_a_refusal_is_a_sentence_with_what_to_do_and_exit_1(
    ask: Asker, server: FakeServer, options: tuple[str, ...]
) -> None:
    server.key = "right-key-12345"
    process = ask(*options, "Hi", OPENAI_API_KEY="wrong-key-12345")
    code, _, err = finished(process)
    assert code == 1
    assert "did not accept the key. Enter it again. Here: set OPENAI_API_KEY" in err


def test_an_unreachable_server_is_named(start_belay: BelayStarter) -> None:
    process = start_belay("ask", "Hi", env={"OPENAI_BASE_URL": "http://127.0.0.1:9/v1"})
    process.close_stdin()
    code, out, err = finished(process)
    assert (code, out) == (1, "")
    assert "127.0.0.1:9 cannot be reached. Check its address, or start it." in err


def test_the_model_can_be_named(ask: Asker, server: FakeServer) -> None:
    server.script(saying("ok"), saying("ok"))
    finished(ask("--model", "other-model", "Hi"))
    finished(ask("Hi", BELAY_MODEL="named-by-environment"))
    assert [c.body["model"] for c in server.log.chats] == ["other-model", "named-by-environment"]


def test_a_picture_travels_with_the_question(
    ask: Asker, server: FakeServer, tmp_path: Path, belay_home: Path
) -> None:
    picture = tmp_path / "dot.png"
    picture.write_bytes(PNG)
    server.script(saying("A dot."))
    assert finished(ask("--image", str(picture), "What is it?")) == (0, "A dot.\n", "")
    content = server.log.chats[0].messages[-1]["content"]
    assert content[0] == {"type": "text", "text": "What is it?"}
    assert content[1]["image_url"]["url"] == (
        f"data:image/png;base64,{base64.b64encode(PNG).decode()}"
    )
    assert len(list((belay_home / "data" / "attachments").iterdir())) == 1


def test_what_is_no_picture_is_refused_before_anything_is_sent(
    ask: Asker, server: FakeServer, tmp_path: Path
) -> None:
    missing = tmp_path / "missing.png"
    code, _, err = finished(ask("--image", str(missing), "Hi"))
    assert (code, err) == (2, f"{missing} does not exist.\n")
    assert not server.log.requests


def test_a_key_goes_to_the_address_it_belongs_to_and_to_no_other(
    ask: Asker, server: FakeServer, belay_home: Path
) -> None:
    key = "sk-test-1234567890abcdef"
    (belay_home / "config").mkdir(parents=True)
    with FakeServer() as configured:
        settings = {"endpoints": [{"base_url": configured.url, "model": "fake-model"}]}
        (belay_home / "config" / "settings.json").write_text(json.dumps(settings))
        configured.script(saying("ok"))
        assert finished(ask("Hi", OPENAI_API_KEY=key))[:2] == (0, "ok\n")
        asked = configured.log.requests
        assert len(asked) == 1
        assert key not in json.dumps(asked[0].headers)
    assert not server.log.requests
    (belay_home / "config" / "settings.json").unlink()
    server.script(saying("ok"))
    finished(ask("Hi", OPENAI_API_KEY=key))
    assert {r.headers["authorization"] for r in server.log.requests} == {f"Bearer {key}"}


def test_secrets_reach_no_file(ask: Asker, server: FakeServer, belay_home: Path) -> None:
    key = "sk-test-1234567890abcdef"
    server.script(failing(500), failing(500), failing(500), failing(500), failing(500))
    server.default = failing(401, f"Incorrect API key provided: {key}")
    finished(ask("Hi", OPENAI_API_KEY=key))
    written = [p for p in belay_home.rglob("*") if p.is_file()]
    assert written
    assert not [p for p in written if key.encode() in p.read_bytes()]


def test_broken_settings_are_said_once_and_left_alone(
    ask: Asker, server: FakeServer, belay_home: Path
) -> None:
    settings = belay_home / "config" / "settings.json"
    settings.parent.mkdir(parents=True)
    settings.write_text("{ not json")
    server.script(saying("ok"))
    code, out, err = finished(ask("Hi"))
    assert (code, out) == (0, "ok\n")
    assert err.count("\n") == 1
    assert err.startswith("The settings could not be read. A copy is kept at ")
    assert settings.read_text() == "{ not json"


def test_a_pipe_that_nobody_writes_to_does_not_hold_up_a_question(
    ask: Asker, server: FakeServer
) -> None:
    server.script(saying("ok"))
    code, out, err = finished(ask("Hi", stdin=None))
    assert (code, out) == (0, "ok\n")
    assert err == "Nothing came on standard input for 3 s. Asking without it.\n"


def test_terminal_sequences_pass_into_a_pipe_untouched(ask: Asker, server: FakeServer) -> None:
    server.script(saying("\x1b[31mred\x1b[0m"))
    assert finished(ask("Hi"))[1] == "\x1b[31mred\x1b[0m\n"


def test_a_folder_that_cannot_be_written_is_said_in_a_sentence(
    start_belay: BelayStarter, tmp_path: Path
) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("not a folder")
    process = start_belay("ask", "Hi", env={"BELAY_HOME": str(blocked / "home")})
    process.close_stdin()
    code, out, err = finished(process)
    assert (code, out) == (1, "")
    assert err.startswith("Belay may not write to ")
    assert "Traceback" not in err
