"""What Esc does: one rule for the whole window, pure."""

from dataclasses import dataclass
from enum import StrEnum


class EscapeAction(StrEnum):
    """The one thing a press of Esc does."""

    CLOSE_POPUP = "close_popup"
    DISCARD_RECORDING = "discard_recording"
    LEAVE_EDIT = "leave_edit"
    STOP = "stop"
    NOTHING = "nothing"


@dataclass(frozen=True, slots=True, kw_only=True)
class Surroundings:
    """What the window is doing when Esc comes."""

    is_composing: bool = False  # the input method owns the key
    has_popup: bool = False
    is_recording: bool = False
    is_editing: bool = False
    can_stop: bool = False


def escape_action(around: Surroundings) -> EscapeAction:
    """Choose the first that applies; it never clears what was written."""
    if around.is_composing:
        return EscapeAction.NOTHING
    if around.has_popup:
        return EscapeAction.CLOSE_POPUP
    if around.is_recording:
        return EscapeAction.DISCARD_RECORDING
    if around.is_editing:
        return EscapeAction.LEAVE_EDIT
    return EscapeAction.STOP if around.can_stop else EscapeAction.NOTHING
