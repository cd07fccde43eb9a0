"""What chips say, and when one is shown at all."""

import pytest

from app.core.ids import MessageId
from app.core.messages import Intent, Order, OrderKind, Waiting, WaitState, text_parts
from app.ui.chips.captions import caption, held_sentence, shown, words
from app.ui.conversation_state import ConversationState, submitted
from tests.ui import canned
from tests.ui.canned import HERE


@pytest.mark.parametrize(
    ("intent", "state", "expected"),
    [
        (Intent.REDIRECT, WaitState.WAITING, "Redirecting…"),
        (Intent.QUEUE, WaitState.WAITING, "After this answer"),
        (Intent.STEER, WaitState.WAITING, "At the next step"),
        (Intent.QUEUE, WaitState.HELD, "Held"),
        (Intent.QUEUE, WaitState.SAVING, "Saving…"),
        (Intent.REDIRECT, WaitState.EDITING, "Editing"),
    ],
)
def test_caption(intent: Intent, state: WaitState, expected: str) -> None:
    assert caption(canned.waiting("w1", "Hello", intent, state)) == expected


def test_words_are_one_line_and_a_retry_has_a_name() -> None:
    many = canned.waiting("w1", "One\n\n  two", Intent.QUEUE, WaitState.WAITING)
    assert words(many) == "One two"
    retry = Order(id=MessageId("w2"), conversation_id=HERE, kind=OrderKind.RETRY)
    assert words(Waiting(order=retry, intent=Intent.QUEUE, state=WaitState.HELD)) == "Retry"


@pytest.mark.parametrize(
    ("count", "was_stopped", "has_failed", "expected"),
    [
        (2, True, False, "Stopped. 2 messages held."),
        (1, True, False, "Stopped. 1 message held."),
        (3, False, True, "Not answered. 3 messages held."),
        (1, False, False, "1 message held."),
    ],
)
def test_held_bar_says_why_if_it_is_known(
    count: int, was_stopped: bool, has_failed: bool, expected: str
) -> None:
    assert held_sentence(count, was_stopped=was_stopped, has_failed=has_failed) == expected


def test_message_that_starts_at_once_gets_no_chip() -> None:
    order = Order(id=MessageId("w1"), conversation_id=HERE, parts=text_parts("Hello"))
    state = submitted(ConversationState(id=HERE), order, Intent.REDIRECT, 10.0)
    assert shown(state, 10.1) == ()
    assert [w.order.id for w in shown(state, 10.2)] == ["w1"]
