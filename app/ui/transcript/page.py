"""The page: the model's entries as items, and where they stand in the window.

GUI thread only, no widget: the view paints what the page places, and tells it what the person
does.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache

from PySide6.QtCore import QPoint, QRect

from app.core.events import Event
from app.core.ids import MessageId
from app.ui.theme import Theme
from app.ui.transcript.changes import Change, Grew, Murmured, Reset, Spliced, Touched
from app.ui.transcript.entry import Branch, Entry
from app.ui.transcript.flow import Flow, Placed
from app.ui.transcript.item import MessageItem
from app.ui.transcript.model import TranscriptModel
from app.ui.transcript.place import Place
from app.ui.transcript.rows.base import Row
from app.ui.transcript.stage import Stage

_OPENED = 400  # messages whose rows are kept


@dataclass(frozen=True, slots=True)
class Seen:
    """A row in the window, and where it is, without the gap above it."""

    placed: Placed
    row: Row
    area: QRect
    stamp: int  # of the row when it was placed


class Page:
    """Items in a column, seen through a window."""

    def __init__(self, theme: Theme) -> None:
        self.model = TranscriptModel()
        self.stage = Stage(theme)
        self.flow = Flow(tail=24)
        self.items: list[MessageItem] = []
        self.left = 0
        self._dirty: set[int] = set()
        self._murmured: set[int] = set()
        self._detailed: set[MessageId] = set()
        self._opened: dict[int, None] = {}

    def apply(self, event: Event) -> Sequence[Change]:
        """Take an event in; words show with the next flush, all else at once."""
        changes = self.model.apply(event)
        for change in changes:
            match change:
                case Reset():
                    self._reset()
                case Spliced(start=start):
                    self._splice(start)
                case Grew(index=index, part=part, text=text):
                    self.items[index].grow(part, text)
                    self._dirty.add(index)
                case Murmured(index=index):
                    self._murmured.add(index)
                case Touched(index=index):
                    self.refresh(index)
        return changes

    @property
    def is_dirty(self) -> bool:
        """Say whether words wait to be shown."""
        return bool(self._dirty or self._murmured)

    def flush(self) -> None:
        """Show the words that wait."""
        for index in self._murmured:
            if index < len(self.items):
                self.refresh(index)
        self._murmured.clear()
        for index in self._dirty:
            if index < len(self.items):
                self.items[index].flush()
                self.flow.resized(index)
        self._dirty.clear()

    def refresh(self, index: int) -> None:
        """Show what changed about a message."""
        self.items[index].refresh(self._place(index))
        self.flow.resized(index)

    def resize(self, width: int, height: int) -> bool:
        """Take the window's size; say whether the column changed."""
        self.flow.window = height
        is_other = self.stage.fit(width)
        self.left = (width - self.stage.width) // 2
        return is_other

    def set_theme(self, theme: Theme) -> None:
        """Take another look."""
        self.stage.set_theme(theme)
        for item in self.items:
            item.restyle()
        self.flow.resize_all()

    def seen(self) -> list[Seen]:
        """List the rows in the window, from the top."""
        placed = self.flow.place()
        self._keep_opened({one.item for one in placed})
        return [self._seen(one) for one in placed]

    def row(self, item: int, row: int) -> Row:
        """Give one row."""
        return self.items[item].row(row)

    def toggle(self, item: int, part: int) -> None:
        """Fold or unfold a part of a message."""
        self.items[item].toggle(part)
        self.flow.resized(item)

    def toggle_details(self, item: int) -> None:
        """Show or hide the details of a problem."""
        self._detailed ^= {self.items[item].entry.id}
        self.refresh(item)

    def make_room(self, item: int, room: int | None) -> None:
        """Make room for the editor in a message, or give it back."""
        self.items[item].edit(room)
        self.flow.resized(item)

    def at(self, point: QPoint, seen: Sequence[Seen]) -> Seen | None:
        """Find the row at a point, or the nearest above or below it."""
        if not seen:
            return None
        for one in seen:
            if point.y() < one.placed.top + one.placed.extent:
                return one
        return seen[-1]

    def reveal(self, item: int, row: int, position: int) -> None:
        """Bring a position of a row's text into the window."""
        row = min(row, self.items[item].count - 1)  # an open end may have become shorter
        self.items[item].measure(row)
        self.flow.resized(item)
        one = self.items[item].row(row)
        top, bottom = one.span_of(self.stage.look, self.stage.papers, position)
        self.flow.reveal(item, row, one.gap + top, one.gap + bottom)

    def _seen(self, placed: Placed) -> Seen:
        row = self.items[placed.item].row(placed.row)
        area = QRect(self.left, placed.top + row.gap, self.stage.width, row.height)
        return Seen(placed, row, area, row.stamp)

    def _reset(self) -> None:
        self._dirty.clear()
        self._murmured.clear()
        self._detailed.clear()
        self._opened.clear()
        self.stage.papers.clear()
        entries = self.model.entries
        self.items = [self._item(index, entry) for index, entry in enumerate(entries)]
        self.flow.reset(self.items)

    def _splice(self, start: int) -> None:
        known = {item.entry: item for item in self.items[start:]}
        entries = self.model.entries
        self.items[start:] = [
            known.get(entries[index]) or self._item(index, entries[index])
            for index in range(start, len(entries))
        ]
        for index in range(max(0, start - 1), len(entries)):
            self.items[index].refresh(self._place(index))
        self.flow.splice(self.items, max(0, start - 1))
        self._dirty = {index for index in self._dirty if index < start}
        self._dirty |= {i for i in range(start, len(entries)) if entries[i].is_open}

    def _item(self, index: int, entry: Entry) -> MessageItem:
        return MessageItem(entry, self.stage, self._place(index))

    def _place(self, index: int) -> Place:
        entries = self.model.entries
        entry = entries[index]
        is_last = index == len(entries) - 1
        above = index > 0 and not entry.is_person and not entries[index - 1].is_person
        below = not is_last and not entry.is_person and not entries[index + 1].is_person
        branch = entry.branch if entry.is_person or below else self._branch_of(index)
        is_busy = is_last and self.model.running is not None and not entry.is_person
        elsewhere = self.model.answering_elsewhere() if is_last else None
        details = entry.id in self._detailed
        answers = index > 0 and not entry.is_person and entries[index - 1].is_person
        common = _common_place(
            is_first=index == 0, above=above, below=below, answers=answers, is_busy=is_busy
        )
        if branch or elsewhere or details:
            return replace(common, branch=branch, elsewhere=elsewhere, shows_details=details)
        return common

    def _branch_of(self, index: int) -> Branch | None:
        entries = self.model.entries
        while index > 0 and entries[index].branch is None and not entries[index - 1].is_person:
            index -= 1
        return entries[index].branch

    def _keep_opened(self, shown: set[int]) -> None:
        for index in shown:
            self._opened.pop(index, None)
            self._opened[index] = None
        while len(self._opened) > _OPENED:
            oldest = next(iter(self._opened))
            del self._opened[oldest]
            if oldest < len(self.items):
                self.items[oldest].close()
                self.flow.resized(oldest)


@cache
def _common_place(
    *, is_first: bool, above: bool, below: bool, answers: bool, is_busy: bool
) -> Place:
    return Place(is_first, above, below, answers, is_busy)
