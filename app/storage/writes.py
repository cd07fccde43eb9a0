"""Every change to the tables, as functions inside a transaction that the caller holds.

Whatever order they arrive in, and however often, an order is accepted once, stands in the queue
or in the history but not in both, and never leaves the history again.
"""

from collections.abc import Iterable

import apsw

from app.core.events import Outcome
from app.core.ids import ConversationId, MessageId, TurnId
from app.core.messages import Draft, Ending, Intent, Message, Order, OrderKind, Role
from app.core.ports import TurnOpening
from app.storage.codec import encode_delta, encode_outcome, encode_parts, storable
from app.storage.titles import cleaned, title_from

_CONVERSATION = """
INSERT INTO conversations (id, title, created_at, updated_at) VALUES (?1, ?2, ?3, ?3)
ON CONFLICT (id) DO UPDATE SET
    title = iif(title = '', excluded.title, title),
    updated_at = max(updated_at, excluded.updated_at)
"""

_ORDER = """
INSERT INTO queue (id, conversation_id, kind, parts, target, origin, created_at, intent, lease,
    position)
SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9,
    coalesce(?10, (SELECT max(position) + 1 FROM queue WHERE conversation_id = ?2), 0)
WHERE NOT EXISTS (SELECT 1 FROM messages WHERE id = ?1)
"""

_ORDER_AGAIN = """
ON CONFLICT (id) DO UPDATE SET
    parts = excluded.parts, intent = excluded.intent, position = excluded.position,
    lease = excluded.lease, discarded_at = NULL
WHERE begun_at IS NULL
"""

_MESSAGE = """
INSERT INTO messages (id, conversation_id, parent_id, role, parts, ending, origin, model, turn_id,
    continues, steered, created_at, lease)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (id) DO UPDATE SET
    parts = excluded.parts, ending = excluded.ending, model = excluded.model,
    lease = excluded.lease
RETURNING n
"""


def accept(db: apsw.Connection, order: Order, intent: Intent, *, lease: str, at: float) -> None:
    """Queue an order, once, with its conversation, and end the draft or edit that it was."""
    touch(db, order.conversation_id, at, title=title_from(order.text))
    db.execute(
        "UPDATE conversations SET deleted_at = NULL WHERE id = ? AND deleted_at IS NOT NULL",
        (order.conversation_id,),
    )
    db.execute(_ORDER + "ON CONFLICT (id) DO NOTHING", (*_order_row(order, intent, lease), None))
    if order.kind is OrderKind.SEND:
        db.execute(
            "DELETE FROM drafts WHERE conversation_id = ? AND saved_at <= ?",
            (order.conversation_id, at),
        )
    elif order.kind is OrderKind.EDIT:
        db.execute("DELETE FROM edits WHERE message_id = ? AND saved_at <= ?", (order.target, at))


def save_queue(
    db: apsw.Connection,
    conversation_id: ConversationId,
    waiting: Iterable[tuple[Order, Intent]],
    *,
    lease: str,
    at: float,
) -> None:
    """Make what this process has waiting be these orders; the rest of its own is discarded."""
    kept = set()
    for position, (order, intent) in enumerate(waiting):
        kept.add(order.id)
        db.execute(_ORDER + _ORDER_AGAIN, (*_order_row(order, intent, lease), position))
    ours = db.execute(
        "SELECT id FROM queue WHERE conversation_id = ? AND lease = ?"
        " AND begun_at IS NULL AND discarded_at IS NULL",
        (conversation_id, lease),
    )
    gone = [(at, order_id) for (order_id,) in ours.fetchall() if order_id not in kept]
    db.executemany("UPDATE queue SET discarded_at = ? WHERE id = ?", gone)


def adopt(
    db: apsw.Connection, conversation_id: ConversationId, leases: set[str], *, lease: str
) -> None:
    """Take over what other processes left waiting."""
    db.executemany(
        "UPDATE queue SET lease = ? WHERE conversation_id = ? AND lease = ?",
        [(lease, conversation_id, other) for other in leases],
    )


def save_draft(
    db: apsw.Connection, conversation_id: ConversationId, draft: Draft, *, at: float
) -> None:
    """Keep a draft, or end it if it is empty."""
    if not draft.text:
        db.execute("DELETE FROM drafts WHERE conversation_id = ?", (conversation_id,))
        return
    db.execute(
        "INSERT INTO conversations (id, created_at, updated_at) VALUES (?1, ?2, ?2)"
        " ON CONFLICT DO NOTHING",
        (conversation_id, at),
    )
    db.execute(
        "INSERT OR REPLACE INTO drafts (conversation_id, text, cursor, saved_at)"
        " VALUES (?, ?, ?, ?)",
        (conversation_id, storable(draft.text), draft.cursor, at),
    )


def save_edit(
    db: apsw.Connection,
    conversation_id: ConversationId,
    message_id: MessageId,
    text: str,
    *,
    at: float,
) -> None:
    """Keep what a message is being changed to, or end that if it is empty."""
    db.execute("DELETE FROM edits WHERE message_id = ?", (message_id,))
    if text:
        db.execute(
            "INSERT INTO edits (message_id, conversation_id, text, saved_at) VALUES (?, ?, ?, ?)",
            (message_id, conversation_id, storable(text), at),
        )


def select_leaf(
    db: apsw.Connection, conversation_id: ConversationId, leaf: MessageId | None
) -> None:
    """Remember the branch that is shown."""
    db.execute("UPDATE conversations SET leaf = ? WHERE id = ?", (leaf, conversation_id))


def rename(db: apsw.Connection, conversation_id: ConversationId, title: str) -> None:
    """Set the title; an empty one gives back that of the first message."""
    given = cleaned(storable(title)) or None
    db.execute("UPDATE conversations SET given_title = ? WHERE id = ?", (given, conversation_id))


def set_deleted(
    db: apsw.Connection, conversation_id: ConversationId, deleted_at: float | None
) -> None:
    """Hide a conversation, or show it again."""
    db.execute(
        "UPDATE conversations SET deleted_at = ? WHERE id = ?", (deleted_at, conversation_id)
    )


def begin_turn(db: apsw.Connection, opening: TurnOpening, *, lease: str) -> None:
    """Open a turn; its orders leave the queue as their messages enter the history."""
    db.execute(
        "INSERT INTO turns (id, conversation_id, epoch, lease, started_at) VALUES (?, ?, ?, ?, ?)"
        " ON CONFLICT DO NOTHING",
        (opening.turn_id, opening.conversation_id, opening.epoch, lease, opening.at),
    )
    words = next((m.text for m in opening.appended if m.role is Role.USER and m.text), "")
    touch(db, opening.conversation_id, opening.at, title=title_from(words))
    for message in opening.appended:
        put_message(db, message, lease=lease)
    for order_id in opening.orders:
        _begin(db, order_id, opening.at)
    select_leaf(db, opening.conversation_id, opening.leaf)


def open_message(db: apsw.Connection, message: Message, *, lease: str) -> None:
    """Begin an answer and show it."""
    put_message(db, message, lease=lease)
    select_leaf(db, message.conversation_id, message.id)


def append_text(db: apsw.Connection, message_id: MessageId, text: str, *, reasoning: bool) -> None:
    """Add to the journal of an open answer."""
    db.execute(
        "INSERT INTO deltas (message_id, reasoning, text) VALUES (?, ?, ?)",
        (message_id, reasoning, encode_delta(text)),
    )


def put_message(db: apsw.Connection, message: Message, *, lease: str) -> None:
    """Write a message as it is now; a whole one needs its journal no more and can be found."""
    is_open = message.ending is Ending.OPEN
    row = db.execute(_MESSAGE, _message_row(message, lease if is_open else None)).get
    if is_open:
        return
    db.execute("DELETE FROM deltas WHERE message_id = ?", (message.id,))
    if message.role is Role.USER:
        _begin(db, message.id, message.created_at)  # in the history: no longer in the queue
    db.execute("INSERT OR IGNORE INTO unindexed (n) VALUES (?)", (row,))


def remove_message(db: apsw.Connection, message: Message) -> None:
    """Take out an answer that never said anything; what came after it moves up."""
    db.execute("DELETE FROM deltas WHERE message_id = ?", (message.id,))
    db.execute("DELETE FROM messages WHERE id = ?", (message.id,))
    db.execute(
        "UPDATE messages SET parent_id = ? WHERE conversation_id = ? AND parent_id = ?",
        (message.parent_id, message.conversation_id, message.id),
    )
    db.execute(
        "UPDATE conversations SET leaf = ? WHERE id = ? AND leaf = ?",
        (message.parent_id, message.conversation_id, message.id),
    )


def close_message(db: apsw.Connection, message: Message, *, lease: str) -> None:
    """Write a message's final parts; one that is new to its conversation becomes its leaf."""
    is_new = db.execute("SELECT 1 FROM messages WHERE id = ?", (message.id,)).get is None
    put_message(db, message, lease=lease)
    if is_new:
        select_leaf(db, message.conversation_id, message.id)


def end_turn(db: apsw.Connection, turn_id: TurnId, outcome: Outcome, *, at: float) -> None:
    """Close a turn."""
    db.execute(
        "UPDATE turns SET ended_at = ?, outcome = ? WHERE id = ? AND ended_at IS NULL",
        (at, storable(encode_outcome(outcome)), turn_id),
    )
    db.execute(
        "UPDATE conversations SET updated_at = max(updated_at, ?)"
        " WHERE id = (SELECT conversation_id FROM turns WHERE id = ?)",
        (at, turn_id),
    )


def touch(db: apsw.Connection, conversation_id: ConversationId, at: float, *, title: str) -> None:
    """Make sure that a conversation is there, named, and newest."""
    db.execute(_CONVERSATION, (conversation_id, title, at))


def _begin(db: apsw.Connection, order_id: MessageId, at: float) -> None:
    # The row stays, so that the same order cannot be accepted twice; its words are in the history.
    db.execute(
        "UPDATE queue SET begun_at = ?, parts = '[]' WHERE id = ? AND begun_at IS NULL",
        (at, order_id),
    )


def _order_row(order: Order, intent: Intent, lease: str) -> tuple[str | float | None, ...]:
    return (
        order.id,
        order.conversation_id,
        order.kind.value,
        encode_parts(order.parts),
        order.target,
        order.origin.value,
        order.created_at,
        intent.value,
        lease,
    )


def _message_row(message: Message, lease: str | None) -> tuple[str | float | int | None, ...]:
    return (
        message.id,
        message.conversation_id,
        message.parent_id,
        message.role.value,
        encode_parts(message.parts),
        message.ending.value,
        message.origin.value,
        None if message.model is None else storable(message.model),
        message.turn_id,
        message.continues,
        message.steered,
        message.created_at,
        lease,
    )
