"""Nothing flashes: at every character, what is shown is the beginning of what will be shown."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.ui.transcript.inline import runs
from app.ui.transcript.mend import mend
from app.ui.transcript.runs import Run, Style, text_of

SENTENCES = [
    "Plain words, nothing else.",
    "Keep the **height of every message** in a tree.",
    "An *anchor* row and a ***loud*** one.",
    "Use `O(log n)` here, or ``a ` b`` there.",
    "See [the paper](https://example.org/a_b) for the proof.",
    "See [the **bold** paper](https://example.org) for it.",
    "A snake_case name and __dunder__ and _soft_ ones.",
    "2 * 3 * 4 and a_b_c.",
    "This is ~~wrong~~ right.",
    "**Bold `code` inside** and *it **nested** works*.",
    "Fish &amp; chips &lt;3, AT&T too.",
    "An autolink <https://example.org> here.",
    "Escaped \\*stars\\* stay.",
    "A picture ![of a cat](https://example.org/cat.png) not loaded.",
    "Row<br>below.",
    "An array [1, 2, 3] and [0] of it.",
    "Reference [link][ref] text.",
    "**Note:** a list follows **here**",
    "Wow! Really~ yes.",
]


def shown(source: str) -> list[Run]:
    return runs(source, {"REF": "https://example.org"})


@pytest.mark.parametrize("sentence", SENTENCES)
def test_what_is_shown_only_grows(sentence: str) -> None:
    final = text_of(shown(sentence))
    for end in range(len(sentence) + 1):
        now = text_of(shown(mend(sentence[:end])))
        assert final.startswith(now.rstrip()), (sentence[:end], mend(sentence[:end]), now)


@pytest.mark.parametrize(
    ("half", "style"),
    [
        ("so **very lo", Style.BOLD),
        ("so *very lo", Style.ITALIC),
        ("so `very lo", Style.CODE),
        ("so ~~very lo", Style.STRIKE),
        ("so [very lo](https://exa", Style.LINK),
    ],
)
def test_what_is_open_has_its_style_at_once(half: str, style: Style) -> None:
    last = shown(mend(half))[-1]
    assert (last.text, last.style) == ("very lo", style)


def test_half_a_link_leads_nowhere() -> None:
    assert all(not run.href for run in shown(mend("[bank](https://evil.example/pa")))


@given(st.text(alphabet="ab *_`~[]()!<>&\\\n#|", max_size=80))
def test_mending_never_fails_and_never_adds_words(text: str) -> None:
    before = [char for char in text if char.isalnum()]
    after = [char for char in mend(text) if char.isalnum()]
    assert after == before[: len(after)]


@pytest.mark.parametrize("mark", ["*", "**a", "`", "[", "![", "](", "~~", "_a ", "[a](", "<", "&"])
def test_long_runs_of_markers_are_read_once(mark: str) -> None:
    text = mark * (8000 // len(mark))
    assert len(mend(text)) <= 3 * len(text)
