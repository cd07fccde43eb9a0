"""Tables: their cells from the source, and how wide their columns should be. Pure."""

from dataclasses import dataclass
from enum import Enum

from app.ui.transcript import lines

_COMFORT = 260  # pixels for a column of a table that has to be moved sideways anyway


class Align(Enum):
    """On which side a column's text stands."""

    LEFT = "left"
    CENTRE = "centre"
    RIGHT = "right"


@dataclass(frozen=True, slots=True)
class Grid:
    """A table's cells, as source; every row has as many as there are columns."""

    rows: tuple[tuple[str, ...], ...]
    aligns: tuple[Align, ...]
    has_head: bool


def read(text: str, above: Grid | None) -> Grid:
    """Read a table's source; what is cut off from one above has its columns."""
    rows = [lines.cells(line) for line in text.split("\n")]
    if above is not None:
        return Grid(_squared(rows, len(above.aligns)), above.aligns, has_head=False)
    head, delimiter = rows[0], rows[1] if len(rows) > 1 else []
    aligns = tuple(_align(delimiter[at] if at < len(delimiter) else "") for at in range(len(head)))
    return Grid(_squared([head, *rows[2:]], len(head)), aligns, has_head=True)


def _align(delimiter: str) -> Align:
    if not delimiter.endswith(":"):
        return Align.LEFT
    return Align.CENTRE if delimiter.startswith(":") else Align.RIGHT


def _squared(rows: list[list[str]], width: int) -> tuple[tuple[str, ...], ...]:
    return tuple(tuple((*row, *[""] * width)[:width]) for row in rows)


def share_out(width: int, natural: list[int], least: list[int]) -> list[int]:
    """Share a width among columns: by need when it is enough, by what they can spare when not.

    The columns never get less than their longest word needs: the table may be wider then.
    """
    if not natural:
        return []
    need, must = sum(natural), sum(least)
    if need <= width:
        shares = [one * width // max(1, need) for one in natural]
        shares[-1] += width - sum(shares)
        return shares
    if must >= width:
        return [max(small, min(wish, _COMFORT)) for wish, small in zip(natural, least, strict=True)]
    spare = width - must
    return [
        small + (wish - small) * spare // (need - must)
        for wish, small in zip(natural, least, strict=True)
    ]
