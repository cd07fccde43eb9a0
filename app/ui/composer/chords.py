"""What a key chord with Enter means in the Message box: pure, and the same on every system.

Qt gives ⌘ on a Mac as Control, so one table serves all three.
"""

from dataclasses import dataclass
from enum import StrEnum

from app.core.messages import Intent
from app.core.settings import Settings


@dataclass(frozen=True, slots=True, kw_only=True)
class Chord:
    """Enter, with what is held down beside it."""

    control: bool = False
    shift: bool = False
    alt: bool = False


class Typed(StrEnum):
    """What Enter does when it does not send."""

    NEWLINE = "newline"
    NOTHING = "nothing"


def meaning(chord: Chord, settings: Settings, *, has_tools: bool) -> Intent | Typed:
    """Decide: send with an intent, or break the line. Idle, every intent sends."""
    match chord:
        case Chord(control=True, shift=False, alt=False):
            return Intent.REDIRECT
        case Chord(control=True, shift=True, alt=False):
            return Intent.QUEUE
        case Chord(control=True, shift=False, alt=True):
            return possible(Intent.STEER, has_tools=has_tools)
        case Chord(control=True):
            return Typed.NOTHING
        case Chord(shift=False, alt=False) if not settings.send_with_ctrl_enter:
            return possible(settings.enter_intent, has_tools=has_tools)
        case _:
            return Typed.NEWLINE


def possible(intent: Intent, *, has_tools: bool) -> Intent:
    """Queue instead of steering a turn that has no steps to steer at."""
    return Intent.QUEUE if intent is Intent.STEER and not has_tools else intent
