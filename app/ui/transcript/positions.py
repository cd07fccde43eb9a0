"""Where the stretches of a row's text stand in its document, when the two differ. Pure.

A table's document has invisible characters between its cells; its text has tabs and line ends.
"""

from bisect import bisect_right


class PositionMap:
    """Stretches of text, each with its place in the document, in order."""

    def __init__(self) -> None:
        self._text: list[int] = []
        self._paper: list[int] = []
        self._length: list[int] = []

    def add(self, text: int, paper: int, length: int) -> None:
        """Add the next stretch."""
        self._text.append(text)
        self._paper.append(paper)
        self._length.append(length)

    def to_text(self, place: int) -> int:
        """Find the position that a place in the document stands for."""
        if not self._paper:
            return 0
        at = max(0, bisect_right(self._paper, place) - 1)
        return self._text[at] + min(max(0, place - self._paper[at]), self._length[at])

    def to_paper(self, position: int) -> int:
        """Find a position's place in the document."""
        if not self._text:
            return 0
        at = max(0, bisect_right(self._text, position) - 1)
        return self._paper[at] + min(max(0, position - self._text[at]), self._length[at])

    def pieces(self, start: int, end: int) -> list[tuple[int, int]]:
        """Cut a range of text into the ranges of the document that show it."""
        found = []
        for text, paper, length in zip(self._text, self._paper, self._length, strict=True):
            first, last = max(start, text), min(end, text + length)
            if first < last:
                found.append((paper + first - text, paper + last - text))
        return found
