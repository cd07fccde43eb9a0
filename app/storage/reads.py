"""Every question to the tables, as functions on a connection."""

import json
from dataclasses import replace
from itertools import groupby
from typing import Any

import apsw

from app.core.ids import ConversationId, MessageId, TurnId
from app.core.messages import (
    Conversation,
    Draft,
    Ending,
    Intent,
    Mark,
    Message,
    Order,
    OrderKind,
    Origin,
    Part,
    Role,
    Tree,
)
from app.core.ports import StoredConversation
from app.storage.codec import Delta, decode_parts, fold, parts_of
from app.storage.titles import title_from

Row = tuple[Any, ...]

_WAITS = "q.begun_at IS NULL AND q.discarded_at IS NULL"

_LIST = f"""
SELECT c.id, coalesce(c.given_title, c.title), c.created_at, c.updated_at,
    (SELECT d.text FROM drafts d WHERE d.conversation_id = c.id) AS unsent,
    EXISTS (SELECT 1 FROM turns t WHERE t.conversation_id = c.id AND t.ended_at IS NULL),
    EXISTS (SELECT 1 FROM queue q WHERE q.conversation_id = c.id AND {_WAITS}) AS has_waiting,
    (SELECT outcome LIKE '{{"kind":"failed"%' FROM turns t WHERE t.conversation_id = c.id
        ORDER BY t.epoch DESC LIMIT 1)
FROM conversations c
WHERE c.deleted_at IS NULL
    AND (unsent IS NOT NULL OR has_waiting
        OR EXISTS (SELECT 1 FROM messages m WHERE m.conversation_id = c.id))
ORDER BY c.updated_at DESC
"""  # noqa: S608 - the only thing put in is the constant above

_MESSAGES = """
SELECT id, conversation_id, parent_id, role, ending, origin, model, turn_id, continues, steered,
    created_at, parts
FROM messages
"""

_DELTAS = """
SELECT d.message_id, d.reasoning, d.text FROM messages m JOIN deltas d ON d.message_id = m.id
WHERE m.lease IS NOT NULL ORDER BY d.message_id, d.n
"""

_WAITING = f"""
SELECT q.id, q.kind, q.parts, q.target, q.origin, q.created_at, q.intent, q.lease
FROM queue q WHERE q.conversation_id = ? AND {_WAITS} ORDER BY q.position, q.rowid
"""  # noqa: S608 - as above


def conversations(db: apsw.Connection) -> tuple[Conversation, ...]:
    """List what the sidebar shows, newest first."""
    return tuple(
        Conversation(
            id=ConversationId(row[0]),
            title=row[1] or title_from(row[4] or ""),
            created_at=row[2],
            updated_at=row[3],
            mark=_mark(is_running=row[5], has_waiting=row[6], has_failed=row[7]),
        )
        for row in db.execute(_LIST)
    )


def load(
    db: apsw.Connection, conversation_id: ConversationId, *, foreign: set[str]
) -> StoredConversation | None:
    """Read one conversation whole, without the orders that `foreign` leases own."""
    row = db.execute(
        "SELECT coalesce(given_title, title), created_at, updated_at, leaf FROM conversations"
        " WHERE id = ?",
        (conversation_id,),
    ).fetchone()
    if row is None:
        return None
    title, created_at, updated_at, leaf = row
    waiting = _waiting(db, conversation_id, foreign)
    return StoredConversation(
        conversation=Conversation(
            id=conversation_id,
            title=title,
            created_at=created_at,
            updated_at=updated_at,
            mark=Mark.HELD if waiting else Mark.NONE,
        ),
        tree=_tree(db, conversation_id, leaf),
        waiting=waiting,
        draft=_draft(db, conversation_id),
        last_epoch=_last_epoch(db, conversation_id),
        edits=_edits(db, conversation_id),
    )


def open_messages(db: apsw.Connection, lease: str) -> list[Message]:
    """Read the answers that a process has open, with what their journal holds."""
    rows = db.execute(_MESSAGES + "WHERE lease = ? ORDER BY n", (lease,)).fetchall()
    return _messages(db, rows)


def queue_leases(db: apsw.Connection, conversation_id: ConversationId) -> set[str]:
    """Tell whose orders wait in a conversation."""
    rows = db.execute(
        f"SELECT DISTINCT q.lease FROM queue q WHERE q.conversation_id = ? AND {_WAITS}",  # noqa: S608 - as above
        (conversation_id,),
    )
    return {lease for (lease,) in rows}


def _mark(*, is_running: int, has_waiting: int, has_failed: int | None) -> Mark:
    if is_running:
        return Mark.WORKING
    if has_waiting:
        return Mark.HELD
    return Mark.FAILED if has_failed else Mark.NONE


def _tree(db: apsw.Connection, conversation_id: ConversationId, leaf: str | None) -> Tree:
    rows = db.execute(_MESSAGES + "WHERE conversation_id = ? ORDER BY n", (conversation_id,))
    messages = {message.id: message for message in _messages(db, rows.fetchall())}
    # Should a row be missing, what is left is shown all the same.
    for message in [m for m in messages.values() if m.parent_id and m.parent_id not in messages]:
        messages[message.id] = replace(message, parent_id=None)
    newest = next(reversed(messages), None)
    return Tree(messages=messages, leaf=MessageId(leaf) if leaf in messages else newest)


def _messages(db: apsw.Connection, rows: list[Row]) -> list[Message]:
    # One parse of one document: ten thousand small ones cost several times as much.
    all_parts = json.loads(f"[{','.join(row[-1] for row in rows)}]")
    journal = _journal(db)
    messages = []
    for row, plain in zip(rows, all_parts, strict=True):
        parts = parts_of(plain)
        if row[0] in journal:
            parts = fold(parts, journal[row[0]])
        messages.append(_message(row, parts))
    return messages


def _journal(db: apsw.Connection) -> dict[str, list[Delta]]:
    return {
        message_id: [(reasoning, text) for _, reasoning, text in group]
        for message_id, group in groupby(db.execute(_DELTAS), key=lambda row: str(row[0]))
    }


def _message(row: Row, parts: tuple[Part, ...]) -> Message:
    return Message(
        id=MessageId(row[0]),
        conversation_id=ConversationId(row[1]),
        parent_id=None if row[2] is None else MessageId(row[2]),
        role=Role(row[3]),
        parts=parts,
        ending=Ending(row[4]),
        origin=Origin(row[5]),
        model=row[6],
        turn_id=None if row[7] is None else TurnId(row[7]),
        continues=bool(row[8]),
        steered=bool(row[9]),
        created_at=row[10],
    )


def _waiting(
    db: apsw.Connection, conversation_id: ConversationId, foreign: set[str]
) -> tuple[tuple[Order, Intent], ...]:
    return tuple(
        (
            Order(
                id=MessageId(row[0]),
                conversation_id=conversation_id,
                kind=OrderKind(row[1]),
                parts=decode_parts(row[2]),
                target=None if row[3] is None else MessageId(row[3]),
                origin=Origin(row[4]),
                created_at=row[5],
            ),
            Intent(row[6]),
        )
        for row in db.execute(_WAITING, (conversation_id,))
        if row[7] not in foreign
    )


def _draft(db: apsw.Connection, conversation_id: ConversationId) -> Draft:
    row = db.execute(
        "SELECT text, cursor FROM drafts WHERE conversation_id = ?", (conversation_id,)
    ).fetchone()
    return Draft() if row is None else Draft(text=row[0], cursor=row[1])


def _edits(db: apsw.Connection, conversation_id: ConversationId) -> dict[MessageId, str]:
    rows = db.execute(
        "SELECT message_id, text FROM edits WHERE conversation_id = ? ORDER BY saved_at",
        (conversation_id,),
    )
    return {MessageId(message_id): text for message_id, text in rows}


def _last_epoch(db: apsw.Connection, conversation_id: ConversationId) -> int:
    last = db.execute(
        "SELECT max(epoch) FROM turns WHERE conversation_id = ?", (conversation_id,)
    ).get
    return int(last or 0)


def unsent_draft(db: apsw.Connection) -> ConversationId | None:
    """Find the newest conversation that is nothing but a draft."""
    found = db.execute(
        "SELECT d.conversation_id FROM drafts d JOIN conversations c ON c.id = d.conversation_id"
        " WHERE c.deleted_at IS NULL"
        " AND NOT EXISTS (SELECT 1 FROM messages m WHERE m.conversation_id = c.id)"
        " AND NOT EXISTS (SELECT 1 FROM queue q WHERE q.conversation_id = c.id)"
        " ORDER BY d.saved_at DESC LIMIT 1"
    ).get
    return None if found is None else ConversationId(found)
