"""Notices when the GUI thread or the agent loop stands still, and writes down where.

A blocked loop would block every Stop. Each watched thread beats from its own loop; a daemon
thread looks at the beats and logs a stack when one is late, once per stall.
"""

import logging
import sys
import threading
import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass, field

from app.system.threads import spawn_thread

log = logging.getLogger(__name__)

BEAT_S = 0.05
STALL_S = 0.25
_DEPTH = 30


@dataclass
class Pulse:
    """The heartbeat of one thread."""

    name: str
    thread_id: int
    beaten_at: float
    told: bool = field(default=False)


class Heartbeats:
    """Watches pulses; `beat` is called by the watched thread itself."""

    def __init__(
        self,
        *,
        clock: Callable[[], float] = time.monotonic,
        on_stall: Callable[[str, str], None] | None = None,
    ) -> None:
        self._clock = clock
        self._on_stall = on_stall or _log_stall
        self._pulses: dict[str, Pulse] = {}
        self._stopped = threading.Event()

    def start(self) -> None:
        """Begin to watch."""
        spawn_thread("belay-heartbeat", self._watch)

    def stop(self) -> None:
        """Stop watching: from now on standing still is allowed."""
        self._stopped.set()

    def beat(self, name: str) -> None:
        """Say that the calling thread lives."""
        pulse = self._pulses.get(name)
        if pulse is None:
            self._pulses[name] = Pulse(name, threading.get_ident(), self._clock())
        else:
            pulse.beaten_at, pulse.told = self._clock(), False

    def look(self) -> None:
        """Tell about every pulse that is late and was not told yet."""
        now = self._clock()
        for pulse in list(self._pulses.values()):
            if now - pulse.beaten_at > STALL_S and not pulse.told:
                pulse.told = True
                self._on_stall(pulse.name, _stack_of(pulse.thread_id))

    def _watch(self) -> None:
        while not self._stopped.wait(BEAT_S):
            self.look()


def _stack_of(thread_id: int) -> str:
    frame = sys._current_frames().get(thread_id)  # noqa: SLF001 - the documented way to a stack
    return "".join(traceback.format_stack(frame, limit=_DEPTH)) if frame else "(ended)"


def _log_stall(name: str, stack: str) -> None:
    log.warning("the %s thread stands still:\n%s", name, stack)
