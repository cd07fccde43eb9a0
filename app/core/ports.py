"""What one service needs of another, as protocols; `main` hands the real ones in."""

from collections.abc import Awaitable, Mapping
from dataclasses import dataclass, field
from typing import Protocol

from app.core.events import Outcome
from app.core.ids import ConversationId, MessageId, TurnId
from app.core.messages import Conversation, Draft, Intent, Message, Order, Tree


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredConversation:
    """What the disk knows of a conversation; its waiting orders are all held."""

    conversation: Conversation
    tree: Tree
    waiting: tuple[tuple[Order, Intent], ...] = ()
    draft: Draft = field(default_factory=Draft)
    last_epoch: int = 0
    edits: Mapping[MessageId, str] = field(default_factory=dict)  # changes left open, newest last


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnOpening:
    """A turn begins: its orders leave the queue and stand in the history, in one transaction."""

    turn_id: TurnId
    conversation_id: ConversationId
    epoch: int
    orders: tuple[MessageId, ...]
    appended: tuple[Message, ...]
    leaf: MessageId | None
    at: float


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchHit:
    """A message that contains what was searched for."""

    conversation_id: ConversationId
    message_id: MessageId
    snippet: str


class Store(Protocol):
    """The memory of all conversations.

    Called from the agent loop only. An awaitable resolves once the data is on disk and raises
    ProblemError if it could not be put there; the plain methods are carried out in the order
    they were called, on the storage thread, and never block the caller.
    """

    def conversations(self) -> Awaitable[tuple[Conversation, ...]]:
        """List the conversations that have messages or a draft, newest first."""
        ...

    def load(self, conversation_id: ConversationId) -> Awaitable[StoredConversation | None]:
        """Read one conversation whole; None if there is none of that id."""
        ...

    def unsent_draft(self) -> Awaitable[ConversationId | None]:
        """Find the newest conversation that is nothing but a draft."""
        ...

    def search(self, text: str, limit: int) -> Awaitable[tuple[SearchHit, ...]]:
        """Find messages by their words, newest first; the last word may be unfinished."""
        ...

    def rename(self, conversation_id: ConversationId, title: str) -> Awaitable[None]:
        """Set the title."""
        ...

    def delete(self, conversation_id: ConversationId) -> Awaitable[None]:
        """Take it off the list, keeping its rows for `restore`."""
        ...

    def restore(self, conversation_id: ConversationId) -> Awaitable[None]:
        """Undo `delete`."""
        ...

    def accept(self, order: Order, intent: Intent) -> Awaitable[None]:
        """Put an order on disk, with its conversation if new, and end the draft or edit it was."""
        ...

    def save_queue(
        self, conversation_id: ConversationId, waiting: tuple[tuple[Order, Intent], ...]
    ) -> None:
        """Make the queue on disk be these orders, in this order."""
        ...

    def save_draft(self, conversation_id: ConversationId, draft: Draft) -> None:
        """Keep a draft; an empty one ends it."""
        ...

    def save_edit(self, conversation_id: ConversationId, message_id: MessageId, text: str) -> None:
        """Keep what a message is being changed to; an empty text ends it."""
        ...

    def select_leaf(self, conversation_id: ConversationId, leaf: MessageId | None) -> None:
        """Remember which branch is shown."""
        ...

    def begin_turn(self, opening: TurnOpening) -> None:
        """Open a turn under this process's lease."""
        ...

    def open_message(self, message: Message) -> None:
        """Begin an answer (`Ending.OPEN`); it becomes its conversation's leaf."""
        ...

    def append_text(self, message_id: MessageId, text: str, *, reasoning: bool) -> None:
        """Journal more of an open answer; on disk with the next tick."""
        ...

    def close_message(self, message: Message) -> None:
        """Replace an open answer, or add a whole message, with its final parts and ending."""
        ...

    def end_turn(self, turn_id: TurnId, outcome: Outcome) -> Awaitable[None]:
        """Close a turn, after everything journalled before it."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelAddress:
    """Where a model of our own listens, and the key that opens it."""

    base_url: str
    key: str
    model: str


class ModelServer(Protocol):
    """A model that runs on this machine, on our behalf."""

    @property
    def is_ready(self) -> bool:
        """Say whether it can be asked at once."""
        ...

    async def address(self) -> ModelAddress:
        """Start it if it does not run; raise ProblemError if it cannot."""
        ...


class Clock(Protocol):
    """Time, handed in so that tests own it."""

    def now(self) -> float:
        """Seconds since the epoch."""
        ...

    def monotonic(self) -> float:
        """Seconds that only go forward."""
        ...
