"""Finding in the conversation: all hits, newest message first, a slice of the work at a time.

The words of a message are known only when its Markdown is read; messages whose source cannot
contain what is sought are passed over without reading. Pure.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

from app.ui.transcript import units
from app.ui.transcript.marks import Marks

_MARKERS = str.maketrans("", "", "*_~`\\")


class Line(Protocol):
    """A row, as far as its text goes."""

    @property
    def can_select(self) -> bool:
        """Say whether it has text of its own."""
        ...

    @property
    def text(self) -> str:
        """What it says."""
        ...


class Message(Protocol):
    """A message, as far as its text goes."""

    @property
    def source(self) -> str:
        """What it was made from."""
        ...

    @property
    def count(self) -> int:
        """How many rows it has."""
        ...

    @property
    def is_opened(self) -> bool:
        """Say whether its rows are made."""
        ...

    def row(self, index: int) -> Line:
        """Give one row."""
        ...

    def close(self) -> None:
        """Forget its rows."""
        ...


@dataclass(frozen=True, slots=True, order=True)
class Hit:
    """A place where it says what is sought; positions are Qt's."""

    item: int
    row: int
    start: int
    end: int


class Search:
    """One search: hits are found by `step`, and stepped through in reading order."""

    def __init__(self, items: Sequence[Message], sought: str, current: Hit | None = None) -> None:
        self.hits: list[Hit] = []
        self.current = current  # may be gone: stepping goes on from its place
        self.is_done = not sought
        self._sought = sought.casefold()
        self._found: dict[tuple[int, int], list[Hit]] = {}
        self._work = self._walk(items)

    def step(self, messages: int = 1) -> bool:
        """Look through some more messages; say whether there are more."""
        for _ in range(messages):
            if self.is_done:
                break
            self.is_done = next(self._work, None) is None
        return not self.is_done

    def go(self, *, forward: bool) -> Hit | None:
        """Step to the next hit, or the one before; past the last comes the first."""
        if not self.hits:
            self.current = None
        elif self.current is None:
            self.current = self.hits[-1]
        elif forward:
            self.current = self.hits[bisect_right(self.hits, self.current) % len(self.hits)]
        else:
            self.current = self.hits[bisect_left(self.hits, self.current) - 1]
        return self.current

    @property
    def place(self) -> int:
        """Which of the hits is the current one, from 1."""
        at = bisect_left(self.hits, self.current) if self.current else 0
        return at + 1 if self.hits[at : at + 1] == [self.current] else 0

    def marks(self, item: int, row: int) -> Marks | None:
        """Say what is to be marked in a row."""
        found = self._found.get((item, row))
        if not found:
            return None
        current = self.current if self.current in found else None
        spans = [(hit.start, hit.end) for hit in found]
        return Marks(hits=spans, current=(current.start, current.end) if current else None)

    def _walk(self, items: Sequence[Message]) -> Iterator[bool]:
        for index in range(len(items) - 1, -1, -1):
            if index < len(items) and may_contain(items[index].source, self._sought):
                self._look_through(index, items[index])
            yield True

    def _look_through(self, index: int, item: Message) -> None:
        was_open = item.is_opened
        found: list[Hit] = []
        for number in range(item.count):
            row = item.row(number)
            if row.can_select:
                here = [Hit(index, number, *span) for span in spans(row.text, self._sought)]
                if here:
                    self._found[index, number] = here
                    found += here
        self.hits[:0] = found
        if not was_open:
            item.close()


def may_contain(source: str, sought: str) -> bool:
    """Say whether a message whose source is this may show what is sought."""
    bare = source.translate(_MARKERS).casefold()
    return all(word.translate(_MARKERS) in bare for word in sought.split())


def spans(text: str, sought: str) -> list[tuple[int, int]]:
    """Find where a text says what is sought, whatever the case."""
    folded = text.casefold()
    if len(folded) != len(text):  # ß and the like: positions would be off
        folded = text.lower()
        if len(folded) != len(text):
            folded = text
    found: list[tuple[int, int]] = []
    at = folded.find(sought)
    while at >= 0 and sought:
        start, end = units.position(text, at), units.position(text, at + len(sought))
        found.append((start, end))
        at = folded.find(sought, at + len(sought))
    return found
