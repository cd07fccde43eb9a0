"""Inline Markdown as styled runs: nothing is HTML, nothing leads where it should not."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.ui.transcript.inline import MAX_BRACKETS, plain_runs, runs
from app.ui.transcript.runs import BREAK, Run, Style, href_at, text_of


def styles(source: str) -> list[tuple[str, Style]]:
    return [(run.text, run.style) for run in runs(source)]


def test_emphasis_code_and_strike_have_their_styles() -> None:
    assert styles("a **b** *c* ***d*** ~~e~~ `f`") == [
        ("a ", Style.PLAIN),
        ("b", Style.BOLD),
        (" ", Style.PLAIN),
        ("c", Style.ITALIC),
        (" ", Style.PLAIN),
        ("d", Style.BOLD | Style.ITALIC),
        (" ", Style.PLAIN),
        ("e", Style.STRIKE),
        (" ", Style.PLAIN),
        ("f", Style.CODE),
    ]


def test_links_carry_their_target() -> None:
    assert runs("[the *paper*](https://example.org/a?b=c)") == [
        Run("the ", Style.LINK, "https://example.org/a?b=c"),
        Run("paper", Style.LINK | Style.ITALIC, "https://example.org/a?b=c"),
    ]


def test_bare_addresses_are_links_without_the_full_stop() -> None:
    found = runs("See https://example.org/a_(b). Or (https://example.org).")
    assert [run.href for run in found if run.href] == [
        "https://example.org/a_(b)",
        "https://example.org",
    ]
    assert text_of(found) == "See https://example.org/a_(b). Or (https://example.org)."


@pytest.mark.parametrize(
    "target",
    [
        "javascript:alert(1)",
        "file:///etc/passwd",
        "vscode://x",
        "ms-msdt:/id",
        "search-ms:query",
        "smb://host/share",
        "data:text/html,x",
        "//host/share",
        "README.md",
        "#top",
        "http://",
        "JAVASCRIPT:alert(1)",
    ],
)
def test_other_targets_are_shown_and_lead_nowhere(target: str) -> None:
    found = runs(f"[click me]({target})")
    assert all(not run.href and not run.style & Style.LINK for run in found)
    assert text_of(found).startswith("click me (")


@pytest.mark.parametrize("source", ["<javascript:alert(1)>", "<vscode://x>", "<file:///x>"])
def test_autolinks_are_held_to_the_same_rule(source: str) -> None:
    assert all(not run.href for run in runs(source))


def test_pictures_are_named_and_not_loaded() -> None:
    (chip,) = runs("![chart](https://example.org/x.png)")
    assert (chip.text, chip.style, chip.href) == ("🖼\ufe0f chart (not loaded)", Style.CHIP, "")


def test_tags_are_text_except_the_line_break() -> None:
    source = "<script>x</script> <b>y</b> a<br>b<br/>c"
    assert text_of(runs(source)) == f"<script>x</script> <b>y</b> a{BREAK}b{BREAK}c"


def test_references_lead_where_the_message_says() -> None:
    found = runs("[a][Ref  one] and [ref one] and [none]", {"REF ONE": "https://example.org"})
    assert [run.href for run in found if run.href] == ["https://example.org"] * 2
    assert text_of(found) == "a and ref one and [none]"


def test_entities_cannot_smuggle_direction_marks_in() -> None:
    assert text_of(runs("a&#x202E;b&#8238;c&zwj;d")) == "abcd"


def test_line_breaks_are_spaces_unless_they_are_hard() -> None:
    assert text_of(runs("a\nb  \nc\\\nd")) == f"a b{BREAK}c{BREAK}d"


def test_what_the_person_typed_is_shown_as_typed() -> None:
    assert plain_runs("**a**\n<b>") == [Run(f"**a**{BREAK}<b>")]


def test_address_is_found_at_its_place_past_an_emoji() -> None:
    found = runs("🎉 [a](https://example.org) b")
    assert [href_at(found, at) for at in (0, 2, 3, 4)] == ["", "", "https://example.org", ""]


@given(st.text(max_size=200))
def test_any_text_is_shown_without_line_ends_or_foreign_characters(source: str) -> None:
    text = text_of(runs(source))
    assert not set(text) & set("\n\r\x00\x1b\u202e\ufdd0\ufffc")


@pytest.mark.parametrize("piece", ["[", "![", "[a](", "[[]", "![[]()"])
def test_brackets_without_end_are_text(piece: str) -> None:
    source = piece * (MAX_BRACKETS + 1)
    assert text_of(runs(source)) == source
