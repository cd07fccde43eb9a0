"""What the last window left behind, in one sentence: it crashed, or the watchdog ended it."""

import os
from dataclasses import dataclass
from typing import Final

from app.lifecycle.last_shutdown import LastShutdown, ShutdownNote
from app.lifecycle.lease import LeaseNote, Leases
from app.system.crashes import crash_report
from app.system.logs import LOG_NAME
from app.system.paths import Paths

WINDOW_ROLE: Final = "window"

_CRASHED: Final = "Belay closed unexpectedly. Your conversations are here."
_NO_TRACE: Final = "It left no trace: it was ended from outside, or the computer stopped."
_NOTHING_LOST: Final = " Nothing was lost."


@dataclass(frozen=True, slots=True, kw_only=True)
class Remark:
    """One line for the next start, and what stands behind it."""

    text: str
    detail: str


def look_back(paths: Paths, note: ShutdownNote) -> Remark | None:
    """Say how the last window ended, if not by Quit; the next look finds nothing."""
    leases = Leases(paths.data)
    living = [leases.note(lease_id) for lease_id in leases.living()]
    others = {found.pid for found in living if found is not None} - {os.getpid()}
    ended = note.take(others)
    crashed = _bury_the_dead(leases)
    if ended is not None and ended.stacks:
        return Remark(text=_closed_itself(ended), detail=_details(paths, ended.stacks))
    if crashed is None:
        return None
    report = crash_report(paths.logs, crashed.pid)
    return Remark(text=_CRASHED, detail=_details(paths, report or _NO_TRACE))


def _bury_the_dead(leases: Leases) -> LeaseNote | None:
    """Clear away the leases of dead processes; give the last window's, if there is one."""
    notes = {dead: leases.note(dead) for dead in leases.dead()}
    buried = [note for dead, note in notes.items() if leases.bury(dead)]
    windows = [note for note in buried if note is not None and note.role == WINDOW_ROLE]
    return max(windows, key=lambda note: note.since, default=None)


def _closed_itself(ended: LastShutdown) -> str:
    blocker = " and ".join(ended.blockers)
    what = f"{blocker} did not stop" if blocker else "Belay did not close in time"
    return f"Last time {what}, so Belay closed itself.{_NOTHING_LOST if ended.saved else ''}"


def _details(paths: Paths, what: str) -> str:
    return f"{what}\n\nThe log: {paths.logs / LOG_NAME}"
