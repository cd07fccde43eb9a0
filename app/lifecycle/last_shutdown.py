"""What the last Quit was doing when it ended: written as it goes, read by the next start."""

import contextlib
import json
import logging
import os
from dataclasses import dataclass
from pathlib import Path

from app.system.files import write_atomically

FILE_NAME = "last_shutdown.txt"
EXIT_PHASE = "exit"  # all phases are over, only the process itself is left

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class LastShutdown:
    """A Quit that did not get to its end; `blockers` is what it waited for."""

    pid: int
    phase: str
    blockers: tuple[str, ...]
    saved: bool


class ShutdownNote:
    """The note in the logs folder."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / FILE_NAME

    def write(self, phase: str, blockers: tuple[str, ...], *, saved: bool) -> None:
        """Note a phase that begins; `clear` says that Quit came to its end."""
        note = {"pid": os.getpid(), "phase": phase, "blockers": blockers, "saved": saved}
        try:
            write_atomically(self._path, f"{json.dumps(note)}\n", survives_power_cut=False)
        except OSError:
            _log.exception("the note of the shutdown could not be written")

    def clear(self) -> None:
        """Take the note away: nothing was in the way."""
        with contextlib.suppress(OSError):
            self._path.unlink()

    def take(self) -> LastShutdown | None:
        """Read what the last Quit left and clear it; None if it came to its end."""
        try:
            note = json.loads(self._path.read_bytes())
            self._path.unlink()
            found = LastShutdown(
                pid=int(note["pid"]),
                phase=str(note["phase"]),
                blockers=tuple(map(str, note["blockers"])),
                saved=bool(note["saved"]),
            )
        except FileNotFoundError:
            return None
        except (OSError, ValueError, KeyError, TypeError):
            _log.exception("the note of the last shutdown cannot be read")
            return None
        return found
