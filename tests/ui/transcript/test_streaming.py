"""An answer as it is written looks like the same answer read later, at every moment."""

import random
from collections.abc import Callable

import pytest

from app.ui.transcript.rows.code import CodeRow
from app.ui.transcript.rows.table import TableRow
from app.ui.transcript.rows.text import TextRow
from tests.ui.transcript.conftest import Shown, alike
from tests.ui.transcript.conversation import (
    asked,
    changed,
    ended,
    message,
    opened,
    said,
    started,
    thought,
    tool_started,
)
from tests.ui.transcript.samples import BLOCKS, CODE, MOCK

QUESTION = asked("u1", "Why?")


def stream(shown: Shown, text: str, seed: int) -> None:
    rng = random.Random(seed)
    at = 0
    while at < len(text):
        step = rng.choice((1, 3, 10, 40, 200))
        shown.hear(said(text[at : at + step]))
        at += step


@pytest.mark.parametrize("text", [MOCK, CODE, BLOCKS], ids=["mock", "code", "blocks"])
def test_streamed_answer_looks_like_the_stored_one(show: Callable[..., Shown], text: str) -> None:
    live, stored = show(), show()
    live.hear(opened(QUESTION), started())
    stream(live, text, seed=3)
    live.hear(ended(), changed(QUESTION, message("a1", text, parent="u1")))
    stored.hear(opened(QUESTION, message("a1", text, parent="u1")))
    assert live.words == stored.words
    assert live.painted() == stored.painted()


def test_screen_shows_what_painting_everything_would(shown: Shown) -> None:
    # Rows that only moved are moved on the screen, and only the end is painted.
    shown.hear(opened(QUESTION), started())
    rng = random.Random(5)
    text = MOCK + "\n\n" + BLOCKS + "\n\n" + CODE
    for at in range(0, len(text), 60):
        shown.hear(said(text[at : at + 60]))
        if rng.random() < 0.2:
            assert alike(shown.picture(), shown.painted()), f"after {at} characters"
    assert alike(shown.picture(), shown.painted())


def test_scrolling_shows_what_painting_everything_would(shown: Shown) -> None:
    messages = [QUESTION]
    for number in range(30):
        parent = messages[-1].id
        messages.append(message(f"m{number}", MOCK, parent=parent))
    shown.hear(opened(*messages))
    rng = random.Random(6)
    for _ in range(40):
        shown.view.scroll_by(rng.randrange(-500, 400))
        assert alike(shown.picture(), shown.painted())


def test_closed_rows_are_not_written_again(shown: Shown) -> None:
    shown.hear(opened(QUESTION), started(), said("One.\n\nTwo.\n\nThr"))
    first = shown.rows[:4]
    shown.hear(said("ee.\n\nFour."))
    assert [a is b for a, b in zip(first, shown.rows[:4], strict=True)] == [True] * 4
    assert all(row.is_measured for row in first)


def test_open_code_keeps_its_row_while_lines_arrive(shown: Shown) -> None:
    shown.hear(opened(QUESTION), started(), said("```py\nx = 1\n"))
    (row,) = [row for row in shown.rows if isinstance(row, CodeRow)]
    for number in range(20):
        shown.hear(said(f"y{number} = {number}\n"))
    assert row in shown.rows
    assert row.text.startswith("x = 1\ny0 = 0")


def test_table_is_a_table_from_its_first_line_on(shown: Shown) -> None:
    shown.hear(opened(QUESTION), started())
    for at, char in enumerate("| a | b |\n|---|---|\n| 1 | 2 |\n"):
        shown.hear(said(char))
        is_text = any(isinstance(row, TextRow) and "|" in row.text for row in shown.rows)
        assert not is_text, f"after {at + 1} characters"
    (table,) = [row for row in shown.rows if isinstance(row, TableRow)]
    assert table.text == "a\tb\n1\t2"


def test_half_typed_markers_are_never_seen(shown: Shown) -> None:
    shown.hear(opened(QUESTION), started())
    for at, char in enumerate("Some **bold** and `code` and [a link](https://example.org) here."):
        shown.hear(said(char))
        assert not set(shown.words[-1]) & set("*`[]("), f"after {at + 1} characters"
    assert shown.words[-1] == "Some bold and code and a link here."


def test_link_defined_later_becomes_a_link(shown: Shown) -> None:
    shown.hear(opened(QUESTION), started(), said("See [the page][ref] there.\n\nMore.\n\n"))
    assert "See [the page][ref] there." in shown.words
    shown.hear(said("[ref]: https://example.org\n\nEnd"))
    assert "See the page there." in shown.words
    at = shown.place_of("page", 2)
    assert shown.view.pointer.link_at(at) == "https://example.org"


def test_words_after_a_tool_are_a_new_stretch_of_the_same_answer(shown: Shown) -> None:
    shown.hear(
        opened(QUESTION),
        started(),
        thought("Hm."),
        said("Before."),
        tool_started(),
        said("After."),
        ended(),
    )
    assert shown.words == ["Why?", "Before.", "After."]


def test_nothing_is_laid_out_while_nobody_looks(shown: Shown) -> None:
    shown.view.hide()
    shown.hear(opened(QUESTION), started(), said(MOCK))
    assert len(shown.view.page.stage.papers) == 0
    shown.view.show()
    assert len(shown.view.page.stage.papers) > 0
