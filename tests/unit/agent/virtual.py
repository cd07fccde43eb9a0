"""Time that tests own: a loop that never waits, and the real store on it without its thread.

Nothing here runs beside anything else, so a schedule that is made from a seed is the same every
time. Only the storage thread's pace is made up; its jobs, its SQL and its file are the real ones.
"""

import asyncio
import selectors
from collections.abc import Callable, Coroutine, Mapping
from pathlib import Path
from typing import Any, TypeVar

import apsw

from app.storage.jobs import Acceptance, Job
from app.storage.ledger import Ledger
from app.storage.store import SqliteStore

T = TypeVar("T")


class NothingWillHappen(RuntimeError):  # noqa: N818 - what a deadlock looks like from here
    """Every task waits, and no timer is set."""


class _SkippingSelector(selectors.DefaultSelector):
    """Instead of waiting, moves its loop's clock."""

    skip: Callable[[float], None]

    def select(self, timeout: float | None = None) -> Any:
        ready = super().select(0)
        if not ready and timeout is None:
            raise NothingWillHappen
        if not ready and timeout:
            self.skip(timeout)
        return ready


class VirtualLoop(asyncio.SelectorEventLoop):
    """An asyncio loop whose time passes only when there is nothing else to do."""

    def __init__(self) -> None:
        selector = _SkippingSelector()
        selector.skip = self._skip
        self._virtual_s = 0.0
        super().__init__(selector)

    def time(self) -> float:
        return self._virtual_s

    def _skip(self, seconds: float) -> None:
        self._virtual_s += seconds


def run_virtually(work: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine to its end in no time."""
    with asyncio.Runner(loop_factory=VirtualLoop) as runner:
        return runner.run(work)


class _PacedThread:
    """Stands where the storage thread stands: jobs in order, each batch when the pace says."""

    def __init__(self, worker: Ledger, pace: Callable[[], float]) -> None:
        self._worker = worker
        self._pace = pace
        self._jobs: list[Job] = []
        self._is_closed = False
        self._timer: asyncio.TimerHandle | None = None

    def start(self) -> None:
        """Nothing to start."""

    def post(self, job: Job) -> bool:
        if self._is_closed:
            return False
        self._jobs.append(job)
        if self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(self._pace(), self._work)
        return True

    def _work(self) -> None:
        self._timer = None
        jobs, self._jobs = self._jobs, []
        self._worker.work(jobs)

    def close(self, timeout_s: float) -> bool:
        self._is_closed = True
        if self._timer is not None:
            self._timer.cancel()
            self._work()
        return self._worker.finish()


class _Patient:
    """Never loses patience: the made-up disk is slow, but never stuck."""

    def watch(self, acceptance: Acceptance) -> None:
        acceptance.hurry = lambda: None


class PacedStore(SqliteStore):
    """The real store; its thread's work is done on the loop."""

    def __init__(self, path: Path, *, pace: Callable[[], float], **options: Any) -> None:
        super().__init__(path, lease="virtual", live_leases=lambda: {"virtual"}, **options)
        ledger = Ledger(
            path=path,
            connect=self._connect_carelessly,
            side_file=self._side_file,
            on_trouble=_raise,
            on_foreign_change=lambda: None,
        )
        self._thread = _PacedThread(ledger, pace)  # type: ignore[assignment]
        self._fallback = _Patient()  # type: ignore[assignment]

    def _connect_carelessly(self) -> apsw.Connection:
        db = self._shared.open()
        db.pragma("synchronous", "off")  # no power cut here: the thousands are what counts
        return db


def _raise(problem: object) -> None:
    raise AssertionError(f"storage trouble: {problem}")


def weighted(choices: Mapping[T, int]) -> list[T]:
    """Repeat each choice as often as its weight says."""
    return [choice for choice, weight in choices.items() for _ in range(weight)]
