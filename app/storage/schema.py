"""The tables, as the list of steps that lead to them.

A step that has been released is never changed: a new one is added at the end. `user_version`
says how many steps a file has behind it.

    conversations  one row each; `leaf` is the branch shown, `deleted_at` hides it
    messages       nodes of the trees; `lease` names the process that still writes an open answer
    deltas         what open answers said, append-only, until the answer is closed
    queue          every order ever accepted; it waits while neither begun nor discarded
    turns          `lease` names the process that runs it, `ended_at` is empty while it does
    drafts         what stands unsent
    edits          what messages and waiting orders are being changed to
    words          the full-text index; rowids are those of messages
    unindexed      messages that the index does not have yet
"""

from collections.abc import Callable
from dataclasses import dataclass

import apsw

APPLICATION_ID = 0x42454C59  # "BELY", in the file's header: this is no other program's database

_TABLES = """
CREATE TABLE conversations (
    id TEXT PRIMARY KEY,
    title TEXT NOT NULL DEFAULT '',
    given_title TEXT,
    leaf TEXT,
    created_at REAL NOT NULL,
    updated_at REAL NOT NULL,
    deleted_at REAL
) STRICT;
CREATE INDEX conversations_newest ON conversations (updated_at);

CREATE TABLE messages (
    n INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    conversation_id TEXT NOT NULL,
    parent_id TEXT,
    role TEXT NOT NULL,
    parts TEXT NOT NULL,
    ending TEXT NOT NULL,
    origin TEXT NOT NULL,
    model TEXT,
    turn_id TEXT,
    continues INTEGER NOT NULL,
    steered INTEGER NOT NULL,
    created_at REAL NOT NULL,
    lease TEXT
) STRICT;
CREATE INDEX messages_of ON messages (conversation_id);
CREATE INDEX messages_open ON messages (lease) WHERE lease IS NOT NULL;

CREATE TABLE deltas (
    n INTEGER PRIMARY KEY,
    message_id TEXT NOT NULL,
    reasoning INTEGER NOT NULL,
    text BLOB NOT NULL
) STRICT;
CREATE INDEX deltas_of ON deltas (message_id);

CREATE TABLE queue (
    id TEXT PRIMARY KEY,
    conversation_id TEXT NOT NULL,
    kind TEXT NOT NULL,
    parts TEXT NOT NULL,
    target TEXT,
    origin TEXT NOT NULL,
    created_at REAL NOT NULL,
    intent TEXT NOT NULL,
    position INTEGER NOT NULL,
    lease TEXT NOT NULL,
    begun_at REAL,
    discarded_at REAL
) STRICT;
CREATE INDEX queue_waiting ON queue (conversation_id, position)
    WHERE begun_at IS NULL AND discarded_at IS NULL;

CREATE TABLE turns (
    id TEXT PRIMARY KEY,
    conversation_id TEXT NOT NULL,
    epoch INTEGER NOT NULL,
    lease TEXT NOT NULL,
    started_at REAL NOT NULL,
    ended_at REAL,
    outcome TEXT
) STRICT;
CREATE INDEX turns_of ON turns (conversation_id, epoch);
CREATE INDEX turns_open ON turns (lease) WHERE ended_at IS NULL;

CREATE TABLE drafts (
    conversation_id TEXT PRIMARY KEY,
    text TEXT NOT NULL,
    cursor INTEGER NOT NULL,
    saved_at REAL NOT NULL
) STRICT;

CREATE VIRTUAL TABLE words USING fts5 (
    text, content = '', contentless_delete = 1, prefix = '1 2 3',
    tokenize = 'unicode61 remove_diacritics 2'
);
CREATE TABLE unindexed (n INTEGER PRIMARY KEY) STRICT;
"""

_EDITS = """
CREATE TABLE edits (
    message_id TEXT PRIMARY KEY,
    conversation_id TEXT NOT NULL,
    text TEXT NOT NULL,
    saved_at REAL NOT NULL
) STRICT;
CREATE INDEX edits_of ON edits (conversation_id, saved_at);
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One change to the tables, inside the transaction that all missing steps share."""

    name: str
    run: Callable[[apsw.Connection], None]


def _create_tables(db: apsw.Connection) -> None:
    db.execute(_TABLES)
    db.pragma("application_id", APPLICATION_ID)


def _create_edits(db: apsw.Connection) -> None:
    db.execute(_EDITS)


STEPS: tuple[Step, ...] = (
    Step(name="conversations, queue, turns, drafts", run=_create_tables),
    Step(name="edits", run=_create_edits),
)
