"""Watches over accepted orders: what is not in the database in time goes to the side file.

A thread of its own, because the storage thread may be the one that hangs. It sleeps until the
oldest order's time is over, mostly finds that the database was faster, and ends when there was
nothing to watch for a while.
"""

import threading
import time
from collections import deque

from app.storage.jobs import PATIENCE_S, Acceptance
from app.storage.problems import storage_problem
from app.storage.side_file import SideFile
from app.system.threads import spawn_thread

_IDLE_S = 1.0


class Fallback:
    """Saves aside what the database does not take."""

    def __init__(self, side_file: SideFile, *, patience_s: float = PATIENCE_S) -> None:
        self._side_file = side_file
        self._patience_s = patience_s
        self._changed = threading.Condition()
        self._watched: deque[tuple[float, Acceptance]] = deque()
        self._is_running = False

    def watch(self, acceptance: Acceptance) -> None:
        """Give the database its time with an order, then save it aside."""
        acceptance.hurry = lambda: self._hurry(acceptance)
        with self._changed:
            self._watched.append((time.monotonic() + self._patience_s, acceptance))
            self._wake()

    def _hurry(self, acceptance: Acceptance) -> None:
        with self._changed:
            self._watched.appendleft((0.0, acceptance))
            self._wake()

    def _wake(self) -> None:
        if not self._is_running:
            self._is_running = True
            spawn_thread("belay-storage-side", self._run)
        elif self._watched[0][0] == 0.0 or len(self._watched) == 1:
            self._changed.notify()

    def _run(self) -> None:
        while (acceptance := self._next_due()) is not None:
            if not acceptance.reply.is_settled:
                self._save(acceptance)
            del acceptance  # an idle thread must not keep the last words alive

    def _next_due(self) -> Acceptance | None:
        """Wait for the next order whose time is over; None if there was none for a while."""
        with self._changed:
            while True:
                while self._watched and self._watched[0][1].reply.is_settled:
                    self._watched.popleft()
                if not self._watched:
                    if not self._changed.wait(_IDLE_S) and not self._watched:
                        self._is_running = False
                        return None
                    continue
                remaining_s = self._watched[0][0] - time.monotonic()
                if remaining_s <= 0:
                    return self._watched.popleft()[1]
                self._changed.wait(remaining_s)

    def _save(self, acceptance: Acceptance) -> None:
        try:
            self._side_file.keep(acceptance)
        except OSError as exc:
            acceptance.side_file_failed(storage_problem(exc, self._side_file.path))
