"""Take secrets out of any text before it is written anywhere.

Known secrets are registered the moment they are read from the keychain or typed; the patterns
catch the rest. Callable from any thread.
"""

import json
import re
import threading
from urllib.parse import quote

HIDDEN = "[hidden]"

_SHORTEST_SECRET = 6  # anything shorter would take ordinary words out of the log
_VALUE = r"(?!\[hidden\])[^\s\"'&,;}\]]+"
_IS = r"[\"']?\s*[:=]\s*[\"']?"
_NAMES = (
    r"(?:api[_-]?key|x-goog-api-key|(?:access|refresh)[_-]?token|client[_-]?secret|passw(?:or)?d)"
)
_PATTERNS = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"(\bauthorization{_IS}(?:(?:bearer|basic)\s+)?+){_VALUE}",
        r"(\b(?:bearer|basic)\s+)[A-Za-z0-9._~+/=-]{8,}",
        rf"({_NAMES}{_IS}){_VALUE}",
        rf"([?&](?:key|token|sig|signature|code)=){_VALUE}",
        r"(://[^/\s:@]+:)[^/\s@]+(?=@)",
    )
)
_SHAPES = re.compile(
    r"\b(?:sk|pk|rk|gsk|hf|ghp|gho|ghs|github_pat|xai|xox[abp]|tvly)[-_][A-Za-z0-9_-]{8,}"
    r"|\bAIza[A-Za-z0-9_-]{16,}"
    r"|\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{4,}(?:\.[A-Za-z0-9_-]*)?"
)

_lock = threading.Lock()
_known: tuple[str, ...] = ()


def register_secret(secret: str) -> None:
    """Never let this value into any log again."""
    global _known  # noqa: PLW0603 - one list for the process, replaced whole so readers need no lock
    if len(secret) < _SHORTEST_SECRET:
        return
    spellings = {secret, quote(secret, safe=""), json.dumps(secret)[1:-1]}
    with _lock:
        _known = tuple(sorted({*_known, *spellings}, key=len, reverse=True))


def redact(text: str) -> str:
    """Replace every secret in a text."""
    for secret in _known:
        text = text.replace(secret, HIDDEN)
    for pattern in _PATTERNS:
        text = pattern.sub(rf"\g<1>{HIDDEN}", text)
    return _SHAPES.sub(HIDDEN, text)
