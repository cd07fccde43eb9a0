"""Make text from elsewhere harmless to a terminal: what a model writes must never command it.

Stateless, one character at a time: a sequence that is split over two deltas is as harmless as a
whole one, because its ESC is shown instead of sent.
"""

import unicodedata
from typing import Final

_C0 = {code: 0x2400 + code for code in range(0x20)}  # shown as pictures: ␛, ␇, …
_C1 = dict.fromkeys(range(0x80, 0xA0), "\N{REPLACEMENT CHARACTER}")
# Embeddings, overrides and isolates can make a line read other than it is.
_BIDI = dict.fromkeys([*range(0x202A, 0x202F), *range(0x2066, 0x206A)])
_SURROGATES = dict.fromkeys(range(0xD800, 0xE000), "\N{REPLACEMENT CHARACTER}")

_TABLE: Final[dict[int, int | str | None]] = {
    **_C0,
    **_C1,
    **_BIDI,
    **_SURROGATES,
    0x7F: 0x2421,
    ord("\r"): None,
    ord("\n"): ord("\n"),
    ord("\t"): ord("\t"),
}


def harmless(text: str) -> str:
    """Show control characters instead of sending them; line ends and tabs stay."""
    return text.translate(_TABLE)


def one_line(text: str, width: int = 70) -> str:
    """Squeeze text into one harmless line."""
    squeezed = harmless(" ".join(text.split()))
    return squeezed if cells(squeezed) <= width else _cut(squeezed, width - 1) + "…"


def cells(text: str) -> int:
    """Count the columns that text takes."""
    return sum(_width(character) for character in text)


def _cut(text: str, width: int) -> str:
    taken = 0
    for at, character in enumerate(text):
        taken += _width(character)
        if taken > width:
            return text[:at].rstrip()
    return text


def _width(character: str) -> int:
    if unicodedata.combining(character) or unicodedata.category(character) == "Cf":
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1
