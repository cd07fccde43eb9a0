"""Which addresses may be followed, and what is shown of them. Pure."""

import re
from urllib.parse import urlsplit

ALLOWED_SCHEMES = ("http", "https", "mailto")

_BARE = re.compile(
    r"(?<![\w/@.])https?://[^\s<>\"`|\\^{}\u3000-\u303f\uff00-\uff0f]+", re.IGNORECASE
)
_TRAILING = ".,;:!?'*_~"
_PAIRS = {")": "(", "]": "["}


def safe_target(address: str) -> str | None:
    """Give an address back if it may be followed on a click, else None."""
    try:
        parts = urlsplit(address)
        has_place = parts.hostname if parts.scheme in ("http", "https") else parts.path
    except ValueError:  # a malformed host
        return None
    is_plain = address.isascii() and address.isprintable() and " " not in address
    return address if parts.scheme in ALLOWED_SCHEMES and has_place and is_plain else None


def bare_links(text: str) -> list[tuple[int, int]]:
    """Find the addresses that stand in a text as they are: start and end of each."""
    return [(found.start(), _end(text, found)) for found in _BARE.finditer(text)]


def _end(text: str, found: re.Match[str]) -> int:
    start, end = found.span()
    while end > start:
        last = text[end - 1]
        opener = _PAIRS.get(last)
        is_unpaired = opener and text.count(last, start, end) > text.count(opener, start, end)
        if last not in _TRAILING and not is_unpaired:
            break
        end -= 1
    return end


def shown_target(address: str, limit: int = 160) -> str:
    """Shorten an address for showing; its beginning, where the host is, stays whole."""
    return address if len(address) <= limit else address[: limit - 1] + "…"
