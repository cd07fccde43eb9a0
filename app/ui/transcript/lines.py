"""What one line of Markdown may begin: pure recognisers, each linear in the line."""

import re
from typing import NamedTuple

_RULE = re.compile(r" {0,3}([-*_])[ \t]*(?:\1[ \t]*){2,}$")
_SETEXT = re.compile(r" {0,3}(=+|-+)[ \t]*$")
_HEADING = re.compile(r" {0,3}(#{1,6})(?:[ \t]+|$)")
_FENCE = re.compile(r"( {0,3})(`{3,}|~{3,})[ \t]*(.*)$", re.DOTALL)
_ITEM = re.compile(r"( {0,3})([-*+]|(\d{1,9})([.)]))(?=[ \t]|$)")
_TASK = re.compile(r"\[([ xX])\](?=[ \t])")
_DELIMITER = re.compile(r" {0,3}\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?$")
_DEFINITION = re.compile(
    r" {0,3}\[((?:[^\[\]\\]|\\.){1,200})\]:[ \t]*(?:<([^<>\n]*)>|([^\s<]\S*))"
    r"(?:[ \t]+(?:\"[^\"]*\"|'[^']*'|\([^()]*\)))?$"
)
_HALF = re.compile(
    r"[ \t>]*(?:[-*+=_~`#|$\\]{1,3}|[|:\-= \t]+|[-*+][ \t]+\[?[ xX]?\]?|\d{1,9}[.)]?|#{1,6})?"
    r"[ \t]*$"
)
_MARKS = re.compile(r"(?:[ \t]*(?:>|[-*+](?=[ \t])|\d{1,9}[.)](?=[ \t])))*[ \t]*")
_CELL_END = re.compile(r"\\.|\|", re.DOTALL)


class Fence(NamedTuple):
    """The opening of a code fence."""

    indent: int
    mark: str
    info: str


class Marker(NamedTuple):
    """The marker of a list item."""

    bullet: str  # tells lists apart: -, *, +, . or )
    number: int | None
    width: int  # columns up to the content
    rest: str  # the content on this line


def indent_of(line: str) -> int:
    """Count the leading spaces."""
    return len(line) - len(line.lstrip(" "))


def untab(line: str) -> str:
    """Turn the tabs among a line's leading marks into spaces, four columns to a stop."""
    if "\t" not in line:
        return line
    found = _MARKS.match(line)
    head = found.end() if found else 0
    return line[:head].expandtabs(4) + line[head:]


def is_rule(line: str) -> bool:
    """Recognise a thematic break."""
    return _RULE.match(line) is not None


def underline(line: str) -> int:
    """Recognise the underline of a heading: 1, 2, or 0 for none."""
    found = _SETEXT.match(line)
    return 0 if found is None else 1 if found[1][0] == "=" else 2


def heading(line: str) -> tuple[int, str] | None:
    """Recognise a heading: its level and its text."""
    found = _HEADING.match(line)
    if found is None:
        return None
    text = line[found.end() :].strip()
    bare = text.rstrip("#")
    return len(found[1]), text if bare and bare[-1] not in " \t" else bare.rstrip()


def fence(line: str) -> Fence | None:
    """Recognise the opening of a code fence."""
    found = _FENCE.match(line)
    if found is None or (found[2][0] == "`" and "`" in found[3]):
        return None
    return Fence(len(found[1]), found[2], found[3].strip())


def closes(line: str, mark: str) -> bool:
    """Recognise the end of a fence that began with `mark`."""
    if indent_of(line) > 3:
        return False
    body = line.strip(" \t")
    return len(body) >= len(mark) and body == mark[0] * len(body)


def quoted(line: str) -> str | None:
    """Take one quotation mark off a line; None if it has none."""
    indent = indent_of(line)
    if indent > 3 or not line.startswith(">", indent):
        return None
    inner = line[indent + 1 :]
    return inner.removeprefix(" ")


def item(line: str) -> Marker | None:
    """Recognise a list item."""
    found = _ITEM.match(line)
    if found is None:
        return None
    rest = line[found.end() :]
    rest = rest if rest.strip() else ""
    gap = indent_of(rest)
    if not rest or gap > 4:
        gap = 1  # an empty item, or one that begins with indented code
    number = int(found[3]) if found[3] else None
    return Marker(found[4] or found[2], number, found.end() + gap, rest[gap:])


def task(text: str) -> bool | None:
    """Recognise a task's box at the beginning of an item: whether it is done, None for no task."""
    found = _TASK.match(text)
    return None if found is None else found[1] != " "


def cells(row: str) -> list[str]:
    """Split a table's row at its unescaped bars."""
    row = row.strip()
    row = row.removeprefix("|")
    found: list[str] = []
    start = 0
    for mark in _CELL_END.finditer(row):
        if mark[0] == "|":
            found.append(row[start : mark.start()].strip())
            start = mark.end()
    if row[start:].strip() or not found:
        found.append(row[start:].strip())
    return [cell.replace("\\|", "|") for cell in found]


def is_delimiter(line: str) -> bool:
    """Recognise the line between a table's head and its body."""
    return ("|" in line or ":" in line) and _DELIMITER.match(line.rstrip()) is not None


def definition(line: str) -> tuple[str, str] | None:
    """Recognise a link's definition: its label and its target. Footnotes are none."""
    found = _DEFINITION.match(line.rstrip())
    if found is None or found[1].startswith("^"):
        return None
    return found[1], found[2] if found[2] is not None else found[3]


def is_half_marker(line: str) -> bool:
    """Say whether an unfinished line may yet become a marker and is better not shown."""
    return len(line) < 200 and _HALF.match(line) is not None
