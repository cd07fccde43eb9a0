"""Many turns in one window, stopped at random; counts what the process holds as it goes.

Runs inside the process under test, on the GUI thread. Prints a line of JSON when it has warmed up
and one at the end, each taken at rest.
"""

import asyncio
import gc
import json
import os
import random
import threading

import psutil
from PySide6.QtCore import QObject, QTimer, Slot
from PySide6.QtWidgets import QApplication

from app.core.events import Event, TextDelta, TurnEnded, TurnStarted
from app.core.messages import Intent
from app.main.window import Window

TURNS_VARIABLE = "BELAY_TEST_TURNS"

_PER_CONVERSATION = 5
_POOLS = ("belay-call", "belay-loop", "belay-storage-side")  # threads that leave when long idle
_REST_MS = 1_500  # longer than an idle connection or thread of the last turn needs to go


class Soak(QObject):
    """Sends, lets it answer or stops it, and begins again."""

    def __init__(self, window: Window) -> None:
        super().__init__(window)
        self._window = window
        self._turns = int(os.environ[TURNS_VARIABLE])
        self._warm = max(self._turns // 10, 4 * _PER_CONVERSATION)
        self._done = 0
        self._dice = random.Random(3)
        self._stops_at: type[Event] | None = None
        window.agent.heard.connect(self.on_heard)
        QTimer.singleShot(0, self.next)

    def next(self) -> None:
        """Begin the next turn, or count and go on, or end."""
        if self._done in (self._warm, self._warm + self._turns):
            QTimer.singleShot(_REST_MS, self._count)
            return
        self._send()

    def _send(self) -> None:
        if self._done % _PER_CONVERSATION == 0:
            self._window.main.navigation.new()
        self._stops_at = self._dice.choice([None, None, TurnStarted, TextDelta])
        self._window.main.desk.send(f"turn {self._done} of many", Intent.REDIRECT)

    @Slot(object)
    def on_heard(self, event: Event) -> None:
        """Stop where the dice said, and go on after the end."""
        if isinstance(event, TurnEnded):
            self._done += 1
            QTimer.singleShot(0, self.next)
        elif self._stops_at is not None and isinstance(event, self._stops_at):
            self._stops_at = None
            self._window.main.desk.stop()

    def _count(self) -> None:
        self._window.agent.post(self._count_on_loop)

    def _count_on_loop(self) -> None:
        tasks = len(asyncio.all_tasks())
        QTimer.singleShot(0, self, lambda: self._tell(tasks))

    def _tell(self, tasks: int) -> None:
        gc.collect()
        process = psutil.Process()
        pool = sum(each.name.startswith(_POOLS) for each in threading.enumerate())
        connections = len(process.net_connections("inet"))
        held = {
            "turns": self._done,
            "rss_mb": round(process.memory_info().rss / 1e6, 1),
            "fds": process.num_fds() - connections,
            "connections": connections,
            "threads": process.num_threads() - pool,
            "pool": pool,
            "tasks": tasks,
            "children": len(process.children(recursive=True)),
            "timers": _timers(),
        }
        os.write(1, f"held {json.dumps(held)}\n".encode())
        if self._done == self._warm:
            self._send()


def _timers() -> int:
    """Count the timers that belong to anything; Python's collector does not know of them."""
    app = QApplication.instance()
    assert app is not None
    roots: list[QObject] = [app, *QApplication.topLevelWidgets()]
    found = [timer for root in roots for timer in root.findChildren(QTimer)]
    return len({id(timer) for timer in found})  # some have several roots
