"""`belay ask` where a person watches: status that comes and goes, Ctrl-C as a key."""

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from app.core.messages import Ending
from tests.e2e.stored import messages
from tests.e2e.terminal import TerminalProcess
from tests.fakes.script import Answer, Done, Finish, Gate, Stall, Text, failing, saying
from tests.fakes.server import FakeServer
from tests.harness import environment
from tests.harness.process import belay_argv

Ask = Callable[..., TerminalProcess]


@pytest.fixture
def ask(server: FakeServer, belay_home: Path, tmp_path: Path) -> Iterator[Ask]:
    """Start `belay ask` on a terminal."""
    started: list[TerminalProcess] = []

    def start(*args: str) -> TerminalProcess:
        clean = {k: v for k, v in os.environ.items() if not environment.is_foreign(k)}
        env = {**clean, "BELAY_HOME": str(belay_home), "OPENAI_BASE_URL": server.url}
        terminal = TerminalProcess(
            belay_argv("ask", *args), {**env, "TERM": "xterm"}, tmp_path, size=(70, 12)
        )
        started.append(terminal)
        return terminal

    yield start
    for terminal in started:
        terminal.kill()


def test_the_status_is_shown_while_it_waits_and_gone_when_it_answers(
    ask: Ask, server: FakeServer
) -> None:
    server.script(Answer(before=(Gate(),), steps=(Text("Here I am."), Finish(), Done())))
    terminal = ask("Hi")
    terminal.wait_for(lambda screen: screen.startswith("Waiting for fake-model…"))
    server.release()
    assert terminal.wait() == 0
    assert terminal.text == "Here I am."
    assert terminal.alarms == []


def test_a_retry_is_shown_and_leaves_no_trace(ask: Ask, server: FakeServer) -> None:
    server.script(failing(503, retry_after="3"), saying("Better now."))
    terminal = ask("Hi")
    terminal.wait_for("Again in")
    assert terminal.wait() == 0
    assert terminal.text == "Better now."


def test_ctrl_c_stops_with_a_receipt(ask: Ask, server: FakeServer, belay_home: Path) -> None:
    server.script(Answer(steps=(Text("Partly "), Stall())))
    terminal = ask("Hi")
    terminal.wait_for("Partly")
    terminal.type("\x03")
    assert terminal.wait() == 130
    said, _, receipt = terminal.text.partition("\n")
    assert said.startswith("Partly")
    assert receipt.startswith("Stopped · connection closed in ")
    assert messages(belay_home)[-1].ending is Ending.STOPPED


def test_a_model_cannot_command_the_terminal(ask: Ask, server: FakeServer) -> None:
    server.script(saying("\x1b[2J\x1b]52;c;b3duZWQ=\x07\x9b5A done"))
    terminal = ask("Hi")
    assert terminal.wait() == 0
    assert terminal.text == "␛[2J␛]52;c;b3duZWQ=␇\N{REPLACEMENT CHARACTER}5A done"
    assert terminal.alarms == []


def test_without_words_and_with_a_terminal_there_is_nothing_to_wait_for(
    ask: Ask, server: FakeServer
) -> None:
    terminal = ask()
    assert terminal.wait() == 2
    assert terminal.text == "There is nothing to send. Write something first."
    assert not server.log.requests
