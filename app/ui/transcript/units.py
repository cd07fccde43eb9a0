"""Positions in text as Qt counts them: in UTF-16 units, where an emoji is two. Pure."""


def length(text: str) -> int:
    """Count a text's units."""
    return len(text) if _is_simple(text) else len(text.encode("utf-16-le", "replace")) // 2


def cut(text: str, start: int, end: int | None = None) -> str:
    """Take the part between two positions."""
    if _is_simple(text):
        return text[start:end]
    units = text.encode("utf-16-le", "replace")
    part = units[2 * start :] if end is None else units[2 * start : 2 * end]
    return part.decode("utf-16-le", "replace")


def position(text: str, index: int) -> int:
    """Turn an index into a position."""
    return index if _is_simple(text) else length(text[:index])


def index(text: str, position_: int) -> int:
    """Turn a position into an index."""
    return position_ if _is_simple(text) else len(cut(text, 0, position_))


def _is_simple(text: str) -> bool:
    return text.isascii() or max(text) <= "\uffff"
