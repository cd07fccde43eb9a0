"""The one thread that owns the database connection.

Jobs are carried out in the order they were posted. One that somebody waits for wakes the thread;
the others wait for the tick, so that a streaming answer costs one commit per tick, however many
conversations stream. The thread is a daemon: Quit waits for it only as long as it wants to.
"""

import logging
import threading
import time
from collections.abc import Callable
from typing import Protocol

from app.core.ids import MessageId
from app.storage.jobs import Job, Text, Write
from app.system.threads import spawn_thread

TICK_S = 0.15

_log = logging.getLogger(__name__)


class Worker(Protocol):
    """What runs on the thread."""

    def work(self, jobs: list[Job]) -> float:
        """Carry out jobs, perhaps none; give the seconds after which to be called again."""
        ...

    def finish(self) -> bool:
        """Put everything on disk and let go; False if something is not."""
        ...


class StorageThread:
    """Hands jobs to a worker on a thread of its own."""

    def __init__(self, worker: Callable[[], Worker], *, tick_s: float = TICK_S) -> None:
        self._worker = worker
        self._tick_s = tick_s
        self._ready = threading.Condition()
        self._jobs: list[Job] = []
        self._texts: dict[MessageId, Text] = {}
        self._first_at = 0.0
        self._is_urgent = False
        self._is_closing = False
        self._is_started = False
        self._ended = threading.Event()
        self._is_clean = False

    def start(self) -> None:
        """Start the thread, once."""
        if not self._is_started:
            self._is_started = True
            spawn_thread("belay-storage", self._run)

    def post(self, job: Job) -> bool:
        """Add a job; False if the thread takes none any more."""
        with self._ready:
            if self._is_closing:
                return False
            self._add(job)
            is_urgent = not isinstance(job, Write) or job.is_urgent
            if is_urgent or len(self._jobs) == 1:
                self._is_urgent |= is_urgent
                self._ready.notify()
        return True

    def close(self, timeout_s: float) -> bool:
        """End the thread after all its jobs; False if it took too long or could not save all."""
        with self._ready:
            self._is_closing = True
            self._ready.notify()
        if not self._is_started:
            return not self._jobs
        return self._ended.wait(timeout_s) and self._is_clean

    def _add(self, job: Job) -> None:
        now = time.monotonic()
        if isinstance(job, Write):
            job.posted_at = now
        if not self._jobs:
            self._first_at = now
        if not self._joined(job):
            self._jobs.append(job)

    def _joined(self, job: Job) -> bool:
        """Put words behind those of the same answer that still wait, if nothing came between."""
        if not isinstance(job, Text):
            self._texts.clear()
            return False
        last = self._texts.get(job.message_id)
        if last is not None and last.join(job):
            return True
        self._texts[job.message_id] = job
        return False

    def _run(self) -> None:
        worker = self._worker()
        pause_s = 0.0
        while True:
            jobs, is_closing = self._take(pause_s)
            pause_s = _carry_on(worker, jobs)
            del jobs  # an idle thread must not keep what it was given alive
            if is_closing:
                break
        self._is_clean = worker.finish()
        self._ended.set()

    def _take(self, pause_s: float) -> tuple[list[Job], bool]:
        """Wait for jobs that are due, or until the pause is over; then there may be none."""
        wake_at = time.monotonic() + pause_s
        with self._ready:
            while True:
                now = time.monotonic()
                due_at = self._due_at()
                if due_at <= now or self._is_closing:
                    return self._take_all(), self._is_closing
                if wake_at <= now:
                    return [], False
                self._ready.wait(min(wake_at, due_at) - now)

    def _due_at(self) -> float:
        if self._is_urgent:
            return 0.0
        return self._first_at + self._tick_s if self._jobs else float("inf")

    def _take_all(self) -> list[Job]:
        jobs, self._jobs = self._jobs, []
        self._texts.clear()
        self._is_urgent = False
        return jobs


def _carry_on(worker: Worker, jobs: list[Job]) -> float:
    try:
        return worker.work(jobs)
    except Exception:  # noqa: BLE001
        # Without this thread nothing would be saved any more, and nobody would know.
        _log.exception("the storage stumbled")
        return TICK_S
