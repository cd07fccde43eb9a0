"""What a server says about its own failure: read out of any body, cleaned for a person."""

import re
from typing import Any

MAX_REASON_CHARS = 160
_MARKUP = re.compile(r"<(?:!doctype|html|head|body|title)\b", re.IGNORECASE)
_SECRET = re.compile(r"\b(?:sk|pk|key|gsk|xai)-[\w*.-]{6,}|\bBearer\s+\S+", re.IGNORECASE)


def message_of(body: Any) -> str:
    """Find the server's own words in an error body of whatever shape."""
    match body:
        case str():
            return "" if _MARKUP.search(body) else body
        case {"error": error} if error:
            return message_of(error)
        case {"message": message} | {"msg": message} | {"detail": message}:
            return message_of(message)
        case [first, *_]:  # validation errors come as a list
            return message_of(first)
        case _:
            return ""


def code_of(body: Any) -> str:
    """Find the machine-readable names in an error body, in one lower-case string."""
    if isinstance(body, dict):
        nested = code_of(body.get("error"))
        own = (str(body.get(name) or "") for name in ("code", "type", "param"))
        return " ".join([*own, nested]).lower()
    return ""


def scrubbed(text: str, key: str | None) -> str:
    """Take a key, and whatever looks like one, out of a text."""
    if key:
        text = text.replace(key, "…")
    return _SECRET.sub("…", text)


def sentence_of(text: str, key: str | None) -> str:
    """Clean a server's words: one line, no control signs, no key, not too long."""
    signs = "".join(sign if sign.isprintable() else " " for sign in scrubbed(text, key))
    line = " ".join(signs.split())
    if len(line) > MAX_REASON_CHARS:
        line = line[: MAX_REASON_CHARS - 1].rsplit(" ", 1)[0].rstrip(" ,;:") + "…"
    if not line:
        return "it gave no reason."
    return line if line.endswith((".", "!", "?", "…")) else f"{line}."
