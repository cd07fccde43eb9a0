"""The name a conversation gets from its first message."""

import re
import unicodedata

from app.storage.codec import storable

TITLE_CHARS = 60

_SCANNED_CHARS = 4_000  # a pasted book has its first line near its beginning
_INVISIBLE = {"Cc", "Cf", "Cs", "Co", "Cn"}  # controls, bidi overrides, zero widths, surrogates
_JOINERS = "\u200c\u200d"  # they shape Persian words and family emoji


def title_from(text: str) -> str:
    """Take the first line that says something, without what could disguise it."""
    for line in storable(text[:_SCANNED_CHARS]).splitlines():
        if title := cleaned(line):
            return _shortened(title)
    return ""


def cleaned(text: str) -> str:
    """Drop control and bidi override characters and squeeze the white space."""
    spaced = re.sub(r"\s+", " ", text)
    return "".join(c for c in spaced if _is_visible(c)).strip()


def _is_visible(character: str) -> bool:
    return character in _JOINERS or unicodedata.category(character) not in _INVISIBLE


def _shortened(title: str) -> str:
    if len(title) <= TITLE_CHARS:
        return title
    cut = title[:TITLE_CHARS]
    at_word = cut.rpartition(" ")[0]
    return (at_word if len(at_word) > TITLE_CHARS // 2 else cut).rstrip() + "…"
