-- A database as version 2 wrote it. Never edit: it is what people have on their disks.
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

CREATE TABLE edits (
    message_id TEXT PRIMARY KEY,
    conversation_id TEXT NOT NULL,
    text TEXT NOT NULL,
    saved_at REAL NOT NULL
) STRICT;
CREATE INDEX edits_of ON edits (conversation_id, saved_at);

PRAGMA application_id = 1111837785;
PRAGMA user_version = 2;

INSERT INTO conversations VALUES ('chat', 'How do I tie a bowline?', 'Knots', 'm4', 100.0, 103.0, NULL);
INSERT INTO conversations VALUES ('hidden', 'gone', NULL, NULL, 105.0, 105.0, 106.0);

INSERT INTO messages VALUES (1, 'm1', 'chat', NULL, 'user', '[{"kind":"text","text":"How do I tie a bowline?"}]', 'complete', 'spoken', NULL, 't1', 0, 0, 10.0, NULL);
INSERT INTO messages VALUES (2, 'm2', 'chat', 'm1', 'assistant', '[{"kind":"reasoning","text":"knots"},{"kind":"text","text":"Make a loop …"}]', 'stopped', 'typed', 'small', 't1', 1, 0, 11.0, NULL);
INSERT INTO messages VALUES (3, 'm3', 'chat', 'm2', 'user', '[{"kind":"text","text":"And a cleat hitch?"},{"kind":"image","path":"a.png","media_type":"image/png"}]', 'complete', 'typed', NULL, 't2', 0, 1, 12.0, NULL);
INSERT INTO messages VALUES (4, 'm4', 'chat', 'm3', 'assistant', '[]', 'open', 'typed', 'small', 't2', 0, 0, 13.0, 'old-process');
INSERT INTO messages VALUES (5, 'm7', 'chat', 'm2', 'assistant', '[{"kind":"tool_call","call":"c1","name":"time","arguments":"{}"}]', 'complete', 'typed', 'small', 't1', 0, 0, 11.5, NULL);
INSERT INTO messages VALUES (6, 'm8', 'chat', 'm7', 'tool', '[{"kind":"tool_result","call":"c1","name":"time","content":"noon","error":false}]', 'complete', 'typed', NULL, 't1', 0, 0, 11.6, NULL);
INSERT INTO words (rowid, text) VALUES (1, 'How do I tie a bowline?');
INSERT INTO words (rowid, text) VALUES (2, 'Make a loop …');
INSERT INTO unindexed VALUES (3);

INSERT INTO deltas VALUES (1, 'm4', 1, CAST('hm' AS BLOB));
INSERT INTO deltas VALUES (2, 'm4', 0, CAST('Take a ' AS BLOB));
INSERT INTO deltas VALUES (3, 'm4', 0, CAST('turn' AS BLOB));

INSERT INTO queue VALUES ('m1', 'chat', 'send', '[]', NULL, 'spoken', 10.0, 'redirect', 0, 'old-process', 10.0, NULL);
INSERT INTO queue VALUES ('m3', 'chat', 'send', '[]', NULL, 'typed', 12.0, 'redirect', 1, 'old-process', 12.0, NULL);
INSERT INTO queue VALUES ('m5', 'chat', 'edit', '[{"kind":"text","text":"thanks"}]', 'm3', 'typed', 14.0, 'queue', 2, 'old-process', NULL, NULL);
INSERT INTO queue VALUES ('m9', 'chat', 'send', '[{"kind":"text","text":"never mind"}]', NULL, 'typed', 14.5, 'queue', 3, 'old-process', NULL, 107.0);
INSERT INTO queue VALUES ('m6', 'hidden', 'send', '[{"kind":"text","text":"gone"}]', NULL, 'typed', 15.0, 'queue', 0, 'old-process', NULL, NULL);

INSERT INTO turns VALUES ('t1', 'chat', 1, 'old-process', 10.0, 101.0, '{"kind":"completed"}');
INSERT INTO turns VALUES ('t2', 'chat', 2, 'old-process', 12.0, NULL, NULL);

INSERT INTO drafts VALUES ('chat', 'one more', 3, 104.0);

INSERT INTO edits VALUES ('m3', 'chat', 'And a clove hitch?', 104.5);
