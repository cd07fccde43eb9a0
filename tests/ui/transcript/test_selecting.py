"""Selecting and copying: across messages, as shown or as written."""

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from app.ui.transcript import copying
from app.ui.transcript.selection import Caret, Selection
from tests.ui.transcript.conftest import LEFT, Shown, clipboard
from tests.ui.transcript.conversation import asked, message, opened

COPY = (Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
ALL = (Qt.Key.Key_A, Qt.KeyboardModifier.ControlModifier)
ANSWER = """First **bold** words.

- one
- two
  - nested

1. first
2. second

> quoted `code`

```py
x = 1
y = 2
```

| a | b |
|---|---|
| 1 | 2 |
"""


@pytest.fixture(autouse=True)
def _empty_clipboard() -> None:
    QGuiApplication.clipboard().clear()


def copied(shown: Shown) -> str:
    QTest.keyClick(shown.view, *COPY)
    return clipboard()


def test_dragging_selects_within_a_row(shown: Shown) -> None:
    shown.answer("Some words in a row.")
    shown.drag(shown.place_of("words"), shown.place_of("words", 5))
    assert copied(shown) == "words"


def test_dragging_backwards_selects_the_same(shown: Shown) -> None:
    shown.answer("Some words in a row.")
    shown.drag(shown.place_of("words", 5), shown.place_of("words"))
    assert copied(shown) == "words"


def test_dragging_across_messages_selects_from_one_into_the_other(shown: Shown) -> None:
    shown.answer("First paragraph.\n\nSecond paragraph.")
    shown.drag(shown.place_of("Why?", 1), shown.place_of("Second", 6))
    assert copied(shown) == "hy?\n\nFirst paragraph.\n\nSecond"


def test_everything_is_copied_as_it_is_shown(shown: Shown) -> None:
    shown.answer(ANSWER)
    QTest.keyClick(shown.view, *ALL)
    assert copied(shown) == (
        "Why?\n\nFirst bold words.\n\n• one\n• two\n  • nested\n\n1. first\n2. second\n\n"
        "quoted code\n\nx = 1\ny = 2\n\na\tb\n1\t2"
    )


def test_copied_tables_have_no_characters_of_the_layout_engine(shown: Shown) -> None:
    shown.answer("| a | b |\n|---|---|\n| 1 | 2 |\n")
    QTest.keyClick(shown.view, *ALL)
    text = copied(shown)
    assert not set(text) & set("\ufdd0\ufdd1\u2028\u2029")
    assert text.endswith("a\tb\n1\t2")


def test_part_of_a_table_can_be_copied(shown: Shown) -> None:
    shown.answer("| alpha | beta |\n|---|---|\n| gamma | delta |\n")
    shown.drag(shown.place_of("beta"), shown.place_of("gamma", 5))
    assert copied(shown) == "beta\ngamma"


def test_copy_as_markdown_is_the_source_of_whole_blocks(shown: Shown) -> None:
    shown.answer(ANSWER)
    items = shown.view.page.items
    rows = [items[1].row(number) for number in range(items[1].count)]
    start = next(n for n, row in enumerate(rows) if row.text == "one")
    end = next(n for n, row in enumerate(rows) if row.text == "quoted code")
    selection = Selection(Caret(1, start, 1), Caret(1, end, 2))
    assert copying.markdown(items, selection) == (
        "- one\n- two\n  - nested\n\n1. first\n2. second\n\n> quoted `code`"
    )


def test_whole_messages_are_copied_as_markdown_exactly(shown: Shown) -> None:
    last = asked("u2", "*So*?", parent="a1")
    shown.hear(opened(asked("u1", "Why?"), message("a1", ANSWER, parent="u1"), last))
    everything = copying.everything(shown.view.page.items)
    assert everything is not None
    found = copying.markdown(shown.view.page.items, everything)
    assert found == f"Why?\n\n{ANSWER.strip()}\n\n*So*?"


def test_double_click_selects_a_word_and_a_third_the_row(shown: Shown) -> None:
    shown.answer("Some 🎉 words in a row.")
    at = shown.place_of("words", 3)
    viewport = shown.view.viewport()
    QTest.mouseClick(viewport, LEFT, pos=at)
    QTest.mouseDClick(viewport, LEFT, pos=at)
    assert copied(shown) == "words"
    QTest.mouseClick(viewport, LEFT, pos=at)
    assert copied(shown) == "Some 🎉 words in a row."


def test_shift_click_extends(shown: Shown) -> None:
    shown.answer("Some words in a row.")
    shown.click(shown.place_of("words"))
    extend = Qt.KeyboardModifier.ShiftModifier
    QTest.mouseClick(shown.view.viewport(), LEFT, extend, shown.place_of("row", 3))
    assert copied(shown) == "words in a row"


def test_selection_is_seen(shown: Shown) -> None:
    shown.answer("Some words in a row.")
    before = shown.painted()
    shown.drag(shown.place_of("words"), shown.place_of("words", 5))
    assert shown.painted() != before
    shown.view.pointer.clear()
    assert shown.painted() == before


def test_other_conversation_forgets_the_selection(shown: Shown) -> None:
    shown.answer("Some words in a row.")
    QTest.keyClick(shown.view, *ALL)
    shown.answer("Other words.")
    assert shown.view.pointer.selection is None
    assert copied(shown) == ""


def test_dragging_past_the_edge_scrolls_on(shown: Shown) -> None:
    shown.answer("A paragraph.\n\n" * 200)
    start = shown.place_of("Why?")
    viewport = shown.view.viewport()
    QTest.mousePress(viewport, LEFT, pos=start)
    QTest.mouseMove(viewport, QPoint(start.x(), viewport.height() + 60))
    for _ in range(5):
        shown.view.pointer._on_tick()
    QTest.mouseRelease(viewport, LEFT, pos=QPoint(start.x(), viewport.height() + 60))
    assert shown.view.page.flow.y >= 300
    assert copied(shown).count("A paragraph.") > 15


def test_copy_under_an_answer_copies_all_of_it_and_says_so(shown: Shown) -> None:
    shown.answer("First.\n\nSecond **bold**.")
    button = shown.buttons("Copy")[1]
    button.click()
    assert clipboard() == "First.\n\nSecond bold."
    assert [b.text() for b in shown.buttons() if b.text() == "Copied"] == ["Copied"]


def test_copied_says_copy_again_after_a_while(shown: Shown) -> None:
    shown.answer("First.")
    shown.buttons("Copy")[1].click()
    shown.view._doer._timer.timeout.emit()
    QApplication.processEvents()
    assert shown.buttons("Copied") == []


def test_copy_in_a_code_box_copies_the_code_alone(shown: Shown) -> None:
    shown.answer("Text.\n\n```py\nx = 1\n\n\ty = 2\n```\n")
    code = next(b for b in shown.buttons() if b.accessibleName() == "Copy py code")
    code.click()
    assert clipboard() == "x = 1\n\n\ty = 2"


def test_long_code_is_copied_whole(shown: Shown) -> None:
    lines = [f"line {number}" for number in range(350)]
    lines.append("z" * 9000)
    shown.answer("```\n" + "\n".join(lines) + "\n```\n")
    next(b for b in shown.buttons() if b.accessibleName() == "Copy code").click()
    assert clipboard() == "\n".join(lines)


def test_selecting_code_whose_lines_are_broken_copies_the_line_whole(shown: Shown) -> None:
    shown.answer("```\n" + "z" * 5000 + "\nend\n```\n")
    QTest.keyClick(shown.view, *ALL)
    assert copied(shown) == "Why?\n\n" + "z" * 5000 + "\nend"
