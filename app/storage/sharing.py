"""The database as one of several processes that share it: who is alive owns what.

A process that died is noticed at the start and before every list and load: its open answers are
closed, its waiting orders get a new owner. Storage thread only.
"""

import logging
from collections.abc import Callable
from pathlib import Path

import apsw

from app.core.errors import Problem, ProblemError
from app.core.ids import ConversationId
from app.core.messages import Conversation
from app.core.ports import StoredConversation
from app.storage import reads, writes
from app.storage.database import BUSY_TIMEOUT_MS, open_database
from app.storage.problems import may_pass, reading_problem
from app.storage.recovery import open_leases, recover
from app.storage.side_file import abandoned_files, absorb, clear_up
from app.storage.transactions import snapshot, transaction

_log = logging.getLogger(__name__)


class SharedDatabase:
    """Knows this process's lease and who else lives."""

    def __init__(
        self,
        *,
        path: Path,
        lease: str,
        live_leases: Callable[[], set[str]],
        own_side_file: Path,
        on_trouble: Callable[[Problem], None],
        now: Callable[[], float],
        vfs: str | None,
    ) -> None:
        self._path = path
        self._lease = lease
        self._live_leases = live_leases
        self._own_side_file = own_side_file
        self._on_trouble = on_trouble
        self._now = now
        self._vfs = vfs
        self._has_absorbed = False

    def open(self) -> apsw.Connection:
        """Open the database and put in order what the dead left; raises ProblemError."""
        db = open_database(
            self._path, others_are_gone=lambda: not self._others_alive(), vfs=self._vfs
        )
        try:
            # We have written nothing yet: what bears our own name is a dead namesake's.
            self._recover(db, open_leases(db))
            self._absorb(db)
            db.set_busy_timeout(BUSY_TIMEOUT_MS)
        except Exception as exc:
            db.close()
            raise ProblemError(reading_problem(exc, self._path)) from exc
        return db

    def conversations(self, db: apsw.Connection) -> tuple[Conversation, ...]:
        """List the conversations."""
        self._tidy(db)
        return reads.conversations(db)

    def load(
        self, db: apsw.Connection, conversation_id: ConversationId
    ) -> StoredConversation | None:
        """Read a conversation; what a dead process left waiting in it is ours from now on."""
        self._tidy(db)
        others = reads.queue_leases(db, conversation_id) - {self._lease}
        foreign = others & self._others_alive() if others else set()
        if orphaned := others - foreign:
            self._try(db, lambda: writes.adopt(db, conversation_id, orphaned, lease=self._lease))
        with snapshot(db):
            return reads.load(db, conversation_id, foreign=foreign)

    def _others_alive(self) -> set[str]:
        return self._live_leases() - {self._lease}

    def _tidy(self, db: apsw.Connection) -> None:
        self._recover(db, open_leases(db) - {self._lease})
        if not self._has_absorbed:
            self._absorb(db)

    def _recover(self, db: apsw.Connection, leases: set[str]) -> None:
        if leases and (dead := leases - self._others_alive()):
            self._try(db, lambda: recover(db, dead, at=self._now()))

    def _absorb(self, db: apsw.Connection) -> None:
        files = abandoned_files(self._path, self._others_alive(), self._own_side_file)
        self._has_absorbed = all(self._absorb_file(db, file) for file in files)

    def _absorb_file(self, db: apsw.Connection, file: Path) -> bool:
        is_whole = False

        def take_in() -> None:
            nonlocal is_whole
            is_whole = absorb(db, file, lease=self._lease)

        if not self._try(db, take_in):
            return False
        if (problem := clear_up(file, is_whole=is_whole)) is not None:
            self._on_trouble(problem)
        return True

    def _try(self, db: apsw.Connection, change: Callable[[], None]) -> bool:
        """Make a change that can as well be made the next time."""
        try:
            with transaction(db):
                change()
        except apsw.Error as exc:
            if not may_pass(exc):
                raise
            _log.info("put off: %r", exc)
            return False
        return True
