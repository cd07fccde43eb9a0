"""Opening the database as one of several processes that share it: who is alive owns what.

Storage thread only.
"""

import logging
from collections.abc import Callable
from pathlib import Path

import apsw

from app.core.errors import Problem
from app.core.ids import ConversationId
from app.core.messages import Conversation
from app.core.ports import StoredConversation
from app.storage import reads, writes
from app.storage.database import open_database
from app.storage.problems import is_of_the_machine
from app.storage.recovery import absorb_side_files, open_leases, recover
from app.storage.side_file import abandoned_files
from app.storage.transactions import snapshot, transaction

_log = logging.getLogger(__name__)


class House:
    """Knows this process's lease and who else lives here."""

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

    def open(self) -> apsw.Connection:
        """Open the database and put in order what the dead left; raises ProblemError."""
        db = open_database(
            self._path, others_are_gone=lambda: not self._others_alive(), vfs=self._vfs
        )
        try:
            self._recover(db)
        except BaseException:
            db.close()
            raise
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
        if others - foreign:
            self._try(
                db, lambda: writes.adopt(db, conversation_id, others - foreign, lease=self._lease)
            )
        with snapshot(db):
            return reads.load(db, conversation_id, foreign=foreign)

    def _others_alive(self) -> set[str]:
        # Our own name, before we have written anything, is a dead namesake's.
        return self._live_leases() - {self._lease}

    def _recover(self, db: apsw.Connection) -> None:
        alive = self._others_alive()
        files = abandoned_files(self._path, alive, self._own_side_file)
        dead = open_leases(db) - alive
        if not files and not dead:
            return
        with transaction(db):
            recover(db, dead, at=self._now())
            finishers = absorb_side_files(db, files, lease=self._lease)
        for finish in finishers:
            if (problem := finish()) is not None:
                self._on_trouble(problem)

    def _tidy(self, db: apsw.Connection) -> None:
        """Close what a process that died meanwhile left open."""
        others = open_leases(db) - {self._lease}
        dead = others - self._others_alive() if others else set()
        if dead:
            self._try(db, lambda: recover(db, dead, at=self._now()))

    def _try(self, db: apsw.Connection, change: Callable[[], None]) -> None:
        """Make a change that can as well be made the next time."""
        try:
            with transaction(db):
                change()
        except apsw.Error as exc:
            if not is_of_the_machine(exc):
                raise
            _log.info("put off: %r", exc)
