"""Scrolling: the reader is never pulled away, the latest words are one press away."""

from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from app.ui.transcript.overlays import JumpButton
from tests.ui.transcript.conftest import Shown
from tests.ui.transcript.conversation import asked, message, opened, said, started
from tests.ui.transcript.samples import MOCK


def long(shown: Shown, count: int = 40) -> Shown:
    messages = [asked("u0", "First question")]
    for number in range(count):
        parent = messages[-1].id
        messages.append(message(f"m{number}", f"Number {number}.\n\n{MOCK}", parent=parent))
    return shown.hear(opened(*messages), started())


def tops(shown: Shown) -> dict[tuple[int, int], int]:
    return {(one.placed.item, one.placed.row): one.placed.top for one in shown.view.seen}


def jump(shown: Shown) -> JumpButton:
    (button,) = shown.view.findChildren(JumpButton)
    return button


def wheel(shown: Shown, notches: int, *, shift: bool = False) -> None:
    at = QPointF(400, 300)
    event = QWheelEvent(
        at,
        shown.view.viewport().mapToGlobal(at),
        QPoint(),
        QPoint(0, 120 * notches),
        Qt.MouseButton.NoButton,
        Qt.KeyboardModifier.ShiftModifier if shift else Qt.KeyboardModifier.NoModifier,
        Qt.ScrollPhase.NoScrollPhase,
        False,  # noqa: FBT003 - inverted
    )
    QApplication.sendEvent(shown.view.viewport(), event)
    QApplication.processEvents()


def test_conversation_opens_at_its_end(shown: Shown) -> None:
    long(shown)
    assert shown.view.seen[-1].placed.item == len(shown.view.page.items) - 1
    assert not jump(shown).isVisible()
    bar = shown.view.verticalScrollBar()
    assert bar.value() == bar.maximum() > 0


def test_at_the_end_new_words_stay_in_sight(shown: Shown) -> None:
    long(shown)
    for _ in range(30):
        shown.hear(said("More words that fill a line of the answer and then some.\n\n"))
        assert shown.view.seen[-1].placed.item == len(shown.view.page.items) - 1
    assert not jump(shown).isVisible()


def test_scrolled_up_new_words_do_not_move_anything(shown: Shown) -> None:
    long(shown)
    wheel(shown, 5)
    before = tops(shown)
    for _ in range(30):
        shown.hear(said("More words.\n\n"))
    assert tops(shown) == before
    assert jump(shown).isVisible()


def test_jump_to_latest_goes_to_the_end_and_stays(shown: Shown) -> None:
    long(shown)
    wheel(shown, 20)
    jump(shown).click()
    assert not jump(shown).isVisible()
    shown.hear(said("And more.\n\n" * 10))
    assert shown.view.seen[-1].placed.item == len(shown.view.page.items) - 1


def test_scroll_bar_is_left_alone_while_it_is_held(shown: Shown) -> None:
    long(shown)
    bar = shown.view.verticalScrollBar()
    bar.setSliderDown(True)
    bar.setSliderPosition(bar.maximum() // 2)
    held = (bar.value(), bar.maximum())
    shown.hear(said("More words.\n\n" * 20))
    assert (bar.value(), bar.maximum()) == held
    bar.setSliderDown(False)
    assert bar.value() == shown.view.page.flow.y
    assert bar.maximum() == shown.view.page.flow.limit


def test_dragging_the_bar_to_its_ends_shows_the_ends(shown: Shown) -> None:
    long(shown)
    bar = shown.view.verticalScrollBar()
    bar.setSliderDown(True)
    bar.setSliderPosition(0)
    assert (shown.view.seen[0].placed.item, shown.view.seen[0].placed.top) == (0, 0)
    bar.setSliderPosition(bar.maximum())
    assert shown.view.seen[-1].placed.item == len(shown.view.page.items) - 1
    bar.setSliderDown(False)


def test_keys_scroll(shown: Shown) -> None:
    long(shown)
    shown.view.setFocus()
    QTest.keyClick(shown.view, Qt.Key.Key_Home)
    assert shown.view.seen[0].placed.item == 0
    start = shown.view.page.flow.y
    QTest.keyClick(shown.view, Qt.Key.Key_PageDown)
    assert shown.view.page.flow.y - start == shown.view.viewport().height() - 60
    QTest.keyClick(shown.view, Qt.Key.Key_End)
    assert shown.view.page.flow.is_stuck


def test_resizing_keeps_what_is_being_read(shown: Shown) -> None:
    long(shown)
    shown.view.scroll_to_start()
    shown.view.scroll_by(9000)
    first = shown.view.seen[0].placed.item
    shown.view.resize(500, 600)
    QApplication.processEvents()
    assert shown.view.seen[0].placed.item == first


def test_wide_code_moves_sideways_with_shift_and_the_wheel(shown: Shown) -> None:
    shown.answer("```\n" + "x" * 400 + "\n```\n\n" + "Below.\n\n" * 3)
    before = shown.painted()
    (code,) = [one for one in shown.view.seen if one.row.shelf]
    shelf = code.row.shelf
    assert shelf is not None
    assert shelf.limit > 0
    at = QPointF(code.area.center())
    event = QWheelEvent(
        at,
        shown.view.viewport().mapToGlobal(at),
        QPoint(),
        QPoint(0, -120),
        Qt.MouseButton.NoButton,
        Qt.KeyboardModifier.ShiftModifier,
        Qt.ScrollPhase.NoScrollPhase,
        False,  # noqa: FBT003 - inverted
    )
    QApplication.sendEvent(shown.view.viewport(), event)
    assert shelf.offset == 60
    assert shown.painted() != before


def test_keys_move_wide_code_sideways(shown: Shown) -> None:
    shown.answer("```\n" + "x" * 400 + "\n```\n")
    (shelf,) = [one.row.shelf for one in shown.view.seen if one.row.shelf]
    shown.view.setFocus()
    QTest.keyClick(shown.view, Qt.Key.Key_Right)
    assert shelf.offset == 60
    QTest.keyClick(shown.view, Qt.Key.Key_Left)
    assert shelf.offset == 0


def test_message_can_be_revealed_by_its_id(shown: Shown) -> None:
    long(shown)
    assert shown.view.reveal_message("m3")
    assert 4 in {one.placed.item for one in shown.view.seen}
    assert not shown.view.reveal_message("no such message")


def test_far_messages_give_their_rows_back(shown: Shown) -> None:
    messages = [asked("u0", "First question")]
    for number in range(900):
        messages.append(message(f"m{number}", f"Number {number}.", parent=messages[-1].id))
    shown.hear(opened(*messages))
    shown.view.scroll_to_start()
    while not shown.view.page.flow.is_stuck:
        shown.view.scroll_by(560)
    opened_items = sum(item.is_opened for item in shown.view.page.items)
    assert 300 <= opened_items <= 410
    assert 200 <= len(shown.view.page.stage.papers) <= 256
