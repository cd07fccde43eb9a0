"""What the window knows of a conversation, and above all which epoch Stop names."""

from dataclasses import replace

from app.core.errors import Problem, ProblemKind
from app.core.events import (
    Completed,
    Failed,
    HistoryChanged,
    Stopped,
    StopReason,
)
from app.core.ids import MessageId
from app.core.messages import Intent, Order, OrderKind, Role, WaitState, text_parts
from app.core.status import Phase
from app.ui.conversation_state import (
    UNANSWERED_S,
    ConversationState,
    applied,
    discarded,
    stop_asked,
    submitted,
    waited,
    will_start,
)
from tests.ui import canned
from tests.ui.canned import HERE

STOPPED = Stopped(reason=StopReason.PERSON, closed_in_s=0.001)
REDIRECTED = Stopped(reason=StopReason.REDIRECT)


def order(key: str, kind: OrderKind = OrderKind.SEND) -> Order:
    return Order(id=MessageId(key), conversation_id=HERE, kind=kind, parts=text_parts("Hello"))


def grown(*keys: str) -> HistoryChanged:
    added = tuple(canned.message(key, Role.USER, "Hello", "m3") for key in keys)
    tree = canned.tree().with_messages(added, leaf=MessageId("m3"))
    return HistoryChanged(conversation_id=HERE, tree=tree, added=added)


def idle(last_epoch: int = 7) -> ConversationState:
    return applied(ConversationState(id=HERE), canned.opened(last_epoch=last_epoch), 0.0)


def running(epoch: int = 8) -> ConversationState:
    sent = submitted(idle(epoch - 1), order("w1"), Intent.REDIRECT, 1.0)
    return applied(applied(sent, grown("w1"), 1.0), canned.started(epoch), 1.0)


def test_stop_between_enter_and_start_names_the_epoch_to_come() -> None:
    state = submitted(idle(last_epoch=7), order("w1"), Intent.REDIRECT, 1.0)
    assert state.status.phase is Phase.SENDING
    assert state.horizon == 8


def test_stop_of_a_running_turn_names_its_epoch() -> None:
    assert running(epoch=8).horizon == 8


def test_stop_while_a_redirect_cancels_reaches_the_redirect() -> None:
    state = submitted(running(epoch=8), order("w2"), Intent.REDIRECT, 2.0)
    assert state.horizon == 9


def test_queued_and_steered_messages_do_not_widen_stop() -> None:
    state = submitted(running(epoch=8), order("w2"), Intent.QUEUE, 2.0)
    state = submitted(state, order("w3"), Intent.STEER, 2.0)
    assert state.horizon == 8


def test_a_promotion_widens_stop_until_it_is_seen_to_start() -> None:
    state = will_start(running(epoch=8), (MessageId("w2"),), 2.0)
    assert state.horizon == 9
    state = applied(applied(state, canned.ended(REDIRECTED), 2.1), canned.started(9), 2.1)
    assert state.horizon == 9


def test_a_second_redirect_sent_before_the_first_was_seen_to_start_stays_reachable() -> None:
    state = submitted(idle(7), order("w1"), Intent.REDIRECT, 1.0)
    state = submitted(state, order("w2"), Intent.REDIRECT, 1.1)
    state = applied(applied(state, grown("w1"), 1.2), canned.started(8), 1.2)
    assert state.horizon == 9


def test_retry_is_done_starting_once_its_turn_started() -> None:
    state = submitted(idle(7), order("w1", OrderKind.RETRY), Intent.REDIRECT, 1.0)
    saving = canned.waiting("w1", "", Intent.REDIRECT, WaitState.SAVING)
    for event in (canned.queue(saving), grown(), canned.started(8), canned.queue()):
        state = applied(state, event, 1.1)
    assert state.horizon == 8
    assert applied(state, canned.ended(Completed()), 2.0).status.phase is Phase.IDLE


def test_queue_news_before_the_start_counts_as_well_as_after_it() -> None:
    state = submitted(idle(7), order("w1"), Intent.REDIRECT, 1.0)
    saving = canned.waiting("w1", "Hello", Intent.REDIRECT, WaitState.SAVING)
    state = applied(applied(state, canned.queue(saving), 1.0), canned.queue(), 1.1)
    assert state.horizon == 8
    assert state.status.phase is Phase.SENDING
    state = applied(state, canned.started(8), 1.1)
    assert (state.horizon, state.starting, state.taken) == (8, frozenset(), frozenset())


def test_message_held_by_stop_before_it_started_ends_in_a_receipt() -> None:
    state = stop_asked(submitted(idle(7), order("w1"), Intent.REDIRECT, 1.0), 1.1)
    assert not state.status.phase.can_stop
    held = canned.waiting("w1", "Hello", Intent.REDIRECT, WaitState.HELD)
    state = applied(state, canned.queue(held), 1.2)
    assert state.status.phase is Phase.STOPPED
    assert state.horizon == 7


def test_turn_that_started_before_stop_reached_it_stays_stopping() -> None:
    state = stop_asked(submitted(idle(7), order("w1"), Intent.REDIRECT, 1.0), 1.1)
    state = applied(applied(state, grown("w1"), 1.2), canned.started(8), 1.2)
    assert state.status.phase is Phase.STOPPING
    state = applied(state, canned.ended(STOPPED), 1.3)
    assert (state.status.phase, state.was_stopped) == (Phase.STOPPED, True)


def test_message_sent_after_stop_is_not_taken_for_the_stopped_one() -> None:
    state = stop_asked(submitted(idle(7), order("w1"), Intent.REDIRECT, 1.0), 1.1)
    state = submitted(state, order("w2"), Intent.REDIRECT, 1.2)
    held = canned.waiting("w1", "Hello", Intent.REDIRECT, WaitState.HELD)
    state = applied(state, canned.queue(held), 1.3)
    assert state.status.phase.can_stop
    state = applied(applied(state, grown("w2"), 1.4), canned.started(8), 1.4)
    assert state.status.phase is Phase.CONNECTING
    assert [w.order.id for w in state.held] == ["w1"]


def test_redirect_keeps_the_button_at_stop_from_turn_to_turn() -> None:
    state = submitted(running(epoch=8), order("w2"), Intent.REDIRECT, 2.0)
    for event in (canned.ended(REDIRECTED), grown("w2"), canned.started(9)):
        state = applied(state, event, 2.1)
        assert state.status.phase.can_stop


def test_redirect_runs_after_a_failure() -> None:
    state = submitted(running(epoch=8), order("w2"), Intent.REDIRECT, 2.0)
    problem = Problem(kind=ProblemKind.NO_NETWORK)
    assert applied(state, canned.ended(Failed(problem=problem)), 2.1).status.phase is Phase.SENDING


def test_stop_wins_over_a_redirect_that_was_cancelling() -> None:
    state = submitted(running(epoch=8), order("w2"), Intent.REDIRECT, 2.0)
    state = applied(stop_asked(state, 2.1), canned.ended(REDIRECTED), 2.2)
    assert state.status.phase is Phase.STOPPED
    held = canned.waiting("w2", "Hello", Intent.REDIRECT, WaitState.HELD)
    state = applied(state, canned.queue(held), 2.3)
    assert (state.status.phase, state.horizon) == (Phase.STOPPED, 8)


def test_stale_ending_changes_nothing() -> None:
    state = running(epoch=8)
    assert applied(state, canned.ended(Completed(), epoch=7), 2.0) is state


def test_discarding_what_was_about_to_start_comes_to_rest() -> None:
    state = submitted(idle(7), order("w1"), Intent.REDIRECT, 1.0)
    rested = discarded(state, frozenset({MessageId("w1")}), 1.1)
    assert (rested.status.phase, rested.queue) == (Phase.IDLE, ())


def test_chip_open_for_editing_is_not_about_to_start() -> None:
    state = submitted(running(epoch=8), order("w2"), Intent.REDIRECT, 2.0)
    editing = canned.waiting("w2", "Hello", Intent.REDIRECT, WaitState.EDITING)
    assert applied(state, canned.queue(editing), 2.1).horizon == 8


def test_stop_that_nobody_answers_does_not_lock_the_window() -> None:
    state = stop_asked(submitted(idle(7), order("w1"), Intent.REDIRECT, 1.0), 2.0)
    assert waited(state, 2.0 + UNANSWERED_S - 0.1) is state
    assert waited(state, 2.0 + UNANSWERED_S).status.phase is Phase.STOPPED


def test_running_turn_is_never_taken_for_unanswered() -> None:
    state = stop_asked(running(epoch=8), 2.0)
    assert waited(state, 60.0) is state


def test_opening_a_conversation_again_keeps_what_is_known_of_its_turn() -> None:
    state = applied(running(epoch=8), canned.said("Hello"), 2.0)
    again = replace(canned.opened(last_epoch=8), running=canned.started(8))
    assert applied(state, again, 3.0).status is state.status


def test_conversation_that_opens_in_the_middle_of_a_turn_can_be_stopped() -> None:
    opened = replace(canned.opened(last_epoch=8), running=canned.started(8))
    state = applied(ConversationState(id=HERE), opened, 1.0)
    assert (state.status.phase.can_stop, state.horizon) == (True, 8)


def test_own_words_are_what_the_person_said_on_this_branch() -> None:
    assert idle().own_words() == (canned.QUESTION, "Show me the code.")
