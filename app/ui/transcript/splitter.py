"""Cut Markdown into blocks as it arrives, each character looked at once.

Pure. Works line by line, so that the blocks depend on the text alone and never on how it was
chunked. A closed block never changes; the caps bound what is still open, and with it the cost
of showing the next words. `peek` shows the open end as it would be if the text ended here.
"""

from dataclasses import replace
from unicodedata import category

from app.ui.transcript import lines
from app.ui.transcript.blocks import Block
from app.ui.transcript.scanner import Scanner

LINE_CAP = 2000  # characters of a line that are looked at for what it begins
REST_CAP = 500  # and the pieces in which the rest of an endless line is taken
_JOINER = "\u200d"


class Splitter:
    """Feed it text; it hands out the blocks that are finished."""

    def __init__(self) -> None:
        self.references: dict[str, str] = {}
        self._scanner = Scanner()
        self._pending = ""
        self._at = 0  # where the pending line begins in the source
        self._amid = False  # the pending text goes on a line whose beginning was taken

    def feed(self, text: str) -> list[Block]:
        """Take more text and return the blocks it closed."""
        rest = self._pending + text
        start = 0
        while (step := self._next(rest, start)) is not None:
            start = step
        self._pending = rest[start:]
        return self._collect()

    def close(self) -> list[Block]:
        """End the text and return the blocks that were open."""
        if self._pending:
            self._line(self._pending, ended=True)
            self._at += len(self._pending)
            self._pending = ""
        self._scanner.finish()
        return self._collect()

    def peek(self) -> list[Block]:
        """Show the open end: the blocks it would fall into if the text ended here."""
        scanner = self._scanner.clone()
        pending = self._pending.rstrip("\r")
        if pending and not self._is_half(scanner, pending):
            scanner.take(pending, self._at, self._at + len(pending), amid=self._amid)
        scanner.finish(provisional=True)
        return [replace(block, end=0) for block in scanner.closed]

    def _is_half(self, scanner: Scanner, pending: str) -> bool:
        if self._amid:
            return False
        if scanner.in_code:
            return scanner.may_close(pending)
        return lines.is_half_marker(pending)

    def _next(self, text: str, start: int) -> int | None:
        cap = REST_CAP if self._amid else LINE_CAP
        newline = text.find("\n", start, start + cap + 1)
        if newline >= 0:
            self._line(text[start:newline], ended=True)
            self._at += newline + 1 - start
            return newline + 1
        if len(text) - start <= cap:
            return None
        cut = _cut(text, start, start + cap)
        self._line(text[start:cut], ended=False)
        self._at += cut - start
        return cut

    def _line(self, line: str, *, ended: bool) -> None:
        if ended and line.endswith("\r"):
            line = line[:-1]
        self._scanner.take(line, self._at, self._at + len(line), amid=self._amid)
        self._amid = not ended

    def _collect(self) -> list[Block]:
        closed, self._scanner.closed = self._scanner.closed, []
        for label, target in self._scanner.definitions:
            self.references.setdefault(label, target)
        self._scanner.definitions = []
        return closed


def _cut(text: str, start: int, limit: int) -> int:
    space = text.rfind(" ", (start + limit) // 2, limit)
    if space >= 0:
        return space + 1
    cut = limit
    while cut > limit - 64 and (_clings(text[cut]) or text[cut - 1] == _JOINER):
        cut -= 1
    return cut


def _clings(char: str) -> bool:
    is_tone = "\U0001f3fb" <= char <= "\U0001f3ff"  # of skin
    return char == _JOINER or is_tone or category(char)[0] == "M"


def split(text: str) -> list[Block]:
    """Cut a whole text into blocks."""
    splitter = Splitter()
    return splitter.feed(text) + splitter.close()
