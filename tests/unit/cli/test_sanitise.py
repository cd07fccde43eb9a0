"""What a model writes reaches the terminal as text, and only as text."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.cli.sanitise import cells, harmless, one_line


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("plain\n\ttext — ü 你好 👩‍🔬", "plain\n\ttext — ü 你好 👩‍🔬"),
        ("\x1b[31mred\x1b[0m", "␛[31mred␛[0m"),
        ("\x1b]0;owned\x07", "␛]0;owned␇"),
        ("\x1b]52;c;ZXZpbA==\x1b\\", "␛]52;c;ZXZpbA==␛\\"),
        ("\x9b2J", "\N{REPLACEMENT CHARACTER}2J"),
        ("over\rwritten\r\n", "overwritten\n"),
        ("ba\x08ck\x7f", "ba␈ck␡"),
        ("\u202eevil\u2066", "evil"),
        ("half \ud83d", "half \N{REPLACEMENT CHARACTER}"),
    ],
)
def test_control_characters_are_shown_instead_of_sent(written: str, shown: str) -> None:
    assert harmless(written) == shown


@given(st.text(alphabet=st.characters()))
def test_nothing_that_commands_a_terminal_is_left(text: str) -> None:
    shown = harmless(text)
    commanding = [c for c in shown if unicodedata.category(c) in ("Cc", "Cs") and c not in "\n\t"]
    assert not commanding


@given(st.text(), st.text())
def test_a_sequence_split_over_two_deltas_is_as_harmless(first: str, second: str) -> None:
    assert harmless(first) + harmless(second) == harmless(first + second)


@given(st.text(), st.integers(min_value=2, max_value=80))
def test_one_line_fits_its_width(text: str, width: int) -> None:
    line = one_line(text, width)
    assert "\n" not in line
    assert cells(line) <= width


def test_wide_and_combining_characters_count_as_the_columns_they_take() -> None:
    assert cells("你好") == 4
    assert cells("e\u0301") == 1
