"""Facts that cross threads, from the services to whoever shows them.

Listeners `match` on `Event` and end in `assert_never`. Every turn begins with one `TurnStarted`
and ends with exactly one `TurnEnded`, its last event.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from app.core.errors import Problem
from app.core.ids import CallId, ConversationId, MessageId, TurnId
from app.core.messages import Conversation, Draft, Message, Tree, Waiting


class StopReason(StrEnum):
    """Who ended a turn before its answer did."""

    PERSON = "person"
    REDIRECT = "redirect"
    QUIT = "quit"


@dataclass(frozen=True, slots=True, kw_only=True)
class Completed:
    """The answer is whole."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stopped:
    """Somebody ended it; `closed_in_s` is from the Stop to the closed connection, if any."""

    reason: StopReason
    closed_in_s: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Failed:
    """It could not be answered."""

    problem: Problem


Outcome = Completed | Stopped | Failed


@dataclass(frozen=True, slots=True, kw_only=True)
class ConversationEvent:
    """Something that happened in one conversation."""

    conversation_id: ConversationId


@dataclass(frozen=True, slots=True, kw_only=True)
class ConversationOpened(ConversationEvent):
    """Everything a view needs to show a conversation from scratch."""

    tree: Tree
    waiting: tuple[Waiting, ...]
    draft: Draft
    running: "TurnStarted | None" = None
    last_epoch: int = 0  # of the last turn that ever started here: what Stop counts from
    edits: Mapping[MessageId, str] = field(default_factory=dict)  # changes left open, newest last


@dataclass(frozen=True, slots=True, kw_only=True)
class MessageCommitted(ConversationEvent):
    """An order is on disk: acknowledged."""

    message_id: MessageId


@dataclass(frozen=True, slots=True, kw_only=True)
class QueueChanged(ConversationEvent):
    """What waits now, in running order."""

    waiting: tuple[Waiting, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class HistoryChanged(ConversationEvent):
    """The tree grew or another leaf is shown; `added` are the new messages."""

    tree: Tree
    added: tuple[Message, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class StorageTrouble:
    """Something could not be read or saved; what was to be saved is still in memory."""

    problem: Problem
    conversation_id: ConversationId | None = None  # None: it is not about one of them


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnEvent(ConversationEvent):
    """Something that happened in one turn."""

    turn_id: TurnId


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnStarted(TurnEvent):
    """A turn began; Stop names its epoch."""

    epoch: int
    model: str
    has_tools: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelStarting(TurnEvent):
    """A model of this machine is not ready yet; the question goes to it as soon as it is."""

    model: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestStarted(TurnEvent):
    """Connecting to the model's server."""

    model: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestSent(TurnEvent):
    """The server has the whole request; the first token is awaited."""

    model: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TextDelta(TurnEvent):
    """More words of an answer; the first with a new `message_id` opens it."""

    message_id: MessageId
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ReasoningDelta(TurnEvent):
    """More of what the model thinks aloud."""

    message_id: MessageId
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolStarted(TurnEvent):
    """A tool runs."""

    call_id: CallId
    name: str
    arguments: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolOutput(TurnEvent):
    """A running tool said something."""

    call_id: CallId
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolFinished(TurnEvent):
    """A tool answered, failed or was stopped."""

    call_id: CallId
    name: str
    content: str
    is_error: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Retrying(TurnEvent):
    """The server did not answer; it is asked again after `wait_s`."""

    problem: Problem
    attempt: int
    attempts: int
    wait_s: float


@dataclass(frozen=True, slots=True, kw_only=True)
class FellBack(TurnEvent):
    """One model failed, the next is asked."""

    from_model: str
    to_model: str
    problem: Problem


@dataclass(frozen=True, slots=True, kw_only=True)
class UsageReported(TurnEvent):
    """What the server counted."""

    prompt_tokens: int
    completion_tokens: int


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnEnded(TurnEvent):
    """The turn is over; always its last event."""

    epoch: int
    outcome: Outcome


@dataclass(frozen=True, slots=True, kw_only=True)
class ConversationsChanged:
    """The list in the sidebar, newest first."""

    conversations: tuple[Conversation, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ShutdownPhase:
    """Quit waits for something, at most this long."""

    name: str
    deadline_s: float
    saved: bool


Event = (
    ConversationOpened
    | MessageCommitted
    | QueueChanged
    | HistoryChanged
    | StorageTrouble
    | TurnStarted
    | ModelStarting
    | RequestStarted
    | RequestSent
    | TextDelta
    | ReasoningDelta
    | ToolStarted
    | ToolOutput
    | ToolFinished
    | Retrying
    | FellBack
    | UsageReported
    | TurnEnded
    | ConversationsChanged
    | ShutdownPhase
)
