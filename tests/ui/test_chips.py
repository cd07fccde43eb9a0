"""Waiting orders: shown in order, edited, removed, promoted, moved."""

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel

from app.core.commands import (
    BeginRevision,
    DiscardWaiting,
    EndRevision,
    MoveWaiting,
    PromoteWaiting,
    RestoreWaiting,
    SendHeld,
    StopTurn,
)
from app.core.events import Completed, TurnEnded
from app.core.ids import ConversationId
from app.core.messages import Intent, WaitState
from app.ui.chips.chip import Chip
from app.ui.chips.chip_editor import ChipEditor
from tests.ui import canned
from tests.ui.conftest import Hand

ALT = Qt.KeyboardModifier.AltModifier
CTRL = Qt.KeyboardModifier.ControlModifier
LEFT = Qt.MouseButton.LeftButton

FIRST = canned.waiting("w1", "Use type hints", Intent.QUEUE, WaitState.WAITING)
SECOND = canned.waiting("w2", "Then add tests", Intent.QUEUE, WaitState.WAITING)
THIRD = canned.waiting("w3", "And measure", Intent.STEER, WaitState.WAITING)
HELD = (
    canned.waiting("w1", "Use type hints", Intent.QUEUE, WaitState.HELD),
    canned.waiting("w2", "Then add tests", Intent.QUEUE, WaitState.HELD),
)


def chips(hand: Hand) -> list[Chip]:
    """List the chips from top to bottom."""
    QApplication.processEvents()
    found = [c for c in hand.window.pane.chips.findChildren(Chip) if c.isVisible()]
    return sorted(found, key=lambda chip: chip.y())


def texts(hand: Hand) -> list[str]:
    """List all that the panel says."""
    labels = hand.window.pane.chips.findChildren(QLabel)
    return [label.text() for label in labels if label.isVisible()]


@pytest.fixture
def waiting(busy: Hand) -> Hand:
    """Let three orders wait behind a running turn."""
    busy.clock.pass_s(1)
    busy.hear(canned.queue(FIRST, SECOND, THIRD))
    return busy


@pytest.fixture
def held(talk: Hand) -> Hand:
    """Let two orders be held."""
    talk.clock.pass_s(1)
    talk.hear(canned.queue(*HELD))
    return talk


def test_chips_stand_in_running_order_with_their_fate(waiting: Hand) -> None:
    assert [chip.accessibleName() for chip in chips(waiting)] == [
        "Use type hints, After this answer",
        "Then add tests, After this answer",
        "And measure, At the next step",
    ]


def test_click_edits_in_place_and_enter_keeps_the_change(waiting: Hand) -> None:
    waiting.write("my draft")
    waiting.click(chips(waiting)[1])
    assert waiting.last(BeginRevision).message_id == "w2"
    assert isinstance(QApplication.focusWidget(), ChipEditor)
    waiting.write(" first")
    waiting.press(Qt.Key.Key_Return)
    assert waiting.last(EndRevision).text == "Then add tests first"
    assert waiting.composer.box.toPlainText() == "my draft"


def test_unchanged_edit_says_so(waiting: Hand) -> None:
    waiting.click(chips(waiting)[0])
    waiting.press(Qt.Key.Key_Return)
    assert waiting.last(EndRevision).text is None


def test_edit_left_empty_leaves_the_words_as_they_were(waiting: Hand) -> None:
    waiting.click(chips(waiting)[0])
    waiting.press(Qt.Key.Key_A, CTRL)
    waiting.press(Qt.Key.Key_Backspace)
    waiting.press(Qt.Key.Key_Return)
    assert waiting.last(EndRevision).text is None


def test_escape_leaves_the_edit_and_does_not_stop(waiting: Hand) -> None:
    waiting.click(chips(waiting)[0])
    waiting.write("x")
    waiting.press(Qt.Key.Key_Escape)
    assert waiting.last(EndRevision).text is None
    assert waiting.all_of(StopTurn) == []
    waiting.press(Qt.Key.Key_Escape)
    waiting.last(StopTurn)


def test_escape_leaves_an_open_edit_from_the_message_box_too(waiting: Hand) -> None:
    waiting.click(chips(waiting)[0])
    waiting.window.pane.focus_message()
    waiting.press(Qt.Key.Key_Escape)
    waiting.last(EndRevision)


def test_open_edit_survives_news_of_the_queue(waiting: Hand) -> None:
    waiting.click(chips(waiting)[1])
    waiting.write(" now")
    editing = canned.waiting("w2", "Then add tests", Intent.QUEUE, WaitState.EDITING)
    waiting.hear(canned.queue(editing, THIRD))
    focus = QApplication.focusWidget()
    assert isinstance(focus, ChipEditor)
    assert focus.toPlainText() == "Then add tests now"


def test_open_edit_is_there_again_when_its_conversation_is(waiting: Hand) -> None:
    waiting.click(chips(waiting)[1])
    editing = canned.waiting("w2", "Then add tests", Intent.QUEUE, WaitState.EDITING)
    waiting.hear(canned.queue(FIRST, editing, THIRD))
    waiting.write(" now")
    waiting.window.navigation.open(ConversationId("c2"))
    waiting.hear(canned.blank("c2"))
    assert chips(waiting) == []
    waiting.window.navigation.open(canned.HERE)
    chips(waiting)[1].findChildren(ChipEditor)[0].setFocus()
    waiting.press(Qt.Key.Key_Return)
    (ended,) = waiting.all_of(EndRevision)
    assert (ended.conversation_id, ended.text) == (canned.HERE, "Then add tests now")


def test_status_does_not_promise_esc_while_a_chip_is_edited(waiting: Hand) -> None:
    assert waiting.status.endswith("Esc to stop")
    waiting.click(chips(waiting)[0])
    assert "Esc" not in waiting.status


def test_cross_removes_and_undo_puts_back(waiting: Hand) -> None:
    waiting.click(chips(waiting)[0].remove)
    assert waiting.last(DiscardWaiting).message_ids == ("w1",)
    waiting.hear(canned.queue(SECOND, THIRD))
    assert "Removed ·" in texts(waiting)
    waiting.click(waiting.window.pane.chips.undo_bar.undo)
    assert waiting.last(RestoreWaiting).message_id == "w1"
    assert "Removed ·" not in texts(waiting)


def test_up_in_an_empty_box_enters_the_chips_and_down_returns(waiting: Hand) -> None:
    waiting.press(Qt.Key.Key_Up)
    assert QApplication.focusWidget() is chips(waiting)[2]
    waiting.press(Qt.Key.Key_Up)
    assert QApplication.focusWidget() is chips(waiting)[1]
    waiting.press(Qt.Key.Key_Down)
    waiting.press(Qt.Key.Key_Down)
    assert QApplication.focusWidget() is waiting.composer.box


def test_delete_removes_the_chip_that_has_the_focus(waiting: Hand) -> None:
    waiting.press(Qt.Key.Key_Up)
    waiting.press(Qt.Key.Key_Delete)
    assert waiting.last(DiscardWaiting).message_ids == ("w3",)
    waiting.hear(canned.queue(FIRST, SECOND))
    assert QApplication.focusWidget() is waiting.composer.box


def test_alt_up_and_down_reorder_within_the_queue(waiting: Hand) -> None:
    waiting.press(Qt.Key.Key_Up)
    waiting.press(Qt.Key.Key_Down, ALT)
    assert waiting.commands == []
    waiting.press(Qt.Key.Key_Up, ALT)
    moved = waiting.last(MoveWaiting)
    assert (moved.message_id, moved.index) == ("w3", 1)
    waiting.hear(canned.queue(FIRST, THIRD, SECOND))
    assert [chip.id for chip in chips(waiting)] == ["w1", "w3", "w2"]
    assert QApplication.focusWidget() is chips(waiting)[1]


def test_dragging_a_chip_moves_it(waiting: Hand) -> None:
    top, _, bottom = chips(waiting)
    panel = top.parentWidget()
    assert panel is not None
    grip = QPoint(20, top.height() // 2)
    QTest.mousePress(top, LEFT, pos=grip)
    for y in range(top.y(), bottom.geometry().bottom(), 5):
        QTest.mouseMove(top, top.mapFrom(panel, QPoint(20, y)))
    QTest.mouseRelease(top, LEFT, pos=grip)
    moved = waiting.last(MoveWaiting)
    assert (moved.message_id, moved.index) == ("w1", 2)
    assert waiting.all_of(BeginRevision) == []


def test_promotion_redirects_now_and_stop_reaches_it(waiting: Hand) -> None:
    chip = chips(waiting)[1]
    assert chip.promote.text() == "Redirect now"
    waiting.click(chip.promote)
    assert waiting.last(PromoteWaiting).message_id == "w2"
    waiting.press(Qt.Key.Key_Escape)
    assert waiting.last(StopTurn).epoch == 9


def test_ctrl_enter_promotes_the_chip_that_has_the_focus(waiting: Hand) -> None:
    waiting.press(Qt.Key.Key_Up)
    waiting.press(Qt.Key.Key_Return, CTRL)
    assert waiting.last(PromoteWaiting).message_id == "w3"


def test_idle_promotion_says_send_now(held: Hand) -> None:
    assert chips(held)[0].promote.text() == "Send now"


def test_chip_that_redirects_already_needs_no_promotion(busy: Hand) -> None:
    busy.clock.pass_s(1)
    redirect = canned.waiting("w1", "No, shorter", Intent.REDIRECT, WaitState.WAITING)
    busy.hear(canned.queue(redirect))
    assert not chips(busy)[0].promote.isVisible()


def test_held_bar_sends_them(held: Hand) -> None:
    assert "2 messages held." in texts(held)
    held.click(held.window.pane.chips.held_bar.send)
    held.last(SendHeld)


def test_held_bar_discards_all_and_undo_restores_all(held: Hand) -> None:
    held.click(held.window.pane.chips.held_bar.discard)
    assert held.last(DiscardWaiting).message_ids == ("w1", "w2")
    held.hear(canned.queue())
    held.click(held.window.pane.chips.undo_bar.undo)
    assert [restored.message_id for restored in held.all_of(RestoreWaiting)] == ["w1", "w2"]


def test_bar_says_stopped_after_a_stop(waiting: Hand) -> None:
    waiting.press(Qt.Key.Key_Escape)
    waiting.hear(canned.queue(*HELD))
    waiting.hear(
        TurnEnded(conversation_id=canned.HERE, turn_id=canned.TURN, epoch=8, outcome=Completed())
    )
    assert "Stopped. 2 messages held." in texts(waiting)


def test_removing_chips_of_one_conversation_cannot_be_undone_in_another(waiting: Hand) -> None:
    waiting.click(chips(waiting)[0].remove)
    waiting.window.navigation.new()
    assert not waiting.window.pane.chips.undo_bar.isVisible()


def test_many_chips_never_push_the_composer_out_of_the_window(busy: Hand) -> None:
    busy.clock.pass_s(1)
    many = [canned.waiting(f"w{n}", "Later", Intent.QUEUE, WaitState.WAITING) for n in range(30)]
    busy.hear(canned.queue(*many))
    busy.window.resize(700, 480)
    QApplication.processEvents()
    composer = busy.composer
    bottom = composer.mapTo(busy.window, composer.rect().bottomLeft()).y()
    assert bottom < busy.window.height()
    assert composer.round.width() == composer.round.height()
    busy.press(Qt.Key.Key_Up)
    focus = QApplication.focusWidget()
    assert isinstance(focus, Chip)
    assert focus.id == "w29"
    assert not focus.visibleRegion().isEmpty()


def test_chip_grows_with_its_edit(waiting: Hand) -> None:
    chip = chips(waiting)[0]
    before = chip.height()
    waiting.click(chip)
    waiting.press(Qt.Key.Key_Return, Qt.KeyboardModifier.ShiftModifier)
    waiting.press(Qt.Key.Key_Return, Qt.KeyboardModifier.ShiftModifier)
    assert chip.height() > before
    assert chip.visibleRegion().boundingRect().height() == chip.height()
