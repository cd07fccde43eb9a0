"""A terminal for the real `belay`: a pty, and a small emulator that knows what a person would see.

It understands what the prompt sends and what the terminal itself does with text: cursor moves,
erasing, wrapping, scrolling. A sequence that it does not know fails the test.
"""

import errno
import fcntl
import os
import pty
import re
import struct
import subprocess
import termios
import threading
from collections.abc import Callable, Mapping
from pathlib import Path

from tests.harness.process import LIMIT_S

_SEQUENCE = re.compile(r"\x1b\[(?P<private>\?)?(?P<numbers>[\d;]*)(?: ?)(?P<kind>[A-Za-z])")
_UNFINISHED = re.compile(r"\x1b(\[[\d;? ]*)?$")


class Emulator:
    """Rows of characters, the cursor, and everything that scrolled away."""

    def __init__(self, columns: int, rows: int) -> None:
        self._columns = columns
        self._rows = [""] * rows
        self._gone: list[str] = []
        self._x = self._y = 0
        self._wraps = True
        self._rest = ""
        self.alarms: list[str] = []  # sequences that nobody should send

    @property
    def text(self) -> str:
        """Everything, from the first line to the last that has something on it."""
        lines = [line.rstrip() for line in (*self._gone, *self._rows)]
        return "\n".join(lines).rstrip("\n")

    def feed(self, data: str) -> None:
        """Take what the program wrote."""
        text = self._rest + data
        cut = _UNFINISHED.search(text)
        text, self._rest = (text[: cut.start()], cut.group()) if cut else (text, "")
        at = 0
        while at < len(text):
            found = _SEQUENCE.match(text, at)
            if found:
                self._obey(found)
                at = found.end()
            else:
                self._put(text[at])
                at += 1

    def _put(self, character: str) -> None:
        match character:
            case "\r":
                self._x = 0
            case "\n":
                self._line_feed()
            case "\x08":
                self._x = max(0, self._x - 1)
            case _ if character < " ":
                self.alarms.append(repr(character))
            case _:
                self._print(character)

    def _print(self, character: str) -> None:
        if self._x >= self._columns:
            if self._wraps:
                self._x = 0
                self._line_feed()
            else:
                self._x = self._columns - 1
        row = self._rows[self._y].ljust(self._x)
        self._rows[self._y] = row[: self._x] + character + row[self._x + 1 :]
        self._x += 1

    def _line_feed(self) -> None:
        if self._y == len(self._rows) - 1:
            self._gone.append(self._rows.pop(0))
            self._rows.append("")
        else:
            self._y += 1

    def _obey(self, found: re.Match[str]) -> None:
        numbers = [int(n) for n in found["numbers"].split(";") if n]
        count = max(1, numbers[0]) if numbers else 1
        match found["kind"]:
            case "A":
                self._y = max(0, self._y - count)
            case "B":
                self._y = min(len(self._rows) - 1, self._y + count)
            case "C":
                self._x = min(self._columns - 1, self._x + count)
            case "D":
                self._x = max(0, min(self._x, self._columns - 1) - count)
            case "K":
                self._rows[self._y] = self._rows[self._y][: self._x]
            case "J" if not numbers or numbers == [0]:
                self._rows[self._y] = self._rows[self._y][: self._x]
                self._rows[self._y + 1 :] = [""] * (len(self._rows) - self._y - 1)
            case "h" | "l" if found["private"]:
                if numbers == [7]:
                    self._wraps = found["kind"] == "h"
            case "m" | "q":
                pass  # colours and the cursor's shape
            case _:
                self.alarms.append(repr(found.group()))


class TerminalProcess:
    """A program on a terminal of its own, watched."""

    def __init__(
        self, argv: list[str], env: Mapping[str, str], cwd: Path, size: tuple[int, int]
    ) -> None:
        columns, rows = size
        self._emulator = Emulator(columns, rows)
        self._changed = threading.Condition()
        self._ended = False
        self._fd, inside = pty.openpty()
        fcntl.ioctl(inside, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        self.process = subprocess.Popen(
            argv,
            env=dict(env),
            cwd=cwd,
            stdin=inside,
            stdout=inside,
            stderr=inside,
            start_new_session=True,
            # Ctrl-C reaches those whose terminal this is.
            preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),  # noqa: PLW1509
        )
        os.close(inside)
        self._thread = threading.Thread(target=self._watch, daemon=True)
        self._thread.start()

    @property
    def text(self) -> str:
        """What a person sees, with everything that scrolled away above it."""
        with self._changed:
            return self._emulator.text

    @property
    def alarms(self) -> list[str]:
        """Sequences that no program of ours should send."""
        with self._changed:
            return list(self._emulator.alarms)

    def type(self, keys: str) -> None:
        """Press keys."""
        os.write(self._fd, keys.encode())

    def wait_for(self, wanted: str | Callable[[str], bool], limit_s: float = LIMIT_S) -> str:
        """Wait until the screen contains or satisfies `wanted`; return it."""
        holds = (lambda text: wanted in text) if isinstance(wanted, str) else wanted
        with self._changed:
            self._changed.wait_for(lambda: holds(self._emulator.text) or self._ended, limit_s)
            text = self._emulator.text
        assert holds(text), f"waited for {wanted!r}, the screen shows:\n{text}"
        return text

    def wait(self, limit_s: float = LIMIT_S) -> int:
        """Wait for the program's end and everything it wrote; return the exit code."""
        code = self.process.wait(limit_s)
        self._thread.join(limit_s)
        return code

    def kill(self) -> None:
        """End it, whatever it does."""
        self.process.kill()
        self.process.wait(LIMIT_S)
        self._thread.join(LIMIT_S)
        os.close(self._fd)

    def _watch(self) -> None:
        pending = b""
        while chunk := self._read():
            pending += chunk
            text = pending.decode(errors="ignore")
            pending = pending[len(text.encode()) :]
            with self._changed:
                self._emulator.feed(text)
                self._changed.notify_all()
        with self._changed:
            self._ended = True
            self._changed.notify_all()

    def _read(self) -> bytes:
        try:
            return os.read(self._fd, 65536)
        except OSError as error:
            if error.errno == errno.EIO:  # how a terminal says that nobody has it open any more
                return b""
            raise
