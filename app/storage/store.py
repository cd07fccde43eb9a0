"""The memory of all conversations, in one SQLite file (`app.core.ports.Store`).

Every method returns at once; the work is done on the storage thread, in call order. Nothing is
opened before `start`. The listeners are called on the storage thread.
"""

import logging
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import apsw

from app.core.errors import Problem, ProblemKind
from app.core.events import Outcome
from app.core.ids import ConversationId, MessageId, TurnId
from app.core.messages import Conversation, Draft, Intent, Message, Order
from app.core.ports import SearchHit, StoredConversation, TurnOpening
from app.storage import reads, search, writes
from app.storage.fallback import Fallback
from app.storage.jobs import PATIENCE_S, Acceptance, Change, Read, Request, Text, Unsent, Write
from app.storage.ledger import Ledger
from app.storage.listeners import guarded
from app.storage.reply import Reply
from app.storage.sharing import SharedDatabase
from app.storage.side_file import SideFile
from app.storage.thread import StorageThread
from app.storage.unsent import UnsentWords

T = TypeVar("T")

_CLOSED = Problem(kind=ProblemKind.INTERNAL, detail="the storage is closed")

_log = logging.getLogger(__name__)


class SqliteStore:
    """Conversations on disk."""

    def __init__(
        self,
        path: Path,
        *,
        lease: str,
        live_leases: Callable[[], set[str]],
        on_trouble: Callable[[Problem], None] = lambda _: None,
        on_foreign_change: Callable[[], None] = lambda: None,
        now: Callable[[], float] = time.time,
        patience_s: float = PATIENCE_S,
        vfs: str | None = None,
    ) -> None:
        self._lease = lease
        self._now = now
        tell = guarded(on_trouble)
        self._side_file = SideFile(path, lease)
        self._fallback = Fallback(self._side_file, patience_s=patience_s)
        self._shared = SharedDatabase(
            path=path,
            lease=lease,
            live_leases=live_leases,
            own_side_file=self._side_file.path,
            on_trouble=tell,
            now=now,
            vfs=vfs,
        )
        self._thread = StorageThread(
            partial(
                Ledger,
                path=path,
                connect=self._shared.open,
                side_file=self._side_file,
                on_trouble=tell,
                on_foreign_change=guarded(on_foreign_change),
            )
        )

    def start(self) -> Reply[None]:
        """Open the database and recover what dead processes left."""
        self._thread.start()
        return self._ask(lambda _: None)

    def flush(self) -> Reply[None]:
        """Put everything asked for so far on disk."""
        return self._request(lambda _: None)

    def close(self, timeout_s: float) -> bool:
        """Flush, close and end the thread; False if that took too long or failed."""
        return self._thread.close(timeout_s)

    def conversations(self) -> Reply[tuple[Conversation, ...]]:
        """List the conversations that have messages or a draft, newest first."""
        return self._ask(self._shared.conversations)

    def load(self, conversation_id: ConversationId) -> Reply[StoredConversation | None]:
        """Read one conversation whole."""
        return self._ask(lambda db: self._shared.load(db, conversation_id))

    def unsent_draft(self) -> Reply[ConversationId | None]:
        """Find the newest conversation that is nothing but a draft."""
        return self._ask(reads.unsent_draft)

    def search(self, text: str, limit: int) -> Reply[tuple[SearchHit, ...]]:
        """Find messages by their words."""
        return self._ask(lambda db: search.find(db, text, limit))

    def rename(self, conversation_id: ConversationId, title: str) -> Reply[None]:
        """Set the title."""
        return self._request(lambda db: writes.rename(db, conversation_id, title))

    def delete(self, conversation_id: ConversationId) -> Reply[None]:
        """Take a conversation off the list."""
        at = self._now()
        return self._request(lambda db: writes.set_deleted(db, conversation_id, at))

    def restore(self, conversation_id: ConversationId) -> Reply[None]:
        """Undo `delete`."""
        return self._request(lambda db: writes.set_deleted(db, conversation_id, None))

    def accept(self, order: Order, intent: Intent) -> Reply[None]:
        """Put an order on disk, in the database or else in the side file."""
        at = self._now()
        change = partial(writes.accept, order=order, intent=intent, lease=self._lease, at=at)
        acceptance = Acceptance(order, intent, change, at=at)
        self._fallback.watch(acceptance)
        if not self._thread.post(acceptance):
            acceptance.hurry()
        return acceptance.reply

    def save_queue(
        self, conversation_id: ConversationId, waiting: tuple[tuple[Order, Intent], ...]
    ) -> None:
        """Make the queue on disk be these orders."""
        self._write(
            writes.save_queue,
            conversation_id=conversation_id,
            waiting=waiting,
            lease=self._lease,
            at=self._now(),
        )

    def save_draft(self, conversation_id: ConversationId, draft: Draft) -> None:
        """Keep a draft."""
        self._keep_unsent(conversation_id, None, draft.text, draft.cursor)

    def save_edit(self, conversation_id: ConversationId, message_id: MessageId, text: str) -> None:
        """Keep what a message is being changed to."""
        self._keep_unsent(conversation_id, message_id, text, 0)

    def select_leaf(self, conversation_id: ConversationId, leaf: MessageId | None) -> None:
        """Remember which branch is shown."""
        self._write(writes.select_leaf, conversation_id=conversation_id, leaf=leaf)

    def begin_turn(self, opening: TurnOpening) -> None:
        """Open a turn under this process's lease."""
        self._write(writes.begin_turn, opening=opening, lease=self._lease)

    def open_message(self, message: Message) -> None:
        """Begin an answer."""
        self._write(writes.open_message, message=message, lease=self._lease)

    def append_text(self, message_id: MessageId, text: str, *, reasoning: bool) -> None:
        """Journal more of an open answer."""
        if text:
            self._post(Text(message_id, text, reasoning=reasoning))

    def close_message(self, message: Message) -> None:
        """Put a message's final parts in place of its journal."""
        self._write(writes.close_message, message=message, lease=self._lease)

    def end_turn(self, turn_id: TurnId, outcome: Outcome) -> Reply[None]:
        """Close a turn."""
        at = self._now()
        return self._request(
            lambda db: writes.end_turn(db, turn_id, outcome, at=at), must_happen=True
        )

    def _ask(self, ask: Callable[[apsw.Connection], T]) -> Reply[T]:
        job = Read(ask)
        if not self._thread.post(job):
            job.fail(_CLOSED)
        return job.reply

    def _request(self, change: Change, *, must_happen: bool = False) -> Reply[None]:
        job = Request(change, keep=must_happen)
        if not self._thread.post(job):
            job.reply.fail(_CLOSED)
        return job.reply

    def _keep_unsent(
        self, conversation_id: ConversationId, message_id: MessageId | None, text: str, cursor: int
    ) -> None:
        words = UnsentWords(
            conversation=conversation_id,
            message=message_id,
            text=text,
            cursor=cursor,
            at=self._now(),
        )
        self._post(Unsent(words.put, words))

    def _write(self, change: Callable[..., None], **values: Any) -> None:
        self._post(Write(partial(change, **values)))

    def _post(self, job: Write) -> None:
        if not self._thread.post(job):
            _log.warning("a write came after the storage was closed")
