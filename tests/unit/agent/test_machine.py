"""The turn machine, over every bounded schedule, over random ones, and case by case."""

from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.agent.machine.step import step
from app.agent.machine.vocabulary import (
    Cancel,
    Cancelling,
    Closed,
    Committed,
    Deliver,
    Discarded,
    EditBegun,
    EditEnded,
    Effect,
    Finished,
    Idle,
    Input,
    Moved,
    NotCommitted,
    Persist,
    Promoted,
    QuitAsked,
    Resumed,
    Running,
    SpeechBegun,
    SpeechEnded,
    Start,
    State,
    StepReached,
    StopAsked,
    Submitted,
)
from app.core.errors import Problem, ProblemKind
from app.core.events import Completed, Failed, Stopped, StopReason
from app.core.ids import MessageId
from app.core.messages import Intent
from tests.unit.agent.machine_model import Watched

A, B, C = MessageId("a"), MessageId("b"), MessageId("c")
FAILED = Failed(problem=Problem(kind=ProblemKind.SERVER_FAULT))
STOPPED = Stopped(reason=StopReason.PERSON)


def run(*inputs: Input) -> tuple[State, list[Effect]]:
    watched, effects = Watched(), list[Effect]()
    for each in inputs:
        effects += watched.give(each)
    return watched.state, effects


def starts(effects: list[Effect]) -> list[tuple[MessageId, ...]]:
    return [effect.ids for effect in effects if isinstance(effect, Start)]


def sent(order_id: MessageId, intent: Intent = Intent.REDIRECT) -> tuple[Input, Input]:
    return Submitted(order_id, intent), Committed(order_id)


def possible(watched: Watched) -> Iterator[Input]:
    """List what can happen next, stale and late inputs included."""
    for order_id in (A, B, C):
        if order_id not in watched.accepted:
            yield from (Submitted(order_id, intent) for intent in Intent)
            break
    for entry in watched.state.queue:
        if not entry.committed:
            yield Committed(entry.id)
            yield NotCommitted(entry.id)
        yield Discarded((entry.id,))
        yield Promoted(entry.id)
        yield EditEnded(entry.id) if entry.editing else EditBegun(entry.id)
    live = watched.state.next_epoch - 1
    yield from (StopAsked(epoch) for epoch in (live - 1, live, live + 1))
    if isinstance(watched.state.phase, Running | Cancelling):
        yield from (Finished(live, outcome) for outcome in (Completed(), STOPPED, FAILED))
        yield StepReached(live)
    yield Finished(live - 1, Completed())
    yield Resumed()
    yield SpeechEnded() if watched.state.listening else SpeechBegun()
    yield QuitAsked()


def key_of(watched: Watched) -> tuple[object, ...]:
    """Name what matters of the past: two schedules that meet here have the same future."""
    return (
        watched.state,
        frozenset(watched.accepted),
        frozenset(watched.moved.items()),
        frozenset(watched.discarded),
        frozenset(watched.cancelled.items()),
    )


def test_every_schedule_of_three_messages_keeps_every_promise() -> None:
    seen: set[tuple[object, ...]] = set()
    frontier = [Watched()]
    while frontier:
        watched = frontier.pop()
        for each in possible(watched):
            after = watched.copy()
            after.give(each)
            if key_of(after) not in seen:
                seen.add(key_of(after))
                frontier.append(after)
    assert len(seen) > 8_000


ids = st.sampled_from([MessageId(letter) for letter in "abcdefgh"])
epochs = st.integers(min_value=0, max_value=8)
outcomes = st.sampled_from([Completed(), STOPPED, FAILED])
inputs = st.one_of(
    st.builds(Submitted, ids, st.sampled_from(list(Intent))),
    st.builds(Committed, ids),
    st.builds(NotCommitted, ids),
    st.builds(StopAsked, epochs),
    st.builds(Finished, epochs, outcomes),
    st.builds(StepReached, epochs),
    st.builds(Resumed),
    st.builds(Promoted, ids),
    st.builds(Discarded, st.tuples(ids)),
    st.builds(EditBegun, ids),
    st.builds(EditEnded, ids),
    st.builds(Moved, ids, st.integers(0, 5)),
    st.builds(SpeechBegun),
    st.builds(SpeechEnded),
    st.builds(QuitAsked),
)


@settings(max_examples=400)
@given(st.lists(inputs, max_size=60))
def test_random_schedules_keep_every_promise(schedule: list[Input]) -> None:
    watched = Watched()
    for each in schedule:
        if isinstance(each, Submitted) and each.id in watched.accepted:
            continue
        watched.give(each)


def test_a_message_sent_while_idle_starts_once_it_is_on_disk() -> None:
    _, before = run(Submitted(A, Intent.REDIRECT))
    assert before == [Persist(A)]
    state, after = run(*sent(A))
    assert starts(after) == [(A,)]
    assert state.phase == Running(1)


@pytest.mark.parametrize("intent", list(Intent))
def test_idle_every_intent_sends(intent: Intent) -> None:
    assert starts(run(*sent(A, intent))[1]) == [(A,)]


def test_a_redirect_cancels_without_waiting_for_the_disk() -> None:
    state, effects = run(*sent(A), Submitted(B, Intent.REDIRECT))
    assert effects[-2:] == [Cancel(1, StopReason.REDIRECT), Persist(B)]
    assert state.phase == Cancelling(1)


def test_redirects_that_pile_up_start_one_turn_in_order() -> None:
    _, effects = run(*sent(A), *sent(B), *sent(C), Finished(1, STOPPED))
    assert starts(effects) == [(A,), (B, C)]


def test_a_redirect_that_is_still_being_saved_is_waited_for() -> None:
    late = Submitted(C, Intent.REDIRECT)
    _, early = run(*sent(A), *sent(B), late, Finished(1, STOPPED))
    assert starts(early) == [(A,)]
    _, effects = run(*sent(A), *sent(B), late, Finished(1, STOPPED), Committed(C))
    assert starts(effects) == [(A,), (B, C)]


def test_a_redirect_that_finds_the_turn_already_over_still_runs() -> None:
    _, effects = run(*sent(A), Finished(1, Completed()), *sent(B))
    assert starts(effects) == [(A,), (B,)]
    assert not any(isinstance(effect, Cancel) for effect in effects)


def test_the_turn_finishing_by_itself_while_cancelling_still_runs_the_redirect() -> None:
    _, effects = run(*sent(A), *sent(B), Finished(1, Completed()))
    assert starts(effects) == [(A,), (B,)]


def test_stop_between_enter_and_the_start_holds_that_message() -> None:
    state, effects = run(Submitted(A, Intent.REDIRECT), StopAsked(1), Committed(A))
    assert starts(effects) == []
    assert state.queue[0].held


def test_stop_while_a_redirect_is_cancelling_holds_the_redirect() -> None:
    state, effects = run(*sent(A), *sent(B), StopAsked(1), Finished(1, STOPPED))
    assert starts(effects) == [(A,)]
    assert [entry.id for entry in state.queue if entry.held] == [B]


def test_stop_that_expected_the_redirect_reaches_it_when_it_has_already_started() -> None:
    _, effects = run(*sent(A), *sent(B), Finished(1, STOPPED), StopAsked(2))
    assert effects[-1] == Cancel(2, StopReason.PERSON)


def test_a_late_stop_changes_nothing() -> None:
    state, effects = run(*sent(A), Finished(1, Completed()), *sent(B), StopAsked(1))
    assert state.phase == Running(2)
    assert not any(isinstance(effect, Cancel) for effect in effects)


def test_two_stops_are_one() -> None:
    _, effects = run(*sent(A), StopAsked(1), StopAsked(1))
    assert [e for e in effects if isinstance(e, Cancel)] == [Cancel(1, StopReason.PERSON)]


def test_after_stop_a_new_message_runs_alone_and_send_them_releases_the_rest() -> None:
    held = (*sent(A), *sent(B, Intent.QUEUE), StopAsked(1), Finished(1, STOPPED))
    state, effects = run(*held, *sent(C))
    assert starts(effects) == [(A,), (C,)]
    assert [entry.id for entry in state.queue] == [B]
    _, effects = run(*held, *sent(C), Finished(2, Completed()), Resumed())
    assert starts(effects) == [(A,), (C,), (B,)]


def test_queued_messages_run_one_turn_each() -> None:
    queued = (*sent(A), *sent(B, Intent.QUEUE), *sent(C, Intent.QUEUE))
    _, effects = run(*queued, Finished(1, Completed()), Finished(2, Completed()))
    assert starts(effects) == [(A,), (B,), (C,)]


def test_a_failed_turn_holds_the_queue_but_runs_a_redirect() -> None:
    state, effects = run(*sent(A), *sent(B, Intent.QUEUE), *sent(C), Finished(1, FAILED))
    assert starts(effects) == [(A,), (C,)]
    assert state.queue[0].held


def test_a_steer_is_delivered_at_the_next_step() -> None:
    _, effects = run(*sent(A), *sent(B, Intent.STEER), StepReached(1))
    assert effects[-1] == Deliver(1, (B,))


def test_steers_that_met_no_step_become_the_next_turn_together() -> None:
    steers = (*sent(B, Intent.STEER), *sent(C, Intent.STEER))
    _, effects = run(*sent(A), *steers, Finished(1, Completed()))
    assert starts(effects) == [(A,), (B, C)]


def test_a_queued_message_does_not_overtake_a_steer_that_is_still_being_saved() -> None:
    late = Submitted(C, Intent.STEER)
    waiting = (*sent(A), *sent(B, Intent.QUEUE), late, Finished(1, Completed()))
    assert starts(run(*waiting)[1]) == [(A,)]
    assert starts(run(*waiting, Committed(C))[1]) == [(A,), (C,)]


def test_a_held_steer_is_not_delivered() -> None:
    state, effects = run(*sent(A), *sent(B, Intent.STEER), StopAsked(1), StepReached(1))
    assert not any(isinstance(effect, Deliver) for effect in effects)
    assert state.queue[0].held


def test_promoting_a_queued_message_redirects_with_it() -> None:
    _, effects = run(*sent(A), *sent(B, Intent.QUEUE), Promoted(B), Finished(1, STOPPED))
    assert Cancel(1, StopReason.REDIRECT) in effects
    assert starts(effects) == [(A,), (B,)]


def test_an_open_chip_cannot_start_and_nothing_overtakes_it() -> None:
    queued = (*sent(A), *sent(B, Intent.QUEUE), *sent(C, Intent.QUEUE))
    _, effects = run(*queued, EditBegun(B), Finished(1, Completed()))
    assert starts(effects) == [(A,)]
    _, effects = run(*queued, EditBegun(B), Finished(1, Completed()), EditEnded(B))
    assert starts(effects) == [(A,), (B,)]


def test_a_redirect_overtakes_an_open_chip() -> None:
    _, effects = run(*sent(A), *sent(B, Intent.QUEUE), EditBegun(B), *sent(C), Finished(1, STOPPED))
    assert starts(effects) == [(A,), (C,)]


def test_what_could_not_be_saved_is_held() -> None:
    state, effects = run(Submitted(A, Intent.REDIRECT), NotCommitted(A))
    assert starts(effects) == []
    assert state.queue[0].held


@pytest.mark.parametrize("release", [Resumed(), Promoted(A)])
def test_releasing_what_could_not_be_saved_saves_it_again(release: Input) -> None:
    state, effects = run(Submitted(A, Intent.REDIRECT), NotCommitted(A), release)
    assert effects == [Persist(A), Persist(A)]
    assert starts(run(Submitted(A, Intent.REDIRECT), NotCommitted(A), release, Committed(A))[1])
    assert not state.queue[0].held


def test_quit_cancels_the_turn_and_starts_nothing_more() -> None:
    state, effects = run(*sent(A), *sent(B, Intent.QUEUE), QuitAsked(), Finished(1, STOPPED))
    assert Cancel(1, StopReason.QUIT) in effects
    assert starts(effects) == [(A,)]
    assert state.phase == Closed()
    assert state.queue[0].held


def test_a_message_submitted_after_quit_is_kept() -> None:
    state, effects = run(QuitAsked(), *sent(A))
    assert effects == [Persist(A)]
    assert [entry.id for entry in state.queue] == [A]


def test_sending_them_while_a_turn_runs_does_not_stop_it() -> None:
    held = (*sent(A), *sent(B), StopAsked(1), Finished(1, STOPPED))
    _, effects = run(*held, *sent(C), Resumed(), Finished(2, Completed()))
    assert starts(effects) == [(A,), (C,), (B,)]
    assert Cancel(2, StopReason.REDIRECT) not in effects


def test_moving_reorders_the_queue() -> None:
    queued = (*sent(A), *sent(B, Intent.QUEUE), *sent(C, Intent.QUEUE))
    _, effects = run(*queued, Moved(C, 0), Finished(1, Completed()))
    assert starts(effects) == [(A,), (C,)]


def test_nothing_that_waits_starts_while_the_person_speaks() -> None:
    state, effects = run(
        *sent(A), *sent(B, Intent.QUEUE), SpeechBegun(), Finished(1, Completed()), *sent(C)
    )
    assert starts(effects) == [(A,), (C,)]  # what the person sends now does start
    assert [entry.id for entry in state.queue] == [B]


def test_what_waited_while_the_person_spoke_goes_on_after_their_words() -> None:
    held = (*sent(A), *sent(B, Intent.QUEUE), SpeechBegun(), Finished(1, Completed()))
    assert starts(run(*held, SpeechEnded())[1]) == [(A,), (B,)]
    _, effects = run(*held, *sent(C), SpeechEnded(), Finished(2, Completed()))
    assert starts(effects) == [(A,), (C,), (B,)]


def test_idle_is_where_it_begins() -> None:
    assert step(State(), Resumed()) == (State(phase=Idle()), ())
