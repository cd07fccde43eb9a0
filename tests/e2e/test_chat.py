"""`belay chat` on a real terminal: what a person sees, types, stops and redirects."""

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from app.core.messages import Ending, Role
from tests.conftest import BelayStarter
from tests.e2e.stored import messages
from tests.e2e.terminal import TerminalProcess
from tests.fakes.script import Answer, Done, Finish, Gate, Stall, Text, failing, gated, saying
from tests.fakes.server import FakeServer
from tests.harness import environment
from tests.harness.process import belay_argv

CTRL_C, CTRL_D, ENTER, UP, ALT_ENTER = "\x03", "\x04", "\r", "\x1b[A", "\x1b\r"
IDLE = "/help · Ctrl-D closes Belay"


@pytest.fixture
def chat(server: FakeServer, belay_home: Path, tmp_path: Path) -> Iterator[TerminalProcess]:
    """Give a chat that is ready to be typed into."""
    clean = {k: v for k, v in os.environ.items() if not environment.is_foreign(k)}
    env = {**clean, "BELAY_HOME": str(belay_home), "OPENAI_BASE_URL": server.url}
    terminal = TerminalProcess(
        belay_argv("chat"), {**env, "TERM": "xterm-256color"}, tmp_path, size=(60, 20)
    )
    terminal.wait_for(IDLE)
    yield terminal
    terminal.kill()


def closed_by_client(server: FakeServer) -> None:
    server.log.wait_for(lambda log: log.chats and log.chats[0].connection.closed_at is not None)
    assert server.log.chats[0].connection.how in ("eof", "reset")


def asked(server: FakeServer) -> list[list[str]]:
    """List what each request said in the person's name."""
    return [[m["content"] for m in c.messages if m["role"] == "user"] for c in server.log.chats]


class AtRest:
    """Something was said, and nothing runs any more."""

    def __init__(self, said: str) -> None:
        self._said = said

    def __call__(self, screen: str) -> bool:
        return self._said in screen and screen.endswith(IDLE)

    def __repr__(self) -> str:
        return f"{self._said!r}, then rest"


def test_an_answer_streams_above_the_prompt_and_typing_does_not_garble_it(
    chat: TerminalProcess, server: FakeServer
) -> None:
    server.script(
        Answer(
            steps=(
                Text("The first line.\nThe second "),
                Gate(),
                Text("line, which goes on long enough to need more than one row.\n\nThe end."),
                Finish(),
                Done(),
            )
        ),
    )
    chat.type(f"Hello{ENTER}")
    chat.wait_for("The second")
    chat.type("half a thou")
    chat.wait_for("> half a thou")
    server.release()
    screen = chat.wait_for(lambda text: "The end." in text)
    assert screen.startswith("Ask anything. Ctrl-C stops an answer, typing redirects it.\n")
    body = screen[screen.index("> Hello") :]
    assert body.startswith(
        "> Hello\n"
        "The first line.\n"
        "The second line, which goes on long enough to need more than\n"
        "one row.\n"
        "\n"
        "The end.\n"
        "\n"
        "> half a thou\n"
    )
    assert chat.alarms == []


def test_ctrl_c_stops_the_answer_and_keeps_it(
    chat: TerminalProcess, server: FakeServer, belay_home: Path
) -> None:
    server.script(Answer(steps=(Text("Partly "), Stall())))
    chat.type(f"Hello{ENTER}")
    chat.wait_for("Partly")
    chat.type(CTRL_C)
    closed_by_client(server)
    screen = chat.wait_for(AtRest("Stopped · connection closed in "))
    assert "· /continue · /retry" in screen
    chat.type(CTRL_D)
    assert chat.wait() == 0
    kept = messages(belay_home)[-1]
    assert (kept.text, kept.ending) == ("Partly ", Ending.STOPPED)


def test_ctrl_c_keeps_what_stands_at_the_prompt(chat: TerminalProcess, server: FakeServer) -> None:
    server.script(Answer(steps=(Text("Partly "), Stall())))
    chat.type(f"Hello{ENTER}")
    chat.wait_for("Partly")
    chat.type("my next thought")
    chat.wait_for("> my next thought")
    chat.type(CTRL_C)
    screen = chat.wait_for(AtRest("Stopped"))
    assert "> my next thought\n" in screen


def test_a_line_typed_while_it_writes_redirects(
    chat: TerminalProcess, server: FakeServer, belay_home: Path
) -> None:
    server.script(Answer(steps=(Text("Wrong "), Stall())), saying("Right."))
    chat.type(f"One{ENTER}")
    chat.wait_for("Wrong")
    chat.type(f"Two{ENTER}")
    closed_by_client(server)
    screen = chat.wait_for(AtRest("Right."))
    assert "Wrong\nRedirected by you\n\n> Two\nRight.\n" in screen
    assert asked(server)[-1] == ["One", "Two"]
    assert not server.log.violations
    chat.type(CTRL_D)
    assert chat.wait() == 0
    assert [(m.role, m.ending) for m in messages(belay_home)] == [
        (Role.USER, Ending.COMPLETE),
        (Role.ASSISTANT, Ending.REDIRECTED),
        (Role.USER, Ending.COMPLETE),
        (Role.ASSISTANT, Ending.COMPLETE),
    ]


def test_what_waits_is_visible_and_stop_holds_it(chat: TerminalProcess, server: FakeServer) -> None:
    server.script(Answer(steps=(Text("First "), Stall())), saying("Second."))
    chat.type(f"One{ENTER}")
    chat.wait_for("First")
    chat.type(f"/queue Two{ENTER}")
    chat.wait_for("After this answer: Two")
    chat.type(CTRL_C)
    chat.wait_for("Held: Two\n1 message held. /send or /discard")
    assert len(server.log.chats) == 1
    chat.type(f"/send{ENTER}")
    screen = chat.wait_for(AtRest("Second."))
    assert "Held" not in screen
    assert asked(server)[-1] == ["One", "Two"]


def test_the_status_says_what_it_waits_for_and_how_to_stop(
    chat: TerminalProcess, server: FakeServer
) -> None:
    server.script(Answer(before=(Gate(),), steps=(Text("Now "), Stall())))
    chat.type(f"Hello{ENTER}")
    chat.wait_for(lambda screen: screen.endswith(" · Ctrl-C to stop") and "Waiting for" in screen)
    server.release()
    chat.wait_for(lambda screen: screen.endswith(" · Ctrl-C to stop") and "Writing… " in screen)


def test_a_failure_is_a_sentence_and_retry_mends_it(
    chat: TerminalProcess, server: FakeServer
) -> None:
    server.script(failing(400, "Too silly"), saying("Better."))
    chat.type(f"Hello{ENTER}")
    chat.wait_for("refused the request")
    chat.type(f"/retry{ENTER}")
    chat.wait_for(AtRest("Better."))
    assert asked(server) == [["Hello"], ["Hello"]]


def test_a_model_cannot_command_the_terminal(chat: TerminalProcess, server: FakeServer) -> None:
    server.script(saying("\x1b[2J\x1b]0;owned\x07\x9b5A done"))
    chat.type(f"Hello{ENTER}")
    screen = chat.wait_for(AtRest("done"))
    assert "> Hello\n␛[2J␛]0;owned␇\N{REPLACEMENT CHARACTER}5A done\n" in screen
    assert chat.alarms == []


def test_alt_enter_breaks_the_line_and_up_brings_back_what_was_said(
    chat: TerminalProcess, server: FakeServer
) -> None:
    server.script(saying("ok"), saying("again"))
    chat.type(f"one{ALT_ENTER}two")
    chat.wait_for("> one\n  two")
    chat.type(ENTER)
    chat.wait_for(AtRest("ok"))
    chat.type(f"{UP}{UP}{ENTER}")
    chat.wait_for(AtRest("again"))
    assert asked(server)[-1] == ["one\ntwo", "one\ntwo"]


def test_ctrl_c_with_nothing_running_hints_and_keeps_the_line_for_later(
    chat: TerminalProcess, server: FakeServer
) -> None:
    chat.type(CTRL_C)
    chat.wait_for("Nothing to stop. Ctrl-D or /quit closes Belay.")
    chat.type("unsent words")
    chat.wait_for("> unsent words")
    chat.type(CTRL_C)
    chat.wait_for(lambda screen: "unsent" not in screen)
    chat.type(UP)
    chat.wait_for("> unsent words")
    assert not server.log.requests


@pytest.mark.parametrize("leave", [CTRL_D, f"/quit{ENTER}"])
def test_quit_during_an_answer_closes_it_and_keeps_it(
    chat: TerminalProcess, server: FakeServer, belay_home: Path, leave: str
) -> None:
    server.script(Answer(steps=(Text("Partly "), Stall())))
    chat.type(f"Hello{ENTER}")
    chat.wait_for("Partly")
    chat.type(leave)
    assert chat.wait() == 0
    closed_by_client(server)
    assert messages(belay_home)[-1].ending is Ending.BELAY_CLOSED
    assert chat.text.endswith("> Hello\nPartly")


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_request_to_end_is_quit(
    chat: TerminalProcess, server: FakeServer, belay_home: Path, number: int
) -> None:
    server.script(Answer(steps=(Text("Partly "), Stall())))
    chat.type(f"Hello{ENTER}")
    chat.wait_for("Partly")
    chat.process.send_signal(number)
    assert chat.wait() == 0
    closed_by_client(server)
    assert messages(belay_home)[-1].text == "Partly "


def test_a_conversation_is_opened_again_with_what_was_said(
    chat: TerminalProcess, server: FakeServer
) -> None:
    server.script(saying("Noted."), saying("You said so."))
    chat.type(f"Remember the milk{ENTER}")
    chat.wait_for(AtRest("Noted."))
    chat.type(f"/new{ENTER}/list{ENTER}")
    chat.wait_for("  1  Remember the milk")
    chat.type(f"/open 1{ENTER}")
    chat.wait_for(lambda screen: screen.count("> Remember the milk\nNoted.") == 2)
    chat.type(f"Well?{ENTER}")
    chat.wait_for(AtRest("You said so."))
    assert asked(server)[-1] == ["Remember the milk", "Well?"]


def test_a_pipe_is_answered_line_by_line_and_waited_for(
    start_belay: BelayStarter, server: FakeServer
) -> None:
    server.script(gated("First ", "answer."), saying("Second answer."))
    process = start_belay("chat", env={"OPENAI_BASE_URL": server.url})
    process.write("one\ntwo\n")
    process.close_stdin()
    process.stdout.wait_for("First")
    server.release()
    assert process.wait() == 0
    assert process.stdout.read_to_end() == "> one\nFirst answer.\n\n> two\nSecond answer.\n"


def test_a_line_into_the_pipe_while_it_writes_redirects(
    start_belay: BelayStarter, server: FakeServer
) -> None:
    server.script(Answer(steps=(Text("Wrong "), Stall())), saying("Right."))
    process = start_belay("chat", env={"OPENAI_BASE_URL": server.url})
    process.write("one\n")
    process.stdout.wait_for("Wrong")
    process.write("two\n")
    closed_by_client(server)
    process.stdout.wait_for("Right.")
    process.write("/quit\n")
    assert process.wait() == 0
    assert process.stdout.read_to_end() == "> one\nWrong \n\n> two\nRight.\n"
