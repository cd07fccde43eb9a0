"""What the last Quit was doing when it ended: written as it goes, read by the next start.

One file: a line of JSON per phase, then the stacks, should the watchdog have to step in. Lines are
only ever added, through a descriptor that stays open, so that faulthandler can write to the same
file when nothing else works any more.
"""

import contextlib
import json
import logging
import os
import threading
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

from app.system.files import OWNER_FILE

FILE_NAME = "last_shutdown.txt"
ASKED_PHASE = "asked"  # Quit was asked for, and the window has not answered yet
EXIT_PHASE = "exit"  # all phases are over, only the process itself is left

_THE_WINDOW = "the window"
_LONGEST_FILE = 400_000

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class LastShutdown:
    """A Quit that did not get to its end; `blockers` is what it waited for."""

    pid: int
    phase: str
    blockers: tuple[str, ...]
    saved: bool
    stacks: str = ""


class ShutdownNote:
    """The note in the logs folder; one per process, callable from any thread."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / FILE_NAME
        self._lock = threading.Lock()
        self._fd: int | None = None  # open to the process's end

    def begin(self) -> int | None:
        """Start the note, once, and give its file for the stacks; None if there can be none."""
        with self._lock:
            try:
                if self._fd is None:
                    self._fd = _open_new(self._path)
                    os.write(self._fd, _line(ASKED_PHASE, (_THE_WINDOW,), saved=False))
            except OSError:
                _log.exception("the note of the shutdown could not be begun")
            return self._fd

    def write(self, phase: str, blockers: tuple[str, ...], *, saved: bool) -> None:
        """Note a phase that begins; `clear` says that Quit came to its end."""
        fd = self.begin()
        if fd is None:
            return
        try:
            os.write(fd, _line(phase, blockers, saved=saved))
        except OSError:
            _log.exception("the note of the shutdown could not be written")

    def clear(self) -> None:
        """Take the note away: nothing was in the way."""
        with contextlib.suppress(OSError):
            self._path.unlink()

    def take(self, alive: Collection[int] = ()) -> LastShutdown | None:
        """Read what the last Quit left and clear it; None if it came to its end.

        The note of a process that is still alive is left to it: it is just closing.
        """
        try:
            text = self._path.read_bytes()[:_LONGEST_FILE].decode("utf-8", "replace")
            found = _parsed(text)
            if found is not None and found.pid in alive:
                return None
            self._path.unlink()
        except FileNotFoundError:
            return None
        except OSError:
            _log.exception("the note of the last shutdown cannot be read")
            return None
        return found


def _open_new(path: Path) -> int:
    return os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_TRUNC, OWNER_FILE)


def _line(phase: str, blockers: tuple[str, ...], *, saved: bool) -> bytes:
    note = {"pid": os.getpid(), "phase": phase, "blockers": blockers, "saved": saved}
    return f"{json.dumps(note)}\n".encode()


def _parsed(text: str) -> LastShutdown | None:
    """Take the last whole line that is a phase; whatever is no phase is stacks."""
    lines = text.splitlines(keepends=True)
    phases = [found for line in lines if (found := _phase(line)) is not None]
    if not phases:
        return None
    last = phases[-1]
    return LastShutdown(
        pid=last.pid,
        phase=last.phase,
        blockers=last.blockers,
        saved=last.saved,
        stacks="".join(line for line in lines if not line.startswith("{")).strip(),
    )


def _phase(line: str) -> LastShutdown | None:
    try:
        note = json.loads(line)
        return LastShutdown(
            pid=int(note["pid"]),
            phase=str(note["phase"]),
            blockers=tuple(map(str, note["blockers"])),
            saved=bool(note["saved"]),
        )
    except (ValueError, KeyError, TypeError):
        return None
