"""Where everything stands: rows of messages in one column, seen through a window.

Pure. The position is an anchor (message, row, offset into it), never an absolute y: what lies
above may turn out higher or lower than estimated without moving what is being read. Only rows
that come into the window are measured.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from app.ui.transcript.fenwick import Fenwick

STICK_PX = 24  # closer to the end than this, new words keep the end in sight


class Stack(Protocol):
    """A message's rows, as far as their heights go."""

    @property
    def extent(self) -> int:
        """The height of all rows, estimated where they were never measured."""
        ...

    @property
    def count(self) -> int:
        """How many rows there are, which makes them if need be."""
        ...

    def measure(self, row: int) -> int:
        """Find a row's true height, with the gap above it."""
        ...

    def before(self, row: int) -> int:
        """Add up the rows above one."""
        ...

    def find(self, y: int) -> tuple[int, int]:
        """Find the row at a height and how far into it that is."""
        ...


@dataclass(frozen=True, slots=True)
class Anchor:
    """The window's upper edge is `offset` below the upper edge of this row."""

    item: int = 0
    row: int = 0
    offset: int = 0


@dataclass(frozen=True, slots=True)
class Placed:
    """A row in the window; `top` is where its gap begins."""

    item: int
    row: int
    top: int
    extent: int


class Flow:
    """The column and the window onto it."""

    def __init__(self, *, tail: int) -> None:
        self.tail = tail  # empty space after the last row
        self.window = 0
        self.anchor = Anchor()
        self.is_stuck = True
        self._items: Sequence[Stack] = ()
        self._heights = Fenwick()

    @property
    def total(self) -> int:
        """The height of everything, as far as it is known."""
        return self._heights.total + self.tail

    @property
    def y(self) -> int:
        """Where the window's upper edge is, as far as it is known."""
        if not self._items:
            return 0
        at = self.anchor
        return self.top_of(at.item) + self._items[at.item].before(at.row) + at.offset

    @property
    def limit(self) -> int:
        """The greatest y."""
        return max(0, self.total - self.window)

    def top_of(self, item: int) -> int:
        """Say where a message begins."""
        return self._heights.before(item)

    def reset(self, items: Sequence[Stack]) -> None:
        """Show other messages, from their end."""
        self._items = items
        self._heights = Fenwick(item.extent for item in items)
        self.anchor, self.is_stuck = Anchor(), True

    def splice(self, items: Sequence[Stack], start: int) -> None:
        """Take the messages from an index on anew; the anchor stays where it can."""
        self._items = items
        self._heights.truncate(min(start, len(self._heights)))
        self._heights.extend([item.extent for item in items[len(self._heights) :]])
        if self.anchor.item >= len(items):
            self.anchor, self.is_stuck = Anchor(), True

    def resized(self, item: int) -> None:
        """Take a message's new height in."""
        self._heights.set(item, self._items[item].extent)

    def resize_all(self) -> None:
        """Take all heights anew, after the width changed."""
        self._heights = Fenwick(item.extent for item in self._items)

    def place(self) -> list[Placed]:
        """Say which rows are in the window and where; measures them."""
        if not self._items:
            return []
        if self.is_stuck:
            self.anchor = self._end()
        self._settle()
        placed, end = self._fill()
        if end + self.tail < self.window and self.anchor != Anchor():
            self.anchor = self._end()
            placed, end = self._fill()
        return placed

    def scroll_by(self, distance: int) -> None:
        """Move the window; short ways are exact, whatever was estimated."""
        if abs(distance) > 4 * self.window:
            self.scroll_to(self.y + distance)
            return
        at = self.anchor
        self.anchor = Anchor(at.item, at.row, at.offset + distance)
        self._arrive()

    def scroll_to(self, y: int) -> None:
        """Move the window to a height, as far as heights are known."""
        if not self._items:
            return
        item, rest = self._heights.find(y)
        known = self._heights[item]
        _ = self._items[item].count
        self.resized(item)
        if known:
            rest = rest * self._heights[item] // known
        row, offset = self._items[item].find(rest)
        self.anchor = Anchor(item, row, offset)
        self._arrive()

    def scroll_to_end(self) -> None:
        """Show the end and stay there."""
        self.is_stuck = True

    def reveal(self, item: int, row: int, top: int, bottom: int) -> None:
        """Bring a stretch of a row into the window, if it is not there; pixels are from its top."""
        shown = next((p for p in self.place() if (p.item, p.row) == (item, row)), None)
        margin = self.window // 4
        if shown is not None and shown.top + top >= 0 and shown.top + bottom <= self.window:
            return
        _ = self._items[item].count
        self.anchor = Anchor(item, row, top - margin)
        self._arrive()

    def _arrive(self) -> None:
        self.is_stuck = False
        placed = self.place()
        last = placed[-1] if placed else None
        is_end = last is None or (
            last.item == len(self._items) - 1 and last.row == self._items[last.item].count - 1
        )
        end = last.top + last.extent + self.tail if last else 0
        self.is_stuck = is_end and end - self.window <= STICK_PX

    def _measure(self, item: int, row: int) -> int:
        extent = self._items[item].measure(row)
        self.resized(item)
        return extent

    def _settle(self) -> None:
        at, offset = (self.anchor.item, self.anchor.row), self.anchor.offset
        if at[1] >= self._items[at[0]].count:
            at, offset = (at[0], self._items[at[0]].count - 1), 0
        while offset < 0 and (above := self._above(*at)) is not None:
            at = above
            offset += self._measure(*at)
        while offset >= (extent := self._measure(*at)) and (below := self._below(*at)) is not None:
            at = below
            offset -= extent
        self.anchor = Anchor(*at, max(0, offset))

    def _fill(self) -> tuple[list[Placed], int]:
        placed: list[Placed] = []
        at: tuple[int, int] | None = (self.anchor.item, self.anchor.row)
        top = -self.anchor.offset
        while at is not None and (top < self.window or not placed):
            extent = self._measure(*at)
            placed.append(Placed(*at, top, extent))
            top += extent
            at = self._below(*at)
        return placed, top if at is None else max(top, self.window)

    def _end(self) -> Anchor:
        item = len(self._items) - 1
        at: tuple[int, int] | None = (item, self._items[item].count - 1)
        need = self.window - self.tail
        while at is not None:
            extent = self._measure(*at)
            if extent >= need:
                return Anchor(*at, extent - need)
            need -= extent
            at = self._above(*at)
        return Anchor()

    def _above(self, item: int, row: int) -> tuple[int, int] | None:
        if row > 0:
            return item, row - 1
        return (item - 1, self._items[item - 1].count - 1) if item > 0 else None

    def _below(self, item: int, row: int) -> tuple[int, int] | None:
        if row + 1 < self._items[item].count:
            return item, row + 1
        return (item + 1, 0) if item + 1 < len(self._items) else None
