"""Every chord with Enter, under every setting that matters."""

import pytest

from app.core.messages import Intent
from app.core.settings import Settings
from app.ui.composer.chords import Chord, Typed, meaning, possible

PLAIN = Settings()
QUEUES = Settings(enter_intent=Intent.QUEUE)
STEERS = Settings(enter_intent=Intent.STEER)
CTRL_SENDS = Settings(send_with_ctrl_enter=True)

ENTER = Chord()
SHIFT = Chord(shift=True)
ALT = Chord(alt=True)
CTRL = Chord(control=True)
CTRL_SHIFT = Chord(control=True, shift=True)
CTRL_ALT = Chord(control=True, alt=True)
ALL = Chord(control=True, shift=True, alt=True)


@pytest.mark.parametrize(
    ("chord", "settings", "has_tools", "expected"),
    [
        (ENTER, PLAIN, False, Intent.REDIRECT),
        (ENTER, QUEUES, False, Intent.QUEUE),
        (ENTER, STEERS, True, Intent.STEER),
        (ENTER, STEERS, False, Intent.QUEUE),
        (ENTER, CTRL_SENDS, False, Typed.NEWLINE),
        (CTRL, PLAIN, False, Intent.REDIRECT),
        (CTRL, QUEUES, True, Intent.REDIRECT),
        (CTRL, CTRL_SENDS, False, Intent.REDIRECT),
        (CTRL_SHIFT, PLAIN, True, Intent.QUEUE),
        (CTRL_SHIFT, CTRL_SENDS, True, Intent.QUEUE),
        (CTRL_ALT, PLAIN, True, Intent.STEER),
        (CTRL_ALT, PLAIN, False, Intent.QUEUE),
        (SHIFT, PLAIN, True, Typed.NEWLINE),
        (ALT, PLAIN, True, Typed.NEWLINE),
        (SHIFT, CTRL_SENDS, True, Typed.NEWLINE),
        (Chord(shift=True, alt=True), PLAIN, True, Typed.NEWLINE),
        (ALL, PLAIN, True, Typed.NOTHING),
    ],
)
def test_chord_means(
    chord: Chord, settings: Settings, has_tools: bool, expected: Intent | Typed
) -> None:
    assert meaning(chord, settings, has_tools=has_tools) is expected


@pytest.mark.parametrize("intent", [Intent.REDIRECT, Intent.QUEUE])
def test_only_steering_needs_tools(intent: Intent) -> None:
    assert possible(intent, has_tools=False) is intent
