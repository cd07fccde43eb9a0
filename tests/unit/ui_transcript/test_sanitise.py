"""What is shown is what it says: nothing hidden, nothing turned round, nothing for a terminal."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.ui.transcript import sanitise


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a\x1b[31mred\x1b[0m", "ared"),
        ("a\x1b]0;title\x07b", "ab"),
        ("a\x1b(Bb", "a(Bb"),
        ("a\x07b\x00c", "a␇b␀c"),
        ("a\u202eb\u2066c\u2069", "abc"),
        ("a\u200bb\ufeffc\u2060", "abc"),
        ("a\u200db", "ab"),
        ("👩\u200d👩\u200d👧", "👩\u200d👩\u200d👧"),
        ("می\u200cخواهم", "می\u200cخواهم"),
        ("\U0001f3f4\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f", None),
        ("a\U000e0041\U000e0042b", "ab"),
        ("a\ufdd0b\ufffcc\ud800", "a\ufffdb\ufffdc\ufffd"),
        ("a\u2028b\u2029c\rd", "a b cd"),
        ("e" + "\u0301" * 50, "e" + "\u0301" * 8),
        ("plain ASCII text, nothing else", None),
        ("Größe 日本語 ❤️", None),
    ],
)
def test_prose_shows_what_it_says(text: str, shown: str | None) -> None:
    assert sanitise.prose(text) == (text if shown is None else shown)


def test_code_spells_out_what_would_be_hidden() -> None:
    attack = "if role != 'user\u202e \u2066// admin\u2069 \u2066':"
    assert sanitise.code(attack) == ("if role != 'user⟨U+202E⟩ ⟨U+2066⟩// admin⟨U+2069⟩ ⟨U+2066⟩':")
    assert sanitise.code("a\u200bb") == "a⟨U+200B⟩b"


@given(st.text())
def test_making_safe_twice_changes_nothing(text: str) -> None:
    once = sanitise.prose(text)
    assert sanitise.prose(once) == once


@given(st.text(alphabet=st.characters(min_codepoint=0x20, max_codepoint=0x7E)))
def test_ordinary_text_is_left_alone(text: str) -> None:
    assert sanitise.prose(text) == text
    assert sanitise.code(text) == text
