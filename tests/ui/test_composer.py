"""Writing, sending and stopping, with real keys and a real mouse."""

import pytest
from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt
from PySide6.QtGui import QInputMethodEvent, QKeyEvent, QMouseEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from app.core.commands import SaveDraft, SendHeld, StopTurn, Submit
from app.core.events import Stopped, StopReason
from app.core.messages import Draft, Intent, WaitState
from app.core.settings import Settings
from app.ui.composer.round_button import LATE_STOP_S, Face
from app.ui.growing_text import LIMIT
from tests.ui import canned
from tests.ui.conftest import Hand

CTRL = Qt.KeyboardModifier.ControlModifier
SHIFT = Qt.KeyboardModifier.ShiftModifier
ALT = Qt.KeyboardModifier.AltModifier
ENTER = Qt.Key.Key_Return
STOPPED = Stopped(reason=StopReason.PERSON, closed_in_s=0.0004)


def test_message_has_the_focus_from_the_first_frame(hand: Hand) -> None:
    assert QApplication.focusWidget() is hand.composer.box


def test_enter_sends_what_was_typed_and_empties_the_box(talk: Hand) -> None:
    talk.write("Hello there")
    talk.press(ENTER)
    sent = talk.last(Submit)
    assert (sent.order.text, sent.intent) == ("Hello there", Intent.REDIRECT)
    assert talk.composer.box.toPlainText() == ""
    assert QApplication.focusWidget() is talk.composer.box


@pytest.mark.parametrize(
    ("held", "intent"),
    [(CTRL, Intent.REDIRECT), (CTRL | SHIFT, Intent.QUEUE), (CTRL | ALT, Intent.QUEUE)],
)
def test_chords_choose_the_intent_while_it_works(
    busy: Hand, held: Qt.KeyboardModifier, intent: Intent
) -> None:
    busy.write("Shorter")
    busy.press(ENTER, held)
    assert busy.last(Submit).intent is intent


def test_ctrl_alt_enter_steers_a_turn_that_has_tools(talk: Hand) -> None:
    talk.hear(canned.started(8, has_tools=True))
    talk.write("Shorter")
    talk.press(ENTER, CTRL | ALT)
    assert talk.last(Submit).intent is Intent.STEER


@pytest.mark.parametrize("held", [SHIFT, ALT])
def test_shift_and_alt_enter_break_the_line(talk: Hand, held: Qt.KeyboardModifier) -> None:
    talk.write("one")
    talk.press(ENTER, held)
    talk.write("two")
    assert talk.composer.box.toPlainText() == "one\ntwo"
    assert talk.commands == []


def test_enter_breaks_the_line_when_ctrl_enter_sends(talk: Hand) -> None:
    talk.window.show_settings(Settings(send_with_ctrl_enter=True))
    talk.write("one")
    talk.press(ENTER)
    talk.write("two")
    talk.press(ENTER, CTRL)
    assert talk.last(Submit).order.text == "one\ntwo"


def test_keypad_enter_sends_too(talk: Hand) -> None:
    talk.write("Hello")
    talk.press(Qt.Key.Key_Enter)
    assert talk.last(Submit).order.text == "Hello"


def test_nothing_but_space_is_not_sent(talk: Hand) -> None:
    talk.write("   ")
    talk.press(ENTER)
    assert talk.commands == []
    assert not talk.composer.round.isEnabled()


def test_enter_held_down_sends_once(talk: Hand) -> None:
    talk.write("Hello")
    talk.press(ENTER)
    talk.write("World")
    repeat = _auto_repeat(ENTER)
    QApplication.sendEvent(talk.composer.box, repeat)
    assert len(talk.all_of(Submit)) == 1
    assert talk.composer.box.toPlainText() == "World"


def _auto_repeat(key: Qt.Key) -> QKeyEvent:
    return QKeyEvent(QKeyEvent.Type.KeyPress, key, Qt.KeyboardModifier.NoModifier, "", autorep=True)


def test_enter_and_escape_belong_to_an_input_method_that_composes(busy: Hand) -> None:
    box = busy.composer.box
    busy.write("hao ")
    QApplication.sendEvent(box, QInputMethodEvent("ni", []))
    busy.press(ENTER)
    busy.press(Qt.Key.Key_Escape)
    assert busy.commands == []
    committed = QInputMethodEvent("", [])
    committed.setCommitString("你")
    QApplication.sendEvent(box, committed)
    busy.press(ENTER)
    assert busy.last(Submit).order.text == "hao 你"


def test_round_button_sends_then_stops_in_its_place(talk: Hand) -> None:
    button = talk.composer.round
    assert (button.accessibleName(), button.isEnabled()) == ("Send", False)
    talk.write("Hello")
    place = button.geometry()
    talk.clock.pass_s(1)
    talk.click(button)
    assert talk.last(Submit).order.text == "Hello"
    assert (button.accessibleName(), button.geometry()) == ("Stop", place)
    talk.click(button)
    assert talk.last(StopTurn).epoch == 8
    assert QApplication.focusWidget() is talk.composer.box


def test_double_click_on_send_does_not_stop(talk: Hand) -> None:
    talk.write("Hello")
    talk.clock.pass_s(1)
    kind = QMouseEvent.Type
    for each in (
        kind.MouseButtonPress,
        kind.MouseButtonRelease,
        kind.MouseButtonDblClick,  # how Qt delivers the second press
        kind.MouseButtonRelease,
    ):
        _mouse(talk.composer.round, each)
    assert [type(command) for command in talk.commands] == [Submit]


def _mouse(widget: QWidget, kind: QMouseEvent.Type) -> None:
    spot = QPointF(widget.rect().center())
    left = Qt.MouseButton.LeftButton
    held = Qt.MouseButton.NoButton if kind == QMouseEvent.Type.MouseButtonRelease else left
    where = widget.mapToGlobal(spot)
    event = QMouseEvent(kind, spot, where, left, held, Qt.KeyboardModifier.NoModifier)
    QApplication.sendEvent(widget, event)


def test_stop_that_comes_late_does_not_send_the_draft(busy: Hand) -> None:
    busy.write("A draft")
    busy.hear(canned.ended(STOPPED))
    assert busy.composer.round.face is Face.SEND
    busy.clock.pass_s(LATE_STOP_S - 0.01)
    busy.click(busy.composer.round)
    assert busy.all_of(Submit) == []
    busy.clock.pass_s(0.02)
    busy.click(busy.composer.round)
    assert busy.last(Submit).order.text == "A draft"


def test_enter_is_not_a_late_stop(busy: Hand) -> None:
    busy.write("A draft")
    busy.hear(canned.ended(STOPPED))
    busy.press(ENTER)
    assert busy.last(Submit).order.text == "A draft"


def test_stop_is_off_while_it_stops(busy: Hand) -> None:
    busy.click(busy.composer.round)
    assert busy.composer.round.face is Face.STOP
    assert not busy.composer.round.isEnabled()


def test_small_send_stands_beside_stop_only_with_text(busy: Hand) -> None:
    menu = busy.composer.send_menu
    assert not menu.isVisible()
    busy.write("Shorter")
    QApplication.processEvents()
    assert menu.isVisible()
    assert menu.geometry().right() < busy.composer.round.geometry().left()
    busy.click(menu)
    assert busy.last(Submit).intent is Intent.REDIRECT
    assert not menu.isVisible()


def test_menu_offers_the_intents_and_steering_only_with_tools(busy: Hand) -> None:
    menu = busy.composer.send_menu.menu()
    assert [a.text() for a in menu.actions() if a.isVisible()] == [
        "Redirect: stop, answer this instead",
        "Queue: send after this answer",
    ]
    busy.write("Later")
    menu.actions()[1].trigger()
    assert busy.last(Submit).intent is Intent.QUEUE
    busy.hear(canned.started(9, has_tools=True))
    assert menu.actions()[2].isVisible()


def test_placeholder_invites_to_what_enter_does(busy: Hand) -> None:
    assert busy.composer.box.placeholderText() == "Type to redirect"
    busy.window.show_settings(Settings(enter_intent=Intent.QUEUE))
    assert busy.composer.box.placeholderText() == "Type to queue"
    busy.hear(canned.ended(STOPPED))
    assert busy.composer.box.placeholderText() == "Ask anything, or hold F9 to talk"


def test_box_grows_from_one_line_to_eight(talk: Hand) -> None:
    box = talk.composer.box
    one = box.height()
    line = box.fontMetrics().lineSpacing()
    talk.write("a")
    for _ in range(3):
        talk.press(ENTER, SHIFT)
    assert box.height() == one + 3 * line
    for _ in range(10):
        talk.press(ENTER, SHIFT)
    assert box.height() == one + 7 * line
    box.clear()
    assert box.height() == one


def test_paste_is_plain_text(talk: Hand) -> None:
    mime = QMimeData()
    mime.setHtml("<b>bold</b>")
    mime.setText("bold")
    talk.composer.box.insertFromMimeData(mime)
    assert talk.composer.box.toPlainText() == "bold"


@pytest.mark.parametrize(
    "text", ["x" * 10_000_000, "a line of text\n" * 700_000], ids=["one line", "many lines"]
)
def test_ten_megabytes_are_refused_with_a_sentence_and_lose_nothing(talk: Hand, text: str) -> None:
    talk.write("My own words")
    mime = QMimeData()
    mime.setText(text)
    talk.composer.box.insertFromMimeData(mime)
    assert talk.composer.box.toPlainText() == "My own words"
    assert talk.window.pane.notice.isVisible()
    name = talk.window.pane.notice.accessibleName()
    assert "MB is too much for one message. Shorten it." in name


def test_longest_line_that_is_taken_does_not_break_at_words(talk: Hand) -> None:
    # Wrapping one unbroken line at words is quadratic: 1 MB of it took a minute.
    mime = QMimeData()
    mime.setText("x" * (LIMIT - 10))
    talk.composer.box.insertFromMimeData(mime)
    assert len(talk.composer.box.toPlainText()) == LIMIT - 10


def test_draft_is_saved_soon_after_the_last_key(talk: Hand, qtbot: QtBot) -> None:
    talk.write("Half a thou")
    qtbot.waitUntil(lambda: bool(talk.all_of(SaveDraft)))
    assert talk.last(SaveDraft).draft == Draft(text="Half a thou", cursor=11)


def test_draft_is_saved_while_typing_goes_on(talk: Hand, qtbot: QtBot) -> None:
    def type_on() -> bool:
        talk.write("x")  # never quiet for 300 ms
        return bool(talk.all_of(SaveDraft))

    qtbot.waitUntil(type_on)
    assert set(talk.last(SaveDraft).draft.text) == {"x"}


def test_sent_words_do_not_come_back_as_a_draft(talk: Hand, qtbot: QtBot) -> None:
    talk.write("Hello")
    talk.press(ENTER)
    talk.write("W")
    qtbot.waitUntil(lambda: bool(talk.all_of(SaveDraft)))
    assert [saved.draft.text for saved in talk.all_of(SaveDraft)] == ["W"]


def test_up_in_an_empty_box_brings_back_what_was_said(talk: Hand) -> None:
    talk.press(Qt.Key.Key_Up)
    assert talk.composer.box.toPlainText() == "Show me the code."
    talk.press(Qt.Key.Key_Down)
    assert talk.composer.box.toPlainText() == ""


def test_enter_in_an_empty_idle_box_sends_what_is_held(talk: Hand) -> None:
    talk.hear(canned.queue(canned.waiting("w1", "Later", Intent.QUEUE, WaitState.HELD)))
    talk.press(ENTER)
    talk.last(SendHeld)


def test_enter_in_an_empty_box_does_nothing_while_it_works(busy: Hand) -> None:
    busy.hear(canned.queue(canned.waiting("w1", "Later", Intent.QUEUE, WaitState.HELD)))
    busy.press(ENTER)
    assert busy.commands == []


def test_pointing_at_a_button_leaves_the_focus_in_message(busy: Hand) -> None:
    busy.write("Hello")
    QTest.mousePress(busy.composer.round, Qt.MouseButton.LeftButton, pos=QPoint(20, 20))
    assert QApplication.focusWidget() is busy.composer.box
