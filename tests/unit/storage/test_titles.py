"""The names that conversations get."""

import pytest

from app.storage.titles import TITLE_CHARS, title_from


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("Hello", "Hello"),
        ("\n\n  Plan   my\tweekend \nplease", "Plan my weekend"),
        ("", ""),
        (" \n\t\u200b\n", ""),
        ("abc\u202egnp.exe", "abcgnp.exe"),
        ("bell\x07 and\x00 nul\x1b[31m", "bell and nul[31m"),
        ("half \ud83d", "half \ufffd"),
        ("\ufeffmarked", "marked"),
        ("👩\u200d👧 family", "👩\u200d👧 family"),
        ("x" * 200, "x" * TITLE_CHARS + "…"),
        ("word " * 50, "word " * 11 + "word…"),
    ],
)
def test_a_title_is_the_first_line_that_says_something(text: str, title: str) -> None:
    assert title_from(text) == title


def test_a_book_is_named_without_being_read() -> None:
    assert title_from("Moby Dick\n" + "x" * 10_000_000) == "Moby Dick"
