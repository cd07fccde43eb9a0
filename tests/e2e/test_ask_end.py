"""How `belay ask` ends: stopped, quit, killed, unread; and what is kept of it."""

import os
import signal
import subprocess
import threading
from pathlib import Path

import pytest

from app.core.messages import Ending
from tests.conftest import BelayStarter
from tests.e2e.asking import Asker, closed_by_client, finished
from tests.e2e.stored import conversations, messages
from tests.fakes.script import Answer, Done, Finish, Gate, Stall, Text, gated, saying
from tests.fakes.server import FakeServer
from tests.harness.process import LIMIT_S, belay_argv


@pytest.fixture
def ask(start_belay: BelayStarter, server: FakeServer) -> Asker:
    return Asker(start_belay, server)


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


def test_nothing_is_left_behind_but_the_conversation(
    ask: Asker, server: FakeServer, belay_home: Path
) -> None:
    server.script(saying("ok"))
    process = ask("Hi")
    finished(process)
    assert not process.tree()
    assert [c.title for c in conversations(belay_home)] == ["Hi"]
    assert not list((belay_home / "data" / "leases").iterdir())
