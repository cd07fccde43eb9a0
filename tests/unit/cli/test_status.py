"""The status line: the labels of each state, without flicker, with seconds from the first."""

import pytest

from app.cli.status import REST, Status, advanced, line, receipt, sending, stopping
from app.core.errors import Problem, ProblemKind
from app.core.events import (
    Completed,
    Event,
    FellBack,
    ModelStarting,
    ReasoningDelta,
    RequestSent,
    RequestStarted,
    Retrying,
    Stopped,
    StopReason,
    TextDelta,
    ToolFinished,
    ToolStarted,
    TurnEnded,
    TurnStarted,
)
from app.core.ids import CallId, ConversationId, MessageId, TurnId

CHAT, TURN, ANSWER, CALL = ConversationId("c"), TurnId("t"), MessageId("m"), CallId("call")
STARTED = TurnStarted(conversation_id=CHAT, turn_id=TURN, epoch=1, model="m1")
WAIT = Problem(kind=ProblemKind.UNREACHABLE, params={"host": "here"})


def told(*events: Event, at: float = 0.0) -> Status:
    status = sending(REST, at)
    for event in events:
        status = advanced(status, event, at)
    return status


@pytest.mark.parametrize(
    ("event", "said"),
    [
        (STARTED, "Connecting to m1… 2 s"),
        (
            ModelStarting(conversation_id=CHAT, turn_id=TURN, model="m1"),
            "Starting m1… 2 s. Your message is next.",
        ),
        (RequestStarted(conversation_id=CHAT, turn_id=TURN, model="m2"), "Connecting to m2… 2 s"),
        (RequestSent(conversation_id=CHAT, turn_id=TURN, model="m2"), "Waiting for m2… 2 s"),
        (RequestSent(conversation_id=CHAT, turn_id=TURN, model=""), "Waiting for the model… 2 s"),
        (
            ReasoningDelta(conversation_id=CHAT, turn_id=TURN, message_id=ANSWER, text="Hm"),
            "Thinking… 2 s",
        ),
        (
            TextDelta(conversation_id=CHAT, turn_id=TURN, message_id=ANSWER, text="four" * 20),
            "Writing… 2 s · 10 tokens/s",
        ),
        (
            ToolStarted(
                conversation_id=CHAT, turn_id=TURN, call_id=CALL, name="clock", arguments=""
            ),
            "Running clock… 2 s",
        ),
        (
            Retrying(
                conversation_id=CHAT, turn_id=TURN, problem=WAIT, attempt=2, attempts=4, wait_s=6.0
            ),
            "here did not answer. Again in 4 s (2 of 4)",
        ),
        (
            FellBack(
                conversation_id=CHAT, turn_id=TURN, from_model="A", to_model="B", problem=WAIT
            ),
            "A failed. Asking B… 2 s",
        ),
    ],
)
def test_each_state_has_its_label(event: Event, said: str) -> None:
    assert line(told(STARTED, event), 2.0) == f"{said} · Ctrl-C to stop"


def test_a_label_waits_a_moment_and_the_one_before_it_stays() -> None:
    waiting = told(STARTED)
    writing = advanced(
        waiting, TextDelta(conversation_id=CHAT, turn_id=TURN, message_id=ANSWER, text="x"), 5.0
    )
    assert line(waiting, 0.1) == ""
    assert line(writing, 5.1) == "Connecting to m1… 5 s · Ctrl-C to stop"
    assert line(writing, 5.2) == "Writing… · Ctrl-C to stop"


def test_after_stop_only_the_end_of_the_turn_counts() -> None:
    stopped = stopping(told(STARTED), 1.0)
    late = TextDelta(conversation_id=CHAT, turn_id=TURN, message_id=ANSWER, text="late")
    ended = TurnEnded(conversation_id=CHAT, turn_id=TURN, epoch=1, outcome=Completed())
    assert line(advanced(stopped, late, 1.1), 2.0) == "Stopping… 1 s"
    assert advanced(stopped, ended, 2.0) == REST


def test_a_finished_tool_leads_back_to_the_model() -> None:
    finished = ToolFinished(
        conversation_id=CHAT, turn_id=TURN, call_id=CALL, name="clock", content="", is_error=False
    )
    assert line(told(STARTED, finished), 0.5) == "Connecting… · Ctrl-C to stop"


def test_a_name_from_the_server_cannot_command_the_terminal() -> None:
    evil = RequestSent(conversation_id=CHAT, turn_id=TURN, model="\x1b[2J{when}")
    assert line(told(STARTED, evil), 0.5) == "Waiting for ␛[2J{when}… · Ctrl-C to stop"


@pytest.mark.parametrize(
    ("closed_in_s", "said"),
    [
        (None, "Stopped"),
        (0.0004, "Stopped · connection closed in 0.4 ms"),
        (0.08, "Stopped · connection closed in 80 ms"),
        (1.34, "Stopped · took 1.3 s"),
    ],
)
def test_the_receipt_claims_only_what_is_known(closed_in_s: float | None, said: str) -> None:
    assert receipt(Stopped(reason=StopReason.PERSON, closed_in_s=closed_in_s)) == said
