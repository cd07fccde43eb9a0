"""How long a server asks to wait, out of its headers or its words."""

import re
from collections.abc import Mapping
from email.utils import parsedate_to_datetime

_IN_WORDS = re.compile(
    r"(?:try|retry) (?:again )?(?:in|after) ([\d.]+) ?(ms|s|second|m|min)?\b", re.IGNORECASE
)
_UNITS = {"ms": 0.001, "m": 60.0, "min": 60.0}


def asked_wait_s(headers: Mapping[str, str], said: str, now: float) -> float | None:
    """Find the wait the server asked for; `now` is seconds since the epoch, for dates."""
    if (milliseconds := _number(headers.get("retry-after-ms"))) is not None:
        return milliseconds / 1000
    value = headers.get("retry-after")
    if (seconds := _number(value)) is not None:
        return seconds
    if value:
        return _until(value, now)
    found = _IN_WORDS.search(said)
    number = _number(found[1]) if found else None
    if found is None or number is None:
        return None
    return number * _UNITS.get(found[2] or "s", 1.0)


def _number(value: str | None) -> float | None:
    try:
        number = float(value) if value else -1.0
    except ValueError:
        return None
    return number if 0 <= number < 1e9 else None


def _until(date: str, now: float) -> float | None:
    try:
        return max(0.0, parsedate_to_datetime(date).timestamp() - now)
    except (ValueError, OverflowError):
        return None
