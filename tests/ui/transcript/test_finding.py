"""Find in the conversation: all hits marked, one after the other brought into the window."""

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.ui.transcript.find import Search
from tests.ui.transcript.conftest import Shown
from tests.ui.transcript.conversation import asked, message, opened, said, started


def conversation(shown: Shown, count: int = 60) -> Shown:
    messages = [asked("u0", "Where is the needle?")]
    for number in range(count):
        parent = messages[-1].id
        word = "**nee**dle" if number in (5, 40) else "hay"
        text = f"Message {number}.\n\nHere is {word}.\n\n" + "Filler words. " * 60
        messages.append(message(f"m{number}", text, parent=parent))
    return shown.hear(opened(*messages))


def seek(shown: Shown, qtbot: QtBot, text: str) -> Search:
    shown.view.open_find()
    QTest.keyClicks(shown.view.finder.bar.box, text)
    search = shown.view.finder.search
    assert search is not None
    qtbot.waitUntil(lambda: search.is_done)
    return search


def seen_messages(shown: Shown) -> set[int]:
    return {one.placed.item for one in shown.view.seen}


def test_every_hit_is_found_and_the_latest_is_shown(shown: Shown, qtbot: QtBot) -> None:
    search = seek(conversation(shown), qtbot, "needle")
    assert [hit.item for hit in search.hits] == [0, 6, 41]
    assert 41 in seen_messages(shown)
    assert search.place == 3


def test_enter_goes_on_and_shift_enter_back(shown: Shown, qtbot: QtBot) -> None:
    seek(conversation(shown), qtbot, "needle")
    box = shown.view.finder.bar.box
    QTest.keyClick(box, Qt.Key.Key_Return)
    assert 0 in seen_messages(shown)
    QTest.keyClick(box, Qt.Key.Key_Return, Qt.KeyboardModifier.ShiftModifier)
    assert 41 in seen_messages(shown)
    QTest.keyClick(box, Qt.Key.Key_Return, Qt.KeyboardModifier.ShiftModifier)
    assert 6 in seen_messages(shown)


def test_hits_are_marked_until_the_bar_is_left(shown: Shown, qtbot: QtBot) -> None:
    shown.answer("A needle, another needle.\n\n| needle |\n|---|\n| x |\n\n```\nneedle\n```\n")
    shown.view.open_find()
    before = shown.view.viewport().grab().toImage()
    search = seek(shown, qtbot, "needle")
    assert len(search.hits) == 4
    marked = shown.view.viewport().grab().toImage()
    assert marked != before
    QTest.keyClick(shown.view.finder.bar.box, Qt.Key.Key_Escape)
    assert not shown.view.finder.bar.isVisible()
    assert shown.view.viewport().grab().toImage() == before


def test_no_hit_says_none(shown: Shown, qtbot: QtBot) -> None:
    seek(conversation(shown, 3), qtbot, "xylophone")
    assert shown.view.finder.bar._count.text() == "None"


def test_words_that_arrive_are_found_too(shown: Shown, qtbot: QtBot) -> None:
    search = seek(conversation(shown, 3), qtbot, "needle")
    assert len(search.hits) == 1
    shown.hear(started(), said("A new needle.", "new"))
    now = shown.view.finder.search
    assert now is not None
    qtbot.waitUntil(lambda: now.is_done)
    assert len(now.hits) == 2


def test_opening_find_takes_the_focus_and_leaving_gives_it_to_the_transcript(
    shown: Shown, qtbot: QtBot
) -> None:
    shown.answer("Words.")
    shown.view.activateWindow()
    shown.view.open_find()
    qtbot.waitUntil(lambda: QApplication.focusWidget() is shown.view.finder.bar.box)
    QTest.keyClick(shown.view.finder.bar.box, Qt.Key.Key_Escape)
    assert QApplication.focusWidget() is shown.view


def test_another_conversation_forgets_what_was_found(shown: Shown, qtbot: QtBot) -> None:
    seek(conversation(shown), qtbot, "needle")
    shown.answer("Other words.")
    assert shown.view.finder.search is None or shown.view.finder.search.hits == []
