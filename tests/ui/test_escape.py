"""Esc does the first thing that applies, and only that."""

import pytest

from app.ui.escape import EscapeAction, Surroundings, escape_action


@pytest.mark.parametrize(
    ("around", "expected"),
    [
        (Surroundings(), EscapeAction.NOTHING),
        (Surroundings(can_stop=True), EscapeAction.STOP),
        (Surroundings(is_editing=True, can_stop=True), EscapeAction.LEAVE_EDIT),
        (
            Surroundings(is_recording=True, is_editing=True, can_stop=True),
            EscapeAction.DISCARD_RECORDING,
        ),
        (
            Surroundings(has_popup=True, is_recording=True, is_editing=True, can_stop=True),
            EscapeAction.CLOSE_POPUP,
        ),
        (Surroundings(is_composing=True, has_popup=True, can_stop=True), EscapeAction.NOTHING),
    ],
)
def test_escape_does(around: Surroundings, expected: EscapeAction) -> None:
    assert escape_action(around) is expected
