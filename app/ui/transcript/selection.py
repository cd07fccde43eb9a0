"""What is selected, across messages: two carets, each a message, a row and a position. Pure."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, order=True)
class Caret:
    """A place between two characters; the position is Qt's, in UTF-16 units."""

    item: int
    row: int
    position: int


@dataclass(frozen=True, slots=True)
class Selection:
    """From where the pointer went down to where it is."""

    anchor: Caret
    head: Caret

    @property
    def is_empty(self) -> bool:
        """Say whether nothing is selected."""
        return self.anchor == self.head

    @property
    def start(self) -> Caret:
        """The caret that comes first."""
        return min(self.anchor, self.head)

    @property
    def end(self) -> Caret:
        """The caret that comes last."""
        return max(self.anchor, self.head)

    def within(self, item: int, row: int, length: int) -> tuple[int, int] | None:
        """Say which part of a row is selected, None for nothing of it."""
        start, end = self.start, self.end
        here = (item, row)
        if here < (start.item, start.row) or here > (end.item, end.row):
            return None
        first = start.position if here == (start.item, start.row) else 0
        last = end.position if here == (end.item, end.row) else length
        return (first, last) if first < last else None


def word_around(text: str, index: int) -> tuple[int, int]:
    """Find the word at an index: what a double click selects."""
    if not text:
        return 0, 0
    index = min(index, len(text) - 1)
    kind = _kind(text[index])
    start = end = index
    while start > 0 and _kind(text[start - 1]) == kind:
        start -= 1
    while end < len(text) and _kind(text[end]) == kind:
        end += 1
    return start, end


def _kind(char: str) -> str:
    if char.isalnum() or char in "_'’":
        return "word"
    return "space" if char.isspace() else char
