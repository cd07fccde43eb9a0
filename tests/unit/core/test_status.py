"""The status line's table: what it says, what the button is, what is said aloud."""

from dataclasses import replace

import pytest

from app.core.errors import Problem, ProblemKind
from app.core.events import (
    Completed,
    ConversationEvent,
    Failed,
    FellBack,
    ModelStarting,
    ReasoningDelta,
    RequestSent,
    RequestStarted,
    Retrying,
    Stopped,
    StopReason,
    ToolFinished,
    ToolStarted,
)
from app.core.ids import CallId, MessageId
from app.core.status import Phase, Status, advanced, entered, ticked
from app.core.status_words import Line, Tone, announcement, line
from tests.ui.canned import HERE, TURN, ended, said, started

HINT = " · Esc to stop"

UNREACHABLE = Problem(kind=ProblemKind.UNREACHABLE, params={"host": "box.example"})


def request_started() -> RequestStarted:
    return RequestStarted(conversation_id=HERE, turn_id=TURN, model="local-7b")


def model_starting() -> ModelStarting:
    return ModelStarting(conversation_id=HERE, turn_id=TURN, model="local-7b")


def request_sent() -> RequestSent:
    return RequestSent(conversation_id=HERE, turn_id=TURN, model="local-7b")


def thought() -> ReasoningDelta:
    return ReasoningDelta(conversation_id=HERE, turn_id=TURN, message_id=MessageId("m4"), text="Hm")


def tool_started() -> ToolStarted:
    return ToolStarted(
        conversation_id=HERE, turn_id=TURN, call_id=CallId("k"), name="grep", arguments="{}"
    )


def tool_finished() -> ToolFinished:
    return ToolFinished(
        conversation_id=HERE,
        turn_id=TURN,
        call_id=CallId("k"),
        name="grep",
        content="",
        is_error=False,
    )


def retrying(problem: Problem = UNREACHABLE) -> Retrying:
    return Retrying(
        conversation_id=HERE, turn_id=TURN, problem=problem, attempt=2, attempts=4, wait_s=4.0
    )


def fell_back() -> FellBack:
    return FellBack(
        conversation_id=HERE,
        turn_id=TURN,
        from_model="local-7b",
        to_model="tiny",
        problem=UNREACHABLE,
    )


def after(*events: ConversationEvent) -> Status:
    """Tell events that all come at second 100."""
    status = Status()
    for event in events:
        status = advanced(status, event, 100.0)
    return status


@pytest.mark.parametrize(
    ("events", "age_s", "text"),
    [
        ((started(),), 2.2, "Connecting to local-7b… 2 s"),
        (
            (started(), model_starting()),
            1.4,
            "Starting local-7b… 1 s. Your message is next.",
        ),
        ((started(), model_starting()), 0.5, "Starting local-7b… Your message is next."),
        ((started(), request_started()), 0.5, "Connecting to local-7b…"),
        ((started(), request_sent()), 3.9, "Waiting for local-7b… 3 s"),
        ((started(), thought()), 3.0, "Thinking… 3 s"),
        ((started(), said("x" * 492)), 3.0, "Writing… 3 s · 41 tokens/s"),
        ((started(), said("x" * 492)), 0.9, "Writing…"),
        ((started(), tool_started()), 12.0, "Running grep… 12 s"),
        ((started(), retrying()), 0.2, "box.example did not answer. Again in 4 s (2 of 4)"),
        ((started(), retrying()), 4.1, "box.example did not answer. Asking again (2 of 4)"),
        ((started(), fell_back()), 1.0, "local-7b failed. Asking tiny…"),
    ],
)
def test_a_working_turn_says_what_it_does_and_how_to_stop_it(
    events: tuple[ConversationEvent, ...], age_s: float, text: str
) -> None:
    shown = line(after(*events), 100.0 + age_s, how_to_stop=HINT)
    waits = "Again in" in text
    assert shown == Line(text=f"{text} · Esc to stop", tone=Tone.BUSY, offers_now=waits)


@pytest.mark.parametrize(
    ("problem", "text"),
    [
        (
            Problem(kind=ProblemKind.RATE_LIMITED, params={"provider": "Box", "seconds": 4}),
            "Box asks to wait. Again in 4 s (2 of 4)",
        ),
        (
            Problem(kind=ProblemKind.SERVER_FAULT, params={"provider": "Box", "times": 1}),
            "Box failed. Again in 4 s (2 of 4)",
        ),
        (Problem(kind=ProblemKind.BROKEN_OFF), "The server did not answer. Again in 4 s (2 of 4)"),
    ],
)
def test_a_retry_says_only_what_is_known(problem: Problem, text: str) -> None:
    assert line(after(started(), retrying(problem)), 100.2).text == text


def test_label_waits_150_ms_so_that_nothing_flickers() -> None:
    status = after(started())
    assert line(status, 100.14, how_to_stop=HINT) == Line()
    assert line(status, 100.15, how_to_stop=HINT).text.startswith("Connecting to local-7b…")


def test_the_label_before_stays_until_the_new_one_is_due() -> None:
    status = advanced(after(started()), said("Hello"), 103.0)
    assert line(status, 103.1).text == "Connecting to local-7b… 3 s"
    assert line(status, 103.2).text == "Writing…"


def test_a_label_that_was_never_due_does_not_appear_afterwards() -> None:
    status = after(started(), request_started(), request_sent(), said("Hello"))
    assert line(status, 100.1, how_to_stop=HINT) == Line()


def test_esc_is_promised_only_when_it_will_stop() -> None:
    status = after(started(), said("Hello"))
    assert "Esc" not in line(status, 101.0).text
    stopping = entered(status, Phase.STOPPING, 101.0)
    assert line(stopping, 101.0, how_to_stop=HINT).text == "Writing… 1 s · 1 tokens/s"
    assert line(stopping, 101.5, how_to_stop=HINT).text == "Stopping…"


@pytest.mark.parametrize(
    ("closed_in_s", "text"),
    [
        (0.0004, "Stopped · connection closed in 0.4 ms"),
        (0.080, "Stopped · connection closed in 80 ms"),
        (1.3, "Stopped · took 1.3 s"),
        (None, "Stopped"),
    ],
)
def test_receipt_says_what_stop_did_and_goes_after_four_seconds(
    closed_in_s: float | None, text: str
) -> None:
    outcome = Stopped(reason=StopReason.PERSON, closed_in_s=closed_in_s)
    status = after(started(), ended(outcome))
    assert line(status, 100.0) == Line(text=text)
    assert ticked(status, 103.9) is status
    assert line(ticked(status, 104.0), 104.0) == Line()


def test_failure_offers_retry() -> None:
    status = after(started(), ended(Failed(problem=UNREACHABLE)))
    expected = Line(text="Not answered", tone=Tone.TROUBLE, offers_retry=True)
    assert line(status, 100.0) == expected


def test_no_network_names_the_model_that_needs_one() -> None:
    problem = Problem(kind=ProblemKind.NO_NETWORK)
    status = after(started(), ended(Failed(problem=problem)))
    text = line(status, 100.0).text
    assert text == "Offline. local-7b needs a network."


@pytest.mark.parametrize(
    ("phase", "is_busy", "can_stop"),
    [
        (Phase.IDLE, False, False),
        (Phase.SENDING, True, True),
        (Phase.STARTING, True, True),
        (Phase.CONNECTING, True, True),
        (Phase.WAITING, True, True),
        (Phase.THINKING, True, True),
        (Phase.WRITING, True, True),
        (Phase.TOOL, True, True),
        (Phase.RETRYING, True, True),
        (Phase.FALLING_BACK, True, True),
        (Phase.STOPPING, True, False),
        (Phase.STOPPED, False, False),
        (Phase.FAILED, False, False),
    ],
)
def test_button_is_stop_while_there_is_something_to_stop(
    phase: Phase, is_busy: bool, can_stop: bool
) -> None:
    assert (phase.is_busy, phase.can_stop) == (is_busy, can_stop)


@pytest.mark.parametrize(
    ("before", "event", "spoken"),
    [
        (after(started()), thought(), "Thinking"),
        (after(started()), said("Hello"), "Answering"),
        (after(started()), tool_started(), "Running grep"),
        (after(started()), retrying(), "box.example did not answer. (2 of 4)"),
        (after(started()), fell_back(), "local-7b failed. Asking tiny…"),
        (after(started()), ended(Completed()), "Answer finished"),
        (after(started()), ended(Stopped(reason=StopReason.PERSON)), "Stopped"),
    ],
)
def test_changes_are_said_aloud_politely(
    before: Status, event: ConversationEvent, spoken: str
) -> None:
    said_aloud = announcement(before, advanced(before, event, 101.0))
    assert said_aloud is not None
    assert (said_aloud.text, said_aloud.is_assertive) == (spoken, False)


def test_an_error_interrupts() -> None:
    before = after(started())
    after_failure = advanced(before, ended(Failed(problem=UNREACHABLE)), 101.0)
    said_aloud = announcement(before, after_failure)
    assert said_aloud is not None
    assert said_aloud.is_assertive
    assert said_aloud.text == "box.example cannot be reached. Check its address, or start it."


def test_tokens_and_seconds_are_never_said_aloud() -> None:
    before = after(started(), said("Hello"))
    assert announcement(before, advanced(before, said(" world"), 105.0)) is None
    assert announcement(before, ticked(before, 130.0)) is None


def test_a_long_wait_is_said_once() -> None:
    waiting = after(started(), request_sent())
    assert ticked(waiting, 109.9) is waiting
    late = ticked(waiting, 110.0)
    said_aloud = announcement(waiting, late)
    assert said_aloud is not None
    assert said_aloud.text == "Still waiting"
    assert ticked(late, 120.0) is late


def test_each_retry_is_said_once() -> None:
    first = after(started(), retrying())
    second = advanced(first, replace(retrying(), attempt=3), 105.0)
    said_aloud = announcement(first, second)
    assert said_aloud is not None
    assert said_aloud.text == "box.example did not answer. (3 of 4)"


def test_words_that_arrive_after_stop_do_not_look_like_writing() -> None:
    stopping = entered(after(started(), said("Hello")), Phase.STOPPING, 101.0)
    assert advanced(stopping, said(" world"), 101.1) is stopping


def test_a_tool_that_finished_is_not_running_any_more() -> None:
    status = after(started(), tool_started(), tool_finished())
    assert line(status, 101.0).text == "Connecting to local-7b… 1 s"
