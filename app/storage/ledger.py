"""Everything that is not on disk yet, and the connection that puts it there.

Writes are committed together, in order, all or none. A batch that fails stays here and is tried
again; what goes wrong is told once until something works again. Storage thread only.
"""

import logging
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import apsw

from app.core.errors import Problem, ProblemError, ProblemKind
from app.core.ids import MessageId
from app.core.messages import Order, OrderKind
from app.storage import search
from app.storage.jobs import PATIENCE_S, Acceptance, Job, Read, Unsent, Write
from app.storage.problems import is_hopeless, may_pass, reading_problem, storage_problem
from app.storage.side_file import SideFile
from app.storage.thread import TICK_S
from app.storage.transactions import transaction
from app.storage.unsent import UnsentWords

FOREIGN_POLL_S = 0.5
_LONGEST_PAUSE_S = 2.0

_log = logging.getLogger(__name__)


class Ledger:
    """Carries out jobs on a database that may not be there yet, or not any more."""

    def __init__(
        self,
        *,
        path: Path,
        connect: Callable[[], apsw.Connection],
        side_file: SideFile,
        on_trouble: Callable[[Problem], None],
        on_foreign_change: Callable[[], None],
    ) -> None:
        self._path = path
        self._connect = connect
        self._side_file = side_file
        self._on_trouble = on_trouble
        self._on_foreign_change = on_foreign_change
        self._db: apsw.Connection | None = None
        self._file_id: tuple[int, int] | None = None
        self._data_version = 0
        self._backlog: list[Write] = []
        self._failures = 0
        self._told: ProblemKind | None = None
        self._index_is_damaged = False

    def work(self, jobs: list[Job]) -> float:
        """Carry out jobs in order, then whatever is due; give the pause until the next call."""
        is_working = True  # after one failure the rest waits for the next tick
        for job in jobs:
            if isinstance(job, Write):
                self._backlog.append(job)
            else:
                is_working = is_working and self._commit()
                self._answer(job)
        if not (is_working and self._commit()):
            return min(TICK_S * float(2 ** (self._failures - 1)), _LONGEST_PAUSE_S)
        self._look_for_foreign_changes()
        # The index is filled when nobody wants anything, a little at a time.
        if jobs:
            return 0.0
        return 0.0 if self._index_some() else FOREIGN_POLL_S

    def finish(self) -> bool:
        """Commit what is left, save aside what cannot be, and close the database."""
        # What has just failed is not tried again: Quit waits for us, and the side file is quicker.
        is_clean = not self._backlog or (self._failures == 0 and self._commit())
        unsent: dict[tuple[str, str | None], UnsentWords] = {}
        for write in self._backlog:
            if isinstance(write, Acceptance):
                self._save_aside(write)
                unsent.pop(_place_of(write.order), None)  # these words are sent now
            elif isinstance(write, Unsent):
                unsent[write.words.conversation, write.words.message] = write.words
        self._save_unsent(list(unsent.values()))
        if self._db is not None:
            try:
                self._db.close()
            except apsw.Error as exc:  # everything is in the log, which the next start reads
                _log.warning("closing the database: %r", exc)
        return is_clean

    def _save_aside(self, acceptance: Acceptance) -> None:
        try:
            self._side_file.keep(acceptance)
        except OSError as exc:
            acceptance.side_file_failed(storage_problem(exc, self._path))

    def _save_unsent(self, words: list[UnsentWords]) -> None:
        try:
            self._side_file.keep_unsent(words)
        except OSError as exc:
            _log.warning("saving aside what stands unsent: %r", exc)

    def _answer(self, job: Read[Any]) -> None:
        try:
            job.carry_out(self._database())
        except ProblemError as exc:
            self._tell(exc.problem)
            job.fail(exc.problem)
        except Exception as exc:  # noqa: BLE001 - it belongs to whoever asked
            problem = reading_problem(exc, self._path)
            _log.warning("reading: %r", exc)
            job.fail(problem)

    def _commit(self) -> bool:
        """Put the backlog on disk; False if some of it is still here."""
        self._backlog = [write for write in self._backlog if write.claim()]
        if not self._backlog:
            return True
        try:
            self._commit_together(self._backlog)
        except ProblemError as exc:
            self._on_failure(exc.problem)
        except Exception as exc:  # noqa: BLE001 - the thread must outlive a bug in one write
            if is_hopeless(exc):
                self._commit_one_by_one()
            else:
                self._on_failure(storage_problem(exc, self._path))
        else:
            self._on_success(self._backlog)
            self._backlog = []
        return not self._backlog

    def _commit_together(self, batch: list[Write]) -> None:
        db = self._database()
        self._refuse_if_moved()
        with transaction(db):
            for write in batch:
                write.change(db)

    def _commit_one_by_one(self) -> None:
        """Set apart the write that cannot ever work, so that it does not hold up the others."""
        while self._backlog:
            write = self._backlog[0]
            try:
                self._commit_together([write])
            except ProblemError as exc:
                self._on_failure(exc.problem)
                return
            except Exception as exc:  # noqa: BLE001 - as above
                problem = storage_problem(exc, self._path)
                if not is_hopeless(exc):
                    self._on_failure(problem)
                    return
                _log.exception("a write that cannot be carried out")
                write.failed(problem, is_final=True)
                self._tell(problem)
            else:
                self._on_success([write])
            del self._backlog[0]

    def _on_success(self, batch: list[Write]) -> None:
        for write in batch:
            write.committed()
        self._failures = 0
        self._told = None
        saved = {write.order.id for write in batch if isinstance(write, Acceptance)}
        if saved:
            self._clear_side_file(saved)

    def _on_failure(self, problem: Problem) -> None:
        self._failures += 1
        is_passing = problem.kind is ProblemKind.STORAGE_LOCKED
        now = time.monotonic()
        waited_s = now - min(write.posted_at for write in self._backlog)
        if not is_passing or waited_s >= PATIENCE_S:
            self._tell(problem)
        self._backlog = [
            write
            for write in self._backlog
            if write.failed(problem, is_final=not is_passing or now - write.posted_at >= PATIENCE_S)
        ]

    def _tell(self, problem: Problem) -> None:
        if self._told is not problem.kind:
            self._told = problem.kind
            _log.warning("storage: %s %s", problem.kind, problem.detail)
            self._on_trouble(problem)

    def _clear_side_file(self, saved: set[MessageId]) -> None:
        try:
            self._side_file.forget(saved)
        except OSError as exc:  # absorbed again at the next start, which changes nothing
            _log.warning("removing the side file: %r", exc)

    def _database(self) -> apsw.Connection:
        if self._db is None:
            self._db = self._connect()
            self._file_id = _file_id(self._path)
            self._data_version = self._db.pragma("data_version")
        return self._db

    def _refuse_if_moved(self) -> None:
        # SQLite goes on writing into a file that was deleted, and everything seems well.
        if _file_id(self._path) != self._file_id:
            raise ProblemError(
                Problem(kind=ProblemKind.STORAGE_LOST, params={"path": str(self._path.parent)})
            )

    def _index_some(self) -> bool:
        if self._db is None or self._index_is_damaged:
            return False
        try:
            return search.index_some(self._db)
        except Exception as exc:  # noqa: BLE001 - the search suffers, nothing else
            self._index_is_damaged = not may_pass(exc)
            _log.warning("filling the index: %r", exc)
            return False

    def _look_for_foreign_changes(self) -> None:
        if self._db is None:
            return
        try:
            version = self._db.pragma("data_version")
        except apsw.Error as exc:
            _log.debug("looking for foreign changes: %r", exc)
            return
        if version != self._data_version:
            self._data_version = version
            self._on_foreign_change()


def _file_id(path: Path) -> tuple[int, int] | None:
    try:
        stat = path.stat()
    except OSError:
        return None
    return stat.st_dev, stat.st_ino


def _place_of(order: Order) -> tuple[str, str | None]:
    """Name where an order's words stood before it was sent: as a draft, or in an open edit."""
    return order.conversation_id, order.target if order.kind is OrderKind.EDIT else None
