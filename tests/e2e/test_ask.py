"""`belay ask` as a program: what it prints, what it sends, what it keeps, and how it ends."""

import base64
import json
import os
import signal
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from app.core.messages import Ending, Role
from tests.conftest import BelayStarter
from tests.e2e.stored import conversations, messages
from tests.fakes.script import Answer, Done, Finish, Gate, Stall, Text, failing, gated, saying
from tests.fakes.server import FakeServer
from tests.harness.process import LIMIT_S, BelayProcess, belay_argv

PNG = b"\x89PNG\r\n\x1a\n" + bytes(32)


@pytest.fixture
def server() -> Iterator[FakeServer]:
    with FakeServer() as running:
        yield running


class Asker:
    """Starts `belay ask` against the server."""

    def __init__(self, start: BelayStarter, server: FakeServer) -> None:
        self._start = start
        self._server = server

    def __call__(self, *args: str, stdin: str | None = "", **env: str) -> BelayProcess:
        process = self._start("ask", *args, env={"OPENAI_BASE_URL": self._server.url, **env})
        if stdin is not None:
            process.write(stdin)
            process.close_stdin()
        return process


@pytest.fixture
def ask(start_belay: BelayStarter, server: FakeServer) -> Asker:
    return Asker(start_belay, server)


def finished(process: BelayProcess) -> tuple[int, str, str]:
    """Wait for the end: exit code, standard output, standard error."""
    code = process.wait()
    return code, process.stdout.read_to_end(), process.stderr.read_to_end()


def events(output: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in output.splitlines()]


def closed_by_client(server: FakeServer) -> None:
    """Wait until the client has closed the connection of the first chat."""
    server.log.wait_for(lambda log: log.chats and log.chats[0].connection.closed_at is not None)
    assert server.log.chats[0].connection.how in ("eof", "reset")


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


def test_ctrl_c_closes_the_connection_keeps_the_partial_and_exits_130(
    ask: Asker, server: FakeServer, belay_home: Path
) -> None:
    server.script(Answer(steps=(Text("Partly "), Stall())))
    process = ask("Hi")
    process.stdout.wait_for("Partly")
    process.send_signal(signal.SIGINT)
    closed_by_client(server)
    assert finished(process) == (130, "Partly \n", "")
    assert (messages(belay_home)[-1].text, messages(belay_home)[-1].ending) == (
        "Partly ",
        Ending.STOPPED,
    )
    assert not process.tree()


def test_ctrl_c_before_the_first_word_keeps_the_question(
    ask: Asker, server: FakeServer, belay_home: Path
) -> None:
    server.script(Answer(before=(Stall(),)))
    process = ask("Hi")
    server.log.wait_for(lambda log: log.chats)
    process.send_signal(signal.SIGINT)
    closed_by_client(server)
    assert finished(process) == (130, "", "")
    assert [m.text for m in messages(belay_home)] == ["Hi"]


def test_a_request_to_end_keeps_the_partial_and_is_no_watchdog(
    ask: Asker, server: FakeServer, belay_home: Path
) -> None:
    server.script(Answer(steps=(Text("Partly "), Stall())))
    process = ask("Hi")
    process.stdout.wait_for("Partly")
    process.send_signal(signal.SIGTERM)
    closed_by_client(server)
    assert finished(process)[0] == 130
    assert messages(belay_home)[-1].ending is Ending.BELAY_CLOSED


def test_kill_9_keeps_what_was_on_the_way_for_the_next_start(
    ask: Asker, server: FakeServer, belay_home: Path
) -> None:
    server.script(gated("Partly ", "never"), saying("again"))
    process = ask("Hi")
    process.stdout.wait_for("Partly")
    _wait_on_disk(belay_home, "Partly")
    process.send_signal(signal.SIGKILL)
    process.wait()
    finished(ask("Something else"))
    kept = messages(belay_home, at=1)
    assert [(m.text, m.ending) for m in kept] == [
        ("Hi", Ending.COMPLETE),
        ("Partly ", Ending.BELAY_CLOSED),
    ]


def _wait_on_disk(home: Path, text: str) -> None:
    """Wait until the journal holds the text: the next tick writes it."""
    pause = threading.Event()
    for _ in range(int(LIMIT_S / 0.01)):
        files = [path.read_bytes() for path in (home / "data").glob("belay.db*")]
        if any(text.encode() in data for data in files):
            return
        pause.wait(0.01)
    raise AssertionError(f"{text!r} was never written")


def test_two_at_once_on_one_home_both_answer_and_neither_is_cut_off(
    ask: Asker, server: FakeServer, belay_home: Path
) -> None:
    server.script(
        Answer(steps=(Text("One "), Gate("one"), Text("done"), Finish(), Done()), when="first"),
        Answer(steps=(Text("Two "), Gate("two"), Text("done"), Finish(), Done()), when="second"),
    )
    first = ask("first")
    first.stdout.wait_for("One")
    second = ask("second")
    second.stdout.wait_for("Two")
    server.release("one")
    server.release("two")
    assert finished(first) == (0, "One done\n", "")
    assert finished(second) == (0, "Two done\n", "")
    kept = [messages(belay_home, at)[-1] for at in range(2)]
    assert {(m.text, m.ending) for m in kept} == {
        ("One done", Ending.COMPLETE),
        ("Two done", Ending.COMPLETE),
    }


def test_a_reader_that_has_enough_stops_it_quietly(
    ask: Asker, server: FakeServer, belay_home: Path, tmp_path: Path
) -> None:
    server.script(Answer(steps=(Text("First line\n"), Gate(), Text("more " * 9), Stall())))
    env = {**os.environ, "BELAY_HOME": str(belay_home), "OPENAI_BASE_URL": server.url}
    script = 'set -o pipefail; "$0" ask Hi </dev/null | head -n 1'
    piped = subprocess.Popen(
        ["bash", "-c", script, *belay_argv()[:1]],
        env=env,
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    server.log.wait_for(lambda log: log.gates_reached)
    server.release()
    out, err = piped.communicate(timeout=LIMIT_S)
    assert (piped.returncode, out, err) == (0, b"First line\n", b"")
    closed_by_client(server)


def test_an_answer_that_cannot_be_written_is_a_failure(
    ask: Asker, server: FakeServer, belay_home: Path, tmp_path: Path
) -> None:
    server.script(saying("Into a full disk"))
    env = {**os.environ, "BELAY_HOME": str(belay_home), "OPENAI_BASE_URL": server.url}
    with Path("/dev/full").open("wb") as full:
        ended = subprocess.run(
            belay_argv("ask", "Hi"),
            env=env,
            cwd=tmp_path,
            stdin=subprocess.DEVNULL,
            stdout=full,
            stderr=subprocess.PIPE,
            timeout=LIMIT_S,
            check=False,
        )
    assert (ended.returncode, ended.stderr) == (
        1,
        b"The answer could not be written: No space left on device.\n",
    )


def test_ctrl_c_stops_an_answer_that_nobody_reads(
    server: FakeServer, belay_home: Path, tmp_path: Path
) -> None:
    server.script(Answer(steps=(Text("word " * 40_000), Stall())))
    env = {**os.environ, "BELAY_HOME": str(belay_home), "OPENAI_BASE_URL": server.url}
    process = subprocess.Popen(
        belay_argv("ask", "Hi"),
        env=env,
        cwd=tmp_path,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
    )
    assert process.stdout is not None
    process.stdout.read(1)  # it writes, and will soon have filled the pipe
    process.send_signal(signal.SIGINT)
    closed_by_client(server)
    assert process.wait(LIMIT_S) == 130
    process.stdout.close()
    assert messages(belay_home)[-1].ending is Ending.STOPPED


def test_ctrl_c_twice_ends_it_and_keeps_what_was_on_disk(
    ask: Asker, server: FakeServer, belay_home: Path
) -> None:
    server.script(Answer(steps=(Text("Partly "), Stall())))
    process = ask("Hi")
    process.stdout.wait_for("Partly")
    _wait_on_disk(belay_home, "Partly")
    process.send_signal(signal.SIGINT)
    process.send_signal(signal.SIGINT)
    assert finished(process)[0] == 130
    assert messages(belay_home)[-1].text == "Partly "


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


def test_nothing_is_left_behind_but_the_conversation(
    ask: Asker, server: FakeServer, belay_home: Path
) -> None:
    server.script(saying("ok"))
    process = ask("Hi")
    finished(process)
    assert not process.tree()
    assert [c.title for c in conversations(belay_home)] == ["Hi"]
    assert not list((belay_home / "data" / "leases").iterdir())
