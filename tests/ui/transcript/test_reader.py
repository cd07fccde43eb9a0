"""The reader's place, selection and focus outlive whatever happens to the conversation."""

import random

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QAccessible, QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.core.events import Event
from app.ui.theme import DARK, LIGHT
from app.ui.transcript import accessible
from app.ui.transcript.buttons import SpotButton
from app.ui.transcript.rows.card import CardRow
from tests.harness.environment import is_proving
from tests.ui.transcript.conftest import LEFT, Shown, clipboard
from tests.ui.transcript.conversation import (
    asked,
    changed,
    ended,
    message,
    opened,
    said,
    started,
    thought,
    tool_finished,
    tool_output,
    tool_started,
)
from tests.ui.transcript.samples import BLOCKS, CODE, MOCK, WIDE

QUESTION = asked("u1", "Why?")


def copied(shown: Shown) -> str:
    QGuiApplication.clipboard().clear()
    QTest.keyClick(shown.view, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    return clipboard()


def test_selection_survives_the_words_that_arrive(shown: Shown) -> None:
    shown.hear(opened(QUESTION), started(), said("First paragraph here.\n\nSecond one"))
    shown.drag(shown.place_of("paragraph"), shown.place_of("Second", 6))
    assert copied(shown) == "paragraph here.\n\nSecond"
    for at in range(0, len(MOCK), 50):
        shown.hear(said(MOCK[at : at + 50]))
    assert copied(shown) == "paragraph here.\n\nSecond"
    shown.hear(ended())
    assert copied(shown) == "paragraph here.\n\nSecond"


def test_selecting_goes_on_while_words_arrive(shown: Shown) -> None:
    shown.hear(opened(QUESTION), started(), said("First paragraph here.\n\nSecond one.\n\n"))
    viewport = shown.view.viewport()
    QTest.mousePress(viewport, LEFT, pos=shown.place_of("paragraph"))
    shown.hear(said("Third.\n\n"))
    end = shown.place_of("Second", 6)
    QTest.mouseMove(viewport, end)
    shown.hear(said("Fourth.\n\n"))
    QTest.mouseRelease(viewport, LEFT, pos=end)
    assert copied(shown) == "paragraph here.\n\nSecond"


def test_selection_of_what_is_gone_is_no_selection(shown: Shown) -> None:
    old = message("a1", "Old words.", parent="u1", at=1)
    more = asked("u2", "More?", parent="a1")
    last = message("a2", "Last words.", parent="u2")
    shown.hear(opened(QUESTION, old, more, last))
    QTest.keyClick(shown.view, Qt.Key.Key_A, Qt.KeyboardModifier.ControlModifier)
    assert "Last words." in copied(shown)
    shown.hear(changed(QUESTION, old, leaf="a1"))
    assert shown.view.marked() is None
    assert "Last words." not in copied(shown)


def test_drag_over_what_goes_meanwhile_ends_quietly(shown: Shown) -> None:
    old = message("a1", "Old words.", parent="u1", at=1)
    more = asked("u2", "More?", parent="a1")
    shown.hear(opened(QUESTION, old, more))
    viewport = shown.view.viewport()
    QTest.mousePress(viewport, LEFT, pos=shown.place_of("More?", 2))
    shown.hear(changed(QUESTION, old, leaf="a1"))
    assert shown.view.marked() is None
    QTest.mouseMove(viewport, shown.place_of("Old"))
    QTest.mouseRelease(viewport, LEFT, pos=shown.place_of("Old"))
    assert "More" not in copied(shown)


def test_focus_stays_on_its_button_while_words_arrive(shown: Shown, qtbot: QtBot) -> None:
    shown.hear(
        opened(QUESTION, message("a1", "```py\nx = 1\n```\n", parent="u1")), started(), said("A")
    )
    shown.view.activateWindow()
    code = next(b for b in shown.buttons() if b.accessibleName() == "Copy py code")
    code.setFocus()
    qtbot.waitUntil(code.hasFocus)
    for _ in range(3):
        shown.hear(said("More words.\n\n", "a2"))
        assert QApplication.focusWidget() is code
    assert code.accessibleName() == "Copy py code"


def test_reading_caret_stays_while_words_arrive(shown: Shown) -> None:
    accessible.install()
    shown.hear(opened(QUESTION), started(), said("One two three"))
    root = QAccessible.queryAccessibleInterface(shown.view)
    words = root.child(1).textInterface()
    words.setCursorPosition(4)
    shown.hear(said(" four five.\n\nSix."))
    assert words.cursorPosition() == 4
    assert words.text(4, 7) == "two"


def test_find_that_is_open_does_not_pull_the_reader_when_an_answer_ends(
    shown: Shown, qtbot: QtBot
) -> None:
    messages = [QUESTION]
    for number in range(20):
        text = "A needle.\n\n" + "Filler. " * 200
        messages.append(message(f"m{number}", text, parent=messages[-1].id))
    shown.hear(opened(*messages), started())
    shown.view.open_find()
    QTest.keyClicks(shown.view.finder.bar.box, "needle")
    qtbot.waitUntil(lambda: bool(shown.view.finder.search and shown.view.finder.search.is_done))
    for _ in range(12):
        QTest.keyClick(
            shown.view.finder.bar.box, Qt.Key.Key_Return, Qt.KeyboardModifier.ShiftModifier
        )
    before = [(one.placed.item, one.placed.top) for one in shown.view.seen]
    search = shown.view.finder.search
    assert search is not None
    place = search.place
    shown.hear(said("Another needle.", "new"), ended())
    qtbot.waitUntil(lambda: bool(shown.view.finder.search and shown.view.finder.search.is_done))
    assert [(one.placed.item, one.placed.top) for one in shown.view.seen] == before
    found = shown.view.finder.search
    assert found is not None
    assert (found.place, len(found.hits)) == (place, 21)


def test_answer_of_which_nothing_is_left_to_show_breaks_nothing(shown: Shown) -> None:
    before = message("a0", "Looking.", parent="u1")
    shown.hear(opened(QUESTION, before), started(), said("[a", "a1"))
    shown.hear(said("]: https://example.org\n\n", "a1"))
    assert shown.words == ["Why?", "Looking."]
    shown.hear(said("See [a].", "a1"), ended())
    assert shown.words == ["Why?", "Looking.", "See a."]


def test_tool_called_without_a_word_is_shown(shown: Shown) -> None:
    shown.hear(opened(QUESTION), started(), tool_started())
    assert any(isinstance(one.row, CardRow) for one in shown.view.seen)
    shown.hear(tool_finished("Found."), said("So."), ended())
    assert shown.words == ["Why?", "So."]


def test_find_goes_on_from_where_the_hit_was_that_is_gone(shown: Shown, qtbot: QtBot) -> None:
    old = message("a1", "A needle.", parent="u1", at=1)
    shown.hear(opened(QUESTION, old, asked("u2", "A needle?", parent="a1")))
    shown.view.open_find()
    QTest.keyClicks(shown.view.finder.bar.box, "needle")
    shown.view.hide()
    shown.hear(changed(QUESTION, old, leaf="a1"))
    shown.view.show()
    QTest.keyClick(shown.view.finder.bar.box, Qt.Key.Key_Return)
    search = shown.view.finder.search
    assert search is not None
    assert (search.place, len(search.hits)) == (1, 1)


def random_event(rng: random.Random, turn: list[int]) -> list[Event]:
    texts = (
        "Words. ",
        "**bo",
        "ld** ",
        "\n\n",
        "```py\nx",
        "\n```\n",
        "| a |\n|---|\n",
        "- i\n",
        MOCK,
    )
    name = f"a{turn[0]}"
    return rng.choice(
        (
            [said(rng.choice(texts), name)],
            [said(rng.choice(texts), name)],
            [thought(rng.choice(texts), name)],
            [tool_started(f"k{rng.randrange(3)}")],
            [tool_output(rng.choice(texts), f"k{rng.randrange(3)}")],
            [tool_finished(rng.choice(texts), f"k{rng.randrange(3)}")],
            [ended(), started()],
            [
                changed(
                    QUESTION,
                    message("b1", rng.choice((BLOCKS, CODE, WIDE)), parent="u1", at=1),
                    message("b2", MOCK, parent="u1", at=2),
                    leaf=rng.choice(("u1", "b1", "b2")),
                )
            ],
            [opened(QUESTION, message("b1", MOCK * 2, parent="u1")), started()],
        )
    )


def random_deed(shown: Shown, rng: random.Random) -> None:
    view, viewport = shown.view, shown.view.viewport()
    spot = QPoint(rng.randrange(viewport.width()), rng.randrange(viewport.height()))
    button = rng.choice(shown.buttons() or [SpotButton(viewport, view.page.stage.look)])
    rng.choice(
        (
            lambda: view.scroll_by(rng.randrange(-900, 900)),
            view.scroll_to_start,
            view.scroll_to_end,
            lambda: QTest.mousePress(viewport, LEFT, pos=spot),
            lambda: QTest.mouseMove(viewport, spot),
            lambda: QTest.mouseRelease(viewport, LEFT, pos=spot),
            lambda: QTest.mouseDClick(viewport, LEFT, pos=spot),
            button.click,
            view.open_find,
            lambda: view.finder.bar.box.setText(rng.choice(("a", "row", "", "zz"))),
            lambda: QTest.keyClick(view.finder.bar.box, Qt.Key.Key_Return),
            view.finder.close,
            lambda: view.set_theme(rng.choice((LIGHT, DARK)).scaled(rng.choice((12, 15, 24)))),
            lambda: view.resize(rng.choice((300, 500, 900)), rng.choice((120, 400, 700))),
            lambda: QTest.keyClick(view, Qt.Key.Key_A, Qt.KeyboardModifier.ControlModifier),
            lambda: copied(shown),
            view.leave_edit,
            view.hide,
            view.show,
        )
    )()


@pytest.mark.parametrize("seed", range(200 if is_proving() else 12))
def test_nothing_that_happens_at_once_breaks_it(shown: Shown, seed: int) -> None:
    rng, turn = random.Random(seed), [0]
    shown.hear(opened(QUESTION), started())
    for step in range(120):
        if rng.random() < 0.5:
            turn[0] += rng.random() < 0.05
            for event in random_event(rng, turn):
                shown.view.apply(event)
        else:
            random_deed(shown, rng)
        if rng.random() < 0.3:
            QApplication.processEvents()
        assert shown.view.page.flow.y >= 0, step
    shown.view.show()
    shown.view.flush()
    assert not shown.painted().isNull()
