"""What a `belay` left on disk, read through a store of our own once it is gone.

The `…_so_far` functions look while it runs, and change nothing: no store, so no recovery.
"""

from pathlib import Path

import apsw

from app.core.messages import Conversation, Message, Role
from app.core.ports import StoredConversation
from app.storage import reads
from tests.fakes.stores import BOUND_S, open_store


def conversations(home: Path) -> tuple[Conversation, ...]:
    """List the conversations, newest first."""
    with open_store(home / "data" / "belay.db") as store:
        return store.conversations().wait(BOUND_S)


def messages(home: Path, at: int = 0) -> tuple[Message, ...]:
    """Read the visible path of a conversation; the newest is 0."""
    with open_store(home / "data" / "belay.db") as store:
        found = store.conversations().wait(BOUND_S)
        stored = store.load(found[at].id).wait(BOUND_S)
    assert stored is not None
    return stored.tree.path()


def everything(home: Path) -> list[str]:
    """List every message the person ever sent, in history or waiting, however often it is there."""
    with open_store(home / "data" / "belay.db") as store:
        listed = store.conversations().wait(BOUND_S)
        loaded = [store.load(each.id).wait(BOUND_S) for each in listed]
    return [text for each in loaded if each is not None for text in _sent(each)]


def everything_so_far(home: Path) -> list[str]:
    """List what a running Belay has put on disk of what the person sent."""
    return [text for found in _conversations_so_far(home) for text in _sent(found)]


def _sent(stored: StoredConversation) -> list[str]:
    said = [m.text for m in stored.tree.messages.values() if m.role is Role.USER]
    return said + [order.text for order, _ in stored.waiting]


def draft_so_far(home: Path) -> str:
    """Read the newest draft of a running Belay; empty if there is none."""
    rows = _rows(home, "SELECT text FROM drafts ORDER BY saved_at DESC LIMIT 1")
    return rows[0][0] if rows else ""


def edits_so_far(home: Path) -> list[str]:
    """Read what a running Belay has put on disk of messages that are being changed."""
    return [text for (text,) in _rows(home, "SELECT text FROM edits ORDER BY saved_at")]


def messages_so_far(home: Path) -> tuple[Message, ...]:
    """Read the newest conversation of a running Belay."""
    paths = paths_so_far(home)
    return paths[0] if paths else ()


def paths_so_far(home: Path) -> list[tuple[Message, ...]]:
    """Read the visible paths of a running Belay's conversations, newest first."""
    return [found.tree.path() for found in _conversations_so_far(home)]


def _conversations_so_far(home: Path) -> list[StoredConversation]:
    path = home / "data" / "belay.db"
    if not path.exists():
        return []
    db = _looked_at(path)
    try:
        listed = reads.conversations(db)
        loaded = [reads.load(db, each.id, foreign=set()) for each in listed]
    except apsw.SQLError:
        return []  # it is just being made
    finally:
        db.close()
    return [each for each in loaded if each is not None]


def _looked_at(path: Path) -> apsw.Connection:
    db = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)
    db.set_busy_timeout(5_000)  # it may just be opening or folding its log
    return db


def _rows(home: Path, query: str) -> list[tuple[str, ...]]:
    path = home / "data" / "belay.db"
    if not path.exists():
        return []
    db = _looked_at(path)
    try:
        return list(db.execute(query))
    except apsw.SQLError:
        return []
    finally:
        db.close()
