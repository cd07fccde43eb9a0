"""Finding conversations by their words, as they are typed.

The index follows the messages when nothing else is to be done, at the latest when somebody
searches. It holds no copy of the texts; snippets are cut from the messages themselves. Hits come
newest first: ranking would have to look at every match, and "a" matches everything.
"""

import logging
import re
from typing import Any

import apsw

from app.core.ids import ConversationId, MessageId
from app.core.messages import Role, TextPart
from app.core.ports import SearchHit
from app.storage.codec import decode_parts, storable
from app.storage.problems import may_pass
from app.storage.transactions import transaction

_FINDABLE = (Role.USER, Role.ASSISTANT)
_INDEXED_CHARS = 1_000_000  # the rest of a pasted library is kept, but not searched
_CATCH_UP_STEPS = 10  # a search waits for a few hundred messages at most, not for a library
_SNIPPET_BEFORE = 30
_SNIPPET_CHARS = 120

# Chinese, Japanese, Korean and Thai write no spaces: each character is indexed as a word.
_SPACELESS = re.compile("([\u0e00-\u0eff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff])")
_WORD = re.compile(r"\w+")

_log = logging.getLogger(__name__)

_PENDING = """
SELECT u.n, m.role, m.parts FROM unindexed u LEFT JOIN messages m ON m.n = u.n LIMIT 20
"""

_HITS = """
SELECT m.conversation_id, m.id, m.parts FROM words w
JOIN messages m ON m.n = w.rowid
JOIN conversations c ON c.id = m.conversation_id
WHERE words MATCH ? AND c.deleted_at IS NULL
ORDER BY w.rowid DESC LIMIT ?
"""


def index_some(db: apsw.Connection) -> bool:
    """Make some more messages findable, in a transaction of their own; False if none are left.

    Apart from the messages' own: a damaged index shows itself at the commit, and must not keep a
    message from being saved.
    """
    rows: list[Any] = db.execute(_PENDING).fetchall()
    if not rows:
        return False
    with transaction(db):
        for row, role, parts in rows:
            text = _text(parts)[:_INDEXED_CHARS] if role in _FINDABLE else ""
            db.execute("DELETE FROM words WHERE rowid = ?", (row,))
            if text:
                db.execute(
                    "INSERT INTO words (rowid, text) VALUES (?, ?)", (row, _spread(storable(text)))
                )
            db.execute("DELETE FROM unindexed WHERE n = ?", (row,))
    return True


def find(db: apsw.Connection, text: str, limit: int) -> tuple[SearchHit, ...]:
    """Find the newest messages that contain all words, the last one perhaps unfinished."""
    words = _WORD.findall(storable(text))
    if not words:
        return ()
    _catch_up(db)
    rows: list[Any] = db.execute(_HITS, (_query(words), limit)).fetchall()
    return tuple(
        SearchHit(
            conversation_id=ConversationId(conversation_id),
            message_id=MessageId(message_id),
            snippet=_snippet(_text(parts), words),
        )
        for conversation_id, message_id, parts in rows
    )


def _catch_up(db: apsw.Connection) -> None:
    try:
        for _ in range(_CATCH_UP_STEPS):
            if not index_some(db):
                return
    except apsw.Error as exc:
        if not may_pass(exc):
            raise
        _log.info("what is newest cannot be found yet: %r", exc)


def _spread(text: str) -> str:
    return _SPACELESS.sub(r" \1 ", text)


def _query(words: list[str]) -> str:
    # Quoted, so that no word is taken for an operator; several characters make a phrase.
    quoted = [f'"{_spread(word).strip()}"' for word in words]
    return " ".join([*quoted[:-1], quoted[-1] + "*"])


def _text(parts: str) -> str:
    return "".join(part.text for part in decode_parts(parts) if isinstance(part, TextPart))


def _snippet(text: str, words: list[str]) -> str:
    found = min((at for word in words if (at := _position(text, word)) >= 0), default=0)
    start = max(0, found - _SNIPPET_BEFORE)
    cut = " ".join(text[start : start + _SNIPPET_CHARS].split())
    return f"{'…' if start else ''}{cut}{'…' if start + _SNIPPET_CHARS < len(text) else ''}"


def _position(text: str, word: str) -> int:
    match = re.search(rf"\b{re.escape(word)}", text, re.IGNORECASE)
    return match.start() if match else text.lower().find(word.lower())
