"""Selections across messages, and text positions as Qt counts them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.ui.transcript import units
from app.ui.transcript.selection import Caret, Selection, word_around


def test_selection_is_the_same_from_either_end() -> None:
    low, high = Caret(1, 2, 3), Caret(2, 0, 1)
    for selection in (Selection(low, high), Selection(high, low)):
        assert (selection.start, selection.end) == (low, high)


@pytest.mark.parametrize(
    ("row", "part"),
    [
        ((0, 5), None),
        ((1, 1), None),
        ((1, 2), (3, 10)),
        ((1, 3), (0, 10)),
        ((2, 0), (0, 1)),
        ((2, 1), None),
    ],
)
def test_each_row_knows_its_part(row: tuple[int, int], part: tuple[int, int] | None) -> None:
    selection = Selection(Caret(1, 2, 3), Caret(2, 0, 1))
    assert selection.within(*row, length=10) == part


@pytest.mark.parametrize(
    ("text", "index", "word"),
    [
        ("one two three", 5, "two"),
        ("one two", 3, " "),
        ("don't stop", 1, "don't"),
        ("snake_case(x)", 3, "snake_case"),
        ("a, b", 1, ","),
        ("end", 3, "end"),
        ("", 0, ""),
    ],
)
def test_double_click_takes_the_word(text: str, index: int, word: str) -> None:
    start, end = word_around(text, index)
    assert text[start:end] == word


@given(st.text(), st.integers(0, 50), st.integers(0, 50))
def test_positions_and_indices_agree(text: str, first: int, second: int) -> None:
    start, end = sorted(min(at, len(text)) for at in (first, second))
    low, high = units.position(text, start), units.position(text, end)
    assert units.cut(text, low, high) == text[start:end]
    assert units.index(text, low) == start
    assert units.length(text) == units.position(text, len(text))
