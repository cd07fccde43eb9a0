"""Hold to talk, decided: presses, releases, sounds and texts, in every order."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.core.errors import Problem, ProblemKind
from app.core.voice import Force
from app.voice.machine import (
    Arming,
    CloseMicrophone,
    Decode,
    Decoded,
    DecodingFailed,
    Deliver,
    Discarded,
    Effect,
    Fail,
    Forced,
    Idle,
    Input,
    MicrophoneFailed,
    OpenMicrophone,
    Pressed,
    Recording,
    Released,
    SoundArrived,
    State,
    TriedAgain,
    step,
)

PROBLEM = Problem(kind=ProblemKind.SPEECH_FAILED)
HOLD = (Pressed(0.0), SoundArrived(1), Released(2.0))
TAP = (Pressed(0.0), SoundArrived(1), Released(0.1))


def run(*inputs: Input) -> tuple[State, list[Effect]]:
    state, effects = State(), list[Effect]()
    for each in inputs:
        state, more = step(state, each)
        effects += more
    return state, effects


def test_a_press_opens_the_microphone_at_once() -> None:
    state, effects = run(Pressed(0.0))
    assert effects == [OpenMicrophone(1)]
    assert state.phase == Arming(1, 0.0)


def test_it_listens_only_once_sound_arrives() -> None:
    state, _ = run(Pressed(0.0), SoundArrived(1))
    assert state.phase == Recording(1, 0.0)


def test_released_words_are_decoded_first_and_delivered_then() -> None:
    state, effects = run(*HOLD)
    assert effects == [OpenMicrophone(1), CloseMicrophone(1, keep=True), Decode(1)]
    assert state.phase == Idle()
    _, effects = run(*HOLD, Decoded(1, "shorter", is_sure=True))
    assert effects[-1] == Deliver(1, "shorter", is_sure=True)


def test_a_tap_latches_and_the_next_tap_ends() -> None:
    state, effects = run(*TAP)
    assert state.phase == Recording(1, 0.0, is_latched=True)
    assert effects == [OpenMicrophone(1)]
    state, effects = run(*TAP, Pressed(5.0), Released(5.1))
    assert effects[-2:] == [CloseMicrophone(1, keep=True), Decode(1)]
    assert state.phase == Idle()


def test_a_tap_that_is_over_before_the_first_sound_latches_too() -> None:
    state, _ = run(Pressed(0.0), Released(0.1), SoundArrived(1))
    assert state.phase == Recording(1, 0.0, is_latched=True)


def test_a_hold_without_any_sound_keeps_nothing() -> None:
    _, effects = run(Pressed(0.0), Released(2.0))
    assert effects[-1] == CloseMicrophone(1, keep=False)


def test_a_repeated_press_of_a_held_key_changes_nothing() -> None:
    before = run(Pressed(0.0), SoundArrived(1))
    assert run(Pressed(0.0), SoundArrived(1), Pressed(0.5)) == before


def test_discarding_forgets_what_was_recorded() -> None:
    state, effects = run(Pressed(0.0), SoundArrived(1), Discarded())
    assert effects[-1] == CloseMicrophone(1, keep=False)
    assert state.decoding == ()


@pytest.mark.parametrize("why", list(Force))
def test_a_forced_end_keeps_what_was_said(why: Force) -> None:
    _, effects = run(Pressed(0.0), SoundArrived(1), Forced(1, why))
    assert effects[-2:] == [CloseMicrophone(1, keep=True), Decode(1)]


def test_a_stale_sound_does_not_light_a_later_press() -> None:
    state, _ = run(Pressed(0.0), Discarded(), Pressed(1.0), SoundArrived(1))
    assert isinstance(state.phase, Arming)


def test_a_text_that_nobody_waits_for_is_not_delivered() -> None:
    _, effects = run(*HOLD, Decoded(1, "a", is_sure=True), Decoded(1, "b", is_sure=True))
    assert [e.text for e in effects if isinstance(e, Deliver)] == ["a"]


def test_the_next_press_does_not_wait_for_the_decoder() -> None:
    state, effects = run(*HOLD, Pressed(3.0), SoundArrived(2))
    assert effects[-1] == OpenMicrophone(2)
    assert state.decoding == (1,)


def test_a_microphone_that_fails_says_so_and_is_closed() -> None:
    state, effects = run(Pressed(0.0), MicrophoneFailed(1, PROBLEM))
    assert effects[-2:] == [CloseMicrophone(1, keep=False), Fail(1, PROBLEM)]
    assert state.phase == Idle()


def test_a_failed_decode_is_kept_and_can_be_tried_again() -> None:
    state, effects = run(*HOLD, DecodingFailed(1, PROBLEM))
    assert effects[-1] == Fail(1, PROBLEM)
    assert state.failed == (1,)
    state, effects = run(*HOLD, DecodingFailed(1, PROBLEM), TriedAgain())
    assert effects[-1] == Decode(1)
    assert state.failed == ()


generations = st.integers(1, 4)
times = st.floats(0, 10)
inputs = st.one_of(
    st.builds(Pressed, times),
    st.builds(Released, times),
    st.builds(SoundArrived, generations),
    st.builds(Discarded),
    st.builds(Forced, generations, st.sampled_from(list(Force))),
    st.builds(MicrophoneFailed, generations, st.just(PROBLEM)),
    st.builds(Decoded, generations, st.sampled_from(["", "words"]), st.booleans()),
    st.builds(DecodingFailed, generations, st.just(PROBLEM)),
    st.builds(TriedAgain),
)


@given(st.lists(inputs, max_size=50))
def test_every_opened_microphone_is_closed_once_and_no_recording_is_lost(
    schedule: list[Input],
) -> None:
    state, effects = run(*schedule)
    opened = [e.generation for e in effects if isinstance(e, OpenMicrophone)]
    closed = [e.generation for e in effects if isinstance(e, CloseMicrophone)]
    kept = {e.generation for e in effects if isinstance(e, CloseMicrophone) and e.keep}
    delivered = [e.generation for e in effects if isinstance(e, Deliver)]
    still_open = [] if isinstance(state.phase, Idle) else [state.phase.generation]
    assert opened == closed + still_open
    assert len(delivered) == len(set(delivered))
    assert kept == set(delivered) | set(state.decoding) | set(state.failed)
