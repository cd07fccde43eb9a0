"""What scrolls: text on its way up into the terminal's history, and the line still open.

Prose is broken between words; code is not, and nothing without a space is, so that commands and
addresses can be copied whole.
"""

from collections.abc import Callable
from typing import Final

from app.cli.sanitise import cells

_BOLD: Final = "\x1b[1m"
_DIM: Final = "\x1b[2m"
_RED: Final = "\x1b[31m"
_OFF: Final = "\x1b[0m"
_PROMPT: Final = "> "
_FENCES: Final = ("```", "~~~")


class Scroll:
    """Collects what is said; `take` gives what will not change any more."""

    def __init__(self, columns: Callable[[], int]) -> None:
        self._columns = columns
        self._above: list[str] = []
        self._is_empty = True
        self._fence = ""  # what opened the code that is being written
        self.tail = ""  # the line that is still being written

    def write(self, text: str) -> None:
        """Add words of the answer."""
        *whole, rest = text.split("\n")
        for piece in whole:
            self.tail += piece
            self._follow_fence()
            self._wrap()
            self._add(f"{self.tail}\n")
            self.tail = ""
        self.tail += rest
        self._wrap()

    def question(self, text: str) -> None:
        """Add what the person said, set off from what was there."""
        self.end_line()
        indented = text.replace("\n", "\n  ")
        gap = "" if self._is_empty else "\n"
        self._add(f"{gap}{_BOLD}{_PROMPT}{indented}{_OFF}\n")

    def line(self, text: str) -> None:
        """Add lines of their own."""
        self.end_line()
        self._add(f"{text}\n")

    def remark(self, text: str, *, is_trouble: bool) -> None:
        """Add a quiet line, or a loud one."""
        style, columns = _RED if is_trouble else _DIM, self._columns()
        rest = text
        while cells(rest) > columns and (at := _break(rest, columns)) is not None:
            self.line(f"{style}{rest[:at]}{_OFF}")
            rest = rest[at + 1 :]
        self.line(f"{style}{rest}{_OFF}")

    def end_line(self) -> None:
        """Let the open line go up; the next answer begins outside any code."""
        self._fence = ""
        if self.tail:
            self._add(f"{self.tail}\n")
            self.tail = ""

    def take(self, rows: int) -> str:
        """Give what goes up now; an open line taller than `rows` goes in part."""
        columns = self._columns()
        if cells(self.tail) > columns * rows:
            self._split(columns * (rows // 2))
        text = "".join(self._above)
        self._above.clear()
        return text

    def _follow_fence(self) -> None:
        line = self.tail.lstrip()
        if self._fence:
            if line.startswith(self._fence):
                self._fence = ""
        elif line.startswith(_FENCES):
            self._fence = line[:3]

    def _wrap(self) -> None:
        """Let the rows of prose that are full go up."""
        if self._fence or self.tail.lstrip().startswith(_FENCES):
            return
        columns = self._columns()
        while cells(self.tail) > columns:
            at = _break(self.tail, columns)
            if at is None:
                return
            self._add(f"{self.tail[:at]}\n")
            self.tail = self.tail[at + 1 :]

    def _split(self, width: int) -> None:
        """Send the open line's first rows up, as they stand."""
        taken = 0
        for at, character in enumerate(self.tail):
            taken += cells(character)
            if taken > width:
                self._add(f"{self.tail[:at]}\n")
                self.tail = self.tail[at:]
                return

    def _add(self, text: str) -> None:
        self._above.append(text)
        self._is_empty = False


def _break(text: str, columns: int) -> int | None:
    """Find the space at which a row ends; None if there is none worth breaking at."""
    indent = len(text) - len(text.lstrip(" "))
    taken, last = 0, None
    for at, character in enumerate(text):
        if character == " " and at > indent:
            last = at
        taken += cells(character)
        if taken > columns and last is not None:
            return last
    return None
