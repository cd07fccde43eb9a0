"""Conversations as values: a tree of messages made of parts, and the messages that wait.

A message names its parent; a conversation names its active leaf. Edit and Retry add siblings,
nothing is ever overwritten. The path from the root to the leaf is what the person sees.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from app.core.ids import CallId, ConversationId, MessageId, TurnId


class Role(StrEnum):
    """Who speaks."""

    SYSTEM = "system"
    USER = "user"
    ASSISTANT = "assistant"
    TOOL = "tool"


class Origin(StrEnum):
    """How a person's message came in."""

    TYPED = "typed"
    SPOKEN = "spoken"


class Ending(StrEnum):
    """How an answer ended; OPEN while it is still being written."""

    OPEN = "open"
    COMPLETE = "complete"
    STOPPED = "stopped"  # "Stopped by you"
    REDIRECTED = "redirected"  # "Redirected by you"
    CONNECTION_LOST = "connection_lost"  # "Cut off: connection lost"
    BELAY_CLOSED = "belay_closed"  # "Cut off: Belay closed"
    TOO_LONG = "too_long"  # "Cut off: longest answer reached"

    @property
    def is_interrupted(self) -> bool:
        """Say whether the answer broke off and can be continued."""
        return self not in (Ending.OPEN, Ending.COMPLETE)


@dataclass(frozen=True, slots=True, kw_only=True)
class TextPart:
    """Words."""

    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ReasoningPart:
    """What the model thought aloud; shown folded, never sent back."""

    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolCallPart:
    """A tool the model wants run; arguments are its JSON, as it wrote it."""

    call_id: CallId
    name: str
    arguments: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolResultPart:
    """What a tool answered."""

    call_id: CallId
    name: str
    content: str
    is_error: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ImagePart:
    """A picture that the person attached, by its file in the attachments folder."""

    path: str
    media_type: str


Part = TextPart | ReasoningPart | ToolCallPart | ToolResultPart | ImagePart


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """One node of a conversation's tree."""

    id: MessageId
    conversation_id: ConversationId
    parent_id: MessageId | None
    role: Role
    parts: tuple[Part, ...]
    created_at: float
    ending: Ending = Ending.COMPLETE
    origin: Origin = Origin.TYPED
    model: str | None = None
    turn_id: TurnId | None = None
    continues: bool = False  # asked to go on from its parent, below a line "continued"
    steered: bool = False  # passed on to a running turn at one of its steps

    @property
    def text(self) -> str:
        """The words alone, without reasoning and tool calls."""
        return "".join(part.text for part in self.parts if isinstance(part, TextPart))

    @property
    def tool_calls(self) -> tuple[ToolCallPart, ...]:
        """The tools this message wants run."""
        return tuple(part for part in self.parts if isinstance(part, ToolCallPart))


class Intent(StrEnum):
    """What a message sent while a turn runs should do."""

    REDIRECT = "redirect"  # stop, answer this instead
    STEER = "steer"  # pass it on at the next step
    QUEUE = "queue"  # send after this answer


class OrderKind(StrEnum):
    """What a waiting order does to the conversation when it starts."""

    SEND = "send"  # append a message
    EDIT = "edit"  # append it beside `target`
    RETRY = "retry"  # answer again what `target` answered
    CONTINUE = "continue"  # go on from `target`


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """Something the person asked for, from Enter until it is in the history."""

    id: MessageId
    conversation_id: ConversationId
    kind: OrderKind = OrderKind.SEND
    parts: tuple[Part, ...] = ()
    target: MessageId | None = None
    origin: Origin = Origin.TYPED
    created_at: float = 0.0

    @property
    def text(self) -> str:
        """The words alone."""
        return "".join(part.text for part in self.parts if isinstance(part, TextPart))


class WaitState(StrEnum):
    """Why a waiting order has not started."""

    SAVING = "saving"  # not on disk yet
    WAITING = "waiting"  # for its turn
    EDITING = "editing"  # open in its chip: it cannot start, nothing overtakes it
    HELD = "held"  # by Stop, a failure or a restart: runs only when the person says so


@dataclass(frozen=True, slots=True, kw_only=True)
class Waiting:
    """An order in the queue, as the window shows it: one chip."""

    order: Order
    intent: Intent
    state: WaitState


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """What stands unsent in a conversation's composer."""

    text: str = ""
    cursor: int = 0


class Mark(StrEnum):
    """What the sidebar says about a conversation."""

    NONE = ""
    WORKING = "working"
    HELD = "held"
    FAILED = "failed"
    ANSWERED = "answered"


@dataclass(frozen=True, slots=True, kw_only=True)
class Conversation:
    """A conversation as the sidebar lists it."""

    id: ConversationId
    title: str
    created_at: float
    updated_at: float
    mark: Mark = Mark.NONE


@dataclass(frozen=True, slots=True, kw_only=True)
class Tree:
    """All messages of one conversation and the leaf that is shown."""

    messages: Mapping[MessageId, Message] = field(default_factory=dict)
    leaf: MessageId | None = None

    def path(self) -> tuple[Message, ...]:
        """List the messages from the root to the leaf."""
        found: list[Message] = []
        at = self.leaf
        while at is not None:
            message = self.messages[at]
            found.append(message)
            at = message.parent_id
        return tuple(reversed(found))

    def siblings(self, message_id: MessageId) -> tuple[MessageId, ...]:
        """List the branches at this message, oldest first, itself included."""
        parent = self.messages[message_id].parent_id
        beside = (m for m in self.messages.values() if m.parent_id == parent)
        return tuple(m.id for m in sorted(beside, key=lambda m: m.created_at))

    def latest_leaf(self, message_id: MessageId) -> MessageId:
        """Find the newest leaf below a message: where switching to its branch lands."""
        children: dict[MessageId | None, list[Message]] = {}
        for message in self.messages.values():
            children.setdefault(message.parent_id, []).append(message)
        at = message_id
        while below := children.get(at):
            # Reversed: of two made in one instant the later wins, as it does in `siblings`.
            at = max(reversed(below), key=lambda m: m.created_at).id
        return at

    def with_messages(self, added: Iterable[Message], *, leaf: MessageId | None) -> "Tree":
        """Make the tree that has these messages too and shows `leaf`."""
        return Tree(messages={**self.messages, **{m.id: m for m in added}}, leaf=leaf)


def text_parts(text: str) -> tuple[Part, ...]:
    """Wrap plain words as message parts."""
    return (TextPart(text=text),)


def joined(stored: Draft, typed: Draft) -> Draft:
    """Keep both a stored draft and what was typed before it arrived."""
    if not typed.text:
        return stored
    if not stored.text or stored.text == typed.text:
        return typed
    before = f"{stored.text.rstrip()}\n"
    return Draft(text=before + typed.text, cursor=len(before) + typed.cursor)
