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
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer

from app.system.threads import spawn_thread

if TYPE_CHECKING:
    from asyncio import AbstractEventLoop

log = logging.getLogger(__name__)

BEAT_S = 0.1  # seldom enough to cost nothing when idle
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


class QtPulse(QObject):
    """Beats for the thread it lives on, from its Qt loop."""

    def __init__(self, hearts: Heartbeats, name: str, parent: QObject) -> None:
        super().__init__(parent)
        self._hearts = hearts
        self._name = name
        self._timer = QTimer(self)
        self._timer.timeout.connect(self.on_tick)
        self._timer.start(int(BEAT_S * 1000))
        self.on_tick()  # so that a stall before the first tick is noticed too

    def on_tick(self) -> None:
        """Say that the loop goes round."""
        self._hearts.beat(self._name)


def pulse_of_loop(loop: "AbstractEventLoop", hearts: Heartbeats, name: str) -> None:
    """Beat from an asyncio loop, on its thread, until it ends."""

    def tick() -> None:
        hearts.beat(name)
        loop.call_later(BEAT_S, tick)

    tick()


def _stack_of(thread_id: int) -> str:
    frame = sys._current_frames().get(thread_id)  # noqa: SLF001 - the documented way to a stack
    return "".join(traceback.format_stack(frame, limit=_DEPTH)) if frame else "(ended)"


def _log_stall(name: str, stack: str) -> None:
    log.warning("the %s thread stands still:\n%s", name, stack)
