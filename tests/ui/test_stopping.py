"""Esc: first what is open, then the visible turn, and never a word that was written."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QApplication, QLineEdit, QPlainTextEdit, QToolButton

from app.core.commands import (
    StopTurn,
)
from app.core.events import (
    Stopped,
    StopReason,
)
from app.core.ids import ConversationId
from tests.ui import canned
from tests.ui.conftest import Hand

CTRL = Qt.KeyboardModifier.ControlModifier
ESC = Qt.Key.Key_Escape


def test_escape_stops_the_visible_turn_and_says_so(busy: Hand) -> None:
    busy.write("not cleared")
    busy.press(ESC)
    assert busy.last(StopTurn).epoch == 8
    assert busy.status == "Stopping…"
    busy.hear(canned.ended(Stopped(reason=StopReason.PERSON, closed_in_s=0.0004)))
    assert busy.status == "Stopped · connection closed in 0.4 ms"
    busy.clock.pass_s(4)
    assert busy.status == ""
    assert busy.composer.box.toPlainText() == "not cleared"


def test_escape_does_nothing_when_nothing_runs(talk: Hand) -> None:
    talk.press(ESC)
    assert talk.commands == []


def test_escape_held_down_stops_once(busy: Hand) -> None:
    nothing = Qt.KeyboardModifier.NoModifier
    repeat = QKeyEvent(QKeyEvent.Type.KeyPress, ESC, nothing, "", autorep=True)
    QApplication.sendEvent(busy.composer.box, repeat)
    assert busy.commands == []


def test_second_escape_does_not_stop_what_comes_next(busy: Hand) -> None:
    busy.press(ESC)
    busy.press(ESC)
    assert len(busy.all_of(StopTurn)) == 1


@pytest.mark.parametrize("name", ["search", "list", "new", "settings"])
def test_escape_stops_from_wherever_the_focus_is(busy: Hand, name: str) -> None:
    getattr(busy.window.sidebar, name).setFocus()
    busy.press(ESC)
    assert busy.last(StopTurn).epoch == 8


def test_stop_between_enter_and_the_start_names_the_turn_to_come(talk: Hand) -> None:
    talk.write("Hello")
    talk.press(Qt.Key.Key_Return)
    talk.press(ESC)
    assert talk.last(StopTurn).epoch == 8


def test_stop_acts_on_the_visible_conversation_only(busy: Hand) -> None:
    busy.window.navigation.open(ConversationId("c2"))
    busy.hear(canned.blank("c2"))
    busy.commands.clear()
    busy.press(ESC)
    assert busy.commands == []
    busy.window.navigation.open(canned.HERE)
    busy.press(ESC)
    assert busy.last(StopTurn).conversation_id == canned.HERE


def edit_in_bubble(hand: Hand) -> QPlainTextEdit:
    """Open the last question for change, as the person would."""
    buttons = hand.window.pane.transcript.findChildren(QToolButton)
    edits = [b for b in buttons if b.isVisible() and b.text() == "Edit"]
    hand.click(max(edits, key=lambda b: b.mapTo(hand.window, b.pos()).y()))
    focus = QApplication.focusWidget()
    assert isinstance(focus, QPlainTextEdit)
    assert focus.accessibleName() == "Edit message"
    return focus


def test_escape_leaves_a_message_that_is_edited_before_it_stops(busy: Hand) -> None:
    edit_in_bubble(busy)
    assert "Esc" not in busy.status
    busy.window.pane.focus_message()
    busy.press(ESC)
    assert busy.commands == []
    assert busy.status.endswith("Esc to stop")
    busy.press(ESC)
    busy.last(StopTurn)


def test_escape_in_the_find_bar_closes_it_and_does_not_stop(busy: Hand) -> None:
    busy.press(Qt.Key.Key_F, CTRL)
    assert isinstance(QApplication.focusWidget(), QLineEdit)
    assert "Esc" not in busy.status
    busy.press(ESC)
    assert busy.commands == []
    assert busy.status.endswith("Esc to stop")
