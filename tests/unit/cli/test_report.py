"""What `belay ask` shows: the answer on one stream, everything else on the other."""

import json
import os
import pty
import tty
from typing import TextIO

import pytest

from app.cli.outlet import Outlet, Stream
from app.cli.report import JsonReport, Report, TextReport
from app.core.errors import Problem, ProblemKind
from app.core.events import (
    Completed,
    Event,
    Failed,
    HistoryChanged,
    Outcome,
    RequestSent,
    Stopped,
    StopReason,
    TextDelta,
    TurnEnded,
    TurnStarted,
)
from app.core.ids import ConversationId, MessageId, TurnId
from app.core.messages import Ending, Message, Role, Tree, text_parts
from tests.harness.loops import play

CHAT, TURN, ANSWER = ConversationId("c"), TurnId("t"), MessageId("m")
STARTED = TurnStarted(conversation_id=CHAT, turn_id=TURN, epoch=1, model="m1")
SENT = RequestSent(conversation_id=CHAT, turn_id=TURN, model="m1")
REFUSED = Problem(kind=ProblemKind.BAD_REQUEST, params={"provider": "It", "reason": "\x1b[2J"})
SENTENCE = "It refused the request: ␛[2J\n"
WIPE = "\r\x1b[K"


def said(text: str) -> TextDelta:
    return TextDelta(conversation_id=CHAT, turn_id=TURN, message_id=ANSWER, text=text)


def ended(outcome: Outcome) -> TurnEnded:
    return TurnEnded(conversation_id=CHAT, turn_id=TURN, epoch=1, outcome=outcome)


def opened(*, is_terminal: bool) -> tuple[int, TextIO]:
    """Open a pipe or a terminal: the end to look at, and the stream to write to."""
    if not is_terminal:
        read_end, write_end = os.pipe()
        return read_end, os.fdopen(write_end, "w", encoding="utf-8")
    watching, writing = pty.openpty()
    tty.setraw(writing)
    return watching, os.fdopen(writing, "w", encoding="utf-8")


def drained(fd: int) -> str:
    data = b""
    try:
        while chunk := os.read(fd, 65536):
            data += chunk
    except OSError:
        pass  # how a terminal says that its other end is closed
    os.close(fd)
    return data.decode()


class Watched:
    """Two streams and what came out of them; a second passes between any two events."""

    def __init__(self, *, out_terminal: bool = False, err_terminal: bool = False) -> None:
        self._now = 0.0
        self._out_fd, self._out = opened(is_terminal=out_terminal)
        self._err_fd, self._err = opened(is_terminal=err_terminal)
        self.outlet = Outlet(out=Stream(self._out), err=Stream(self._err))
        self.outlet.open(lambda _: None)
        self.text = TextReport(self.outlet, lambda: self._now, width=80, is_dumb=False)

    def tell(self, report: Report, *events: Event) -> tuple[str, str]:
        for event in events:
            report.show(event)
            self._now += 1.0
            report.tick()
        play(self.outlet.all_written())
        self._out.close()
        self._err.close()
        return drained(self._out_fd), drained(self._err_fd)


def test_into_a_pipe_goes_the_answer_as_it_is_and_nothing_else() -> None:
    watched = Watched()
    shown = watched.tell(
        watched.text, STARTED, SENT, said("\x1b[1mHi\r\n"), said("you"), ended(Completed())
    )
    assert shown == ("\x1b[1mHi\r\nyou\n", "")


def test_on_a_terminal_the_answer_cannot_command_it() -> None:
    watched = Watched(out_terminal=True)
    out, _ = watched.tell(watched.text, STARTED, said("\x1b[1mHi"), ended(Completed()))
    assert out == "␛[1mHi\n"


def test_the_status_stands_alone_and_is_wiped_before_the_answer() -> None:
    watched = Watched(out_terminal=True, err_terminal=True)
    _, err = watched.tell(watched.text, STARTED, SENT, said("Hi"), said("you"), ended(Completed()))
    assert err == (
        f"{WIPE}Connecting to m1… 1 s · Ctrl-C to stop"
        f"{WIPE}Waiting for m1… 1 s · Ctrl-C to stop"
        f"{WIPE}"
    )


def test_the_status_goes_on_beside_an_answer_that_goes_into_a_file() -> None:
    watched = Watched(err_terminal=True)
    _, err = watched.tell(watched.text, STARTED, said("four" * 8), ended(Completed()))
    assert f"{WIPE}Writing… 1 s · 8 tokens/s · Ctrl-C to stop" in err
    assert err.endswith(WIPE)


@pytest.mark.parametrize("err_terminal", [True, False])
def test_a_problem_is_always_said_and_harmless(err_terminal: bool) -> None:
    watched = Watched(err_terminal=err_terminal)
    out, err = watched.tell(watched.text, STARTED, said("Half"), ended(Failed(problem=REFUSED)))
    assert out == "Half\n"
    assert err.endswith(SENTENCE)


def test_a_stop_leaves_a_receipt_where_somebody_watches() -> None:
    outcome = ended(Stopped(reason=StopReason.PERSON, closed_in_s=0.0004))
    seen, unseen = Watched(err_terminal=True), Watched()
    _, watched_err = seen.tell(seen.text, STARTED, said("Half"), outcome)
    assert watched_err.endswith(f"{WIPE}Stopped · connection closed in 0.4 ms\n")
    assert unseen.tell(unseen.text, STARTED, said("Half"), outcome) == ("Half\n", "")


def test_an_answer_that_a_limit_cut_off_says_so() -> None:
    cut = Message(
        id=ANSWER,
        conversation_id=CHAT,
        parent_id=None,
        role=Role.ASSISTANT,
        parts=text_parts("Once upon a"),
        created_at=0.0,
        ending=Ending.TOO_LONG,
    )
    grown = HistoryChanged(conversation_id=CHAT, tree=Tree(), added=(cut,))
    watched = Watched()
    shown = watched.tell(watched.text, STARTED, said("Once upon a"), grown, ended(Completed()))
    assert shown == ("Once upon a\n", "Cut off: longest answer reached.\n")


def test_json_goes_to_programs_and_problems_also_to_people() -> None:
    watched = Watched()
    out, err = watched.tell(
        JsonReport(watched.outlet), STARTED, said("Hi"), ended(Failed(problem=REFUSED))
    )
    types = [json.loads(line)["type"] for line in out.splitlines()]
    assert types == ["turn_started", "text_delta", "turn_ended"]
    assert err == SENTENCE
