"""The exit watchdog: once armed, the process ends within the limit whatever is wedged.

Two layers. A daemon thread writes the stacks and exits with 70. Beneath it, should something hold
the GIL so that no Python runs at all, faulthandler writes the stacks and a native timer exits
with 70 just before the limit. Where there is no such timer (not Linux) faulthandler exits, and its
code is 1. Armed first of all, from whichever thread learns of the Quit first. The stacks go to the
note of the shutdown if there is one, else to the file handed in.
"""

import faulthandler
import os
import threading
from collections.abc import Mapping
from typing import IO

from app.lifecycle.last_shutdown import ShutdownNote
from app.lifecycle.native_timer import NativeTimer
from app.system.threads import spawn_thread

EXIT_CODE = 70
LIMIT_VARIABLE = "BELAY_EXIT_WATCHDOG_S"

_DEFAULT_S = 5.0
_SHORTEST_S = 0.2
_LONGEST_LEAD_S = 0.5
_STDERR = 2


def watchdog_limit_s(environ: Mapping[str, str] = os.environ) -> float:
    """Read the limit from the environment; what is no sensible number is the default."""
    try:
        limit_s = float(environ.get(LIMIT_VARIABLE, ""))
    except ValueError:
        return _DEFAULT_S
    is_sensible = _SHORTEST_S <= limit_s < float("inf")
    return limit_s if is_sensible else _DEFAULT_S


class Watchdog:
    """Ends the process `limit_s` after `arm`, at the latest."""

    def __init__(
        self,
        limit_s: float,
        stacks: IO[bytes] | None = None,
        *,
        note: ShutdownNote | None = None,
    ) -> None:
        self._limit_s = limit_s
        self._lead_s = min(_LONGEST_LEAD_S, limit_s / 2)
        self._stacks = _STDERR if stacks is None else stacks.fileno()
        self._note = note
        self._lock = threading.Lock()
        self._is_armed = False
        self._disarmed = threading.Event()
        self._timer: NativeTimer | None = None

    @property
    def is_armed(self) -> bool:
        """Say whether the process is about to end."""
        return self._is_armed

    def arm(self) -> None:
        """Start the clock; later calls change nothing."""
        with self._lock:
            if self._is_armed:
                return
            self._is_armed = True
        last_s = self._limit_s - self._lead_s * 0.2  # ending takes a moment, too
        self._timer = NativeTimer.exit_after(last_s, EXIT_CODE)
        if self._note is not None:  # behind the timer: the disk may be what hangs
            fd = self._note.begin()
            self._stacks = self._stacks if fd is None else fd
        self._arm_stacks()
        spawn_thread("belay-watchdog", self._wait)

    def disarm(self) -> None:
        """Stop the clock for good: there is nothing to end any more."""
        self._disarmed.set()
        faulthandler.cancel_dump_traceback_later()
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _arm_stacks(self) -> None:
        has_timer = self._timer is not None
        # A little after the thread, which writes them itself if it still can.
        after_s = self._limit_s - self._lead_s * 0.8 if has_timer else self._limit_s
        faulthandler.dump_traceback_later(after_s, exit=not has_timer, file=self._stacks)

    def _wait(self) -> None:
        if self._disarmed.wait(self._limit_s - self._lead_s):
            return
        faulthandler.dump_traceback(file=self._stacks, all_threads=True)
        os._exit(EXIT_CODE)
