"""What a `belay` left on disk, read through a store of our own once it is gone."""

from pathlib import Path

from app.core.messages import Conversation, Message
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
