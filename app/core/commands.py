"""What a front end may ask of the services: one value per wish, handed over as it is."""

from dataclasses import dataclass

from app.core.ids import ConversationId, MessageId
from app.core.messages import Draft, Intent, Order


@dataclass(frozen=True, slots=True, kw_only=True)
class ConversationCommand:
    """A wish about one conversation."""

    conversation_id: ConversationId


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenConversation(ConversationCommand):
    """Load it and tell everything about it (`ConversationOpened`)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CreateConversation(ConversationCommand):
    """Begin an empty one; it reaches the list with its first message."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RenameConversation(ConversationCommand):
    """Give it a title."""

    title: str


@dataclass(frozen=True, slots=True, kw_only=True)
class DeleteConversation(ConversationCommand):
    """Stop it and take it off the list; `RestoreConversation` undoes it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RestoreConversation(ConversationCommand):
    """Undo a deletion."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Submit(ConversationCommand):
    """Send, edit, retry or continue: the order says which."""

    order: Order
    intent: Intent = Intent.REDIRECT


@dataclass(frozen=True, slots=True, kw_only=True)
class StopTurn(ConversationCommand):
    """Stop everything up to this epoch; a stale one changes nothing."""

    epoch: int


@dataclass(frozen=True, slots=True, kw_only=True)
class PromoteWaiting(ConversationCommand):
    """Redirect with a waiting order now (idle: send it now)."""

    message_id: MessageId


@dataclass(frozen=True, slots=True, kw_only=True)
class DiscardWaiting(ConversationCommand):
    """Take waiting orders out of the queue; `RestoreWaiting` undoes it."""

    message_ids: tuple[MessageId, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class RestoreWaiting(ConversationCommand):
    """Put a discarded order back where it was, held."""

    message_id: MessageId


@dataclass(frozen=True, slots=True, kw_only=True)
class BeginRevision(ConversationCommand):
    """A chip is open for editing: it must not start."""

    message_id: MessageId


@dataclass(frozen=True, slots=True, kw_only=True)
class EndRevision(ConversationCommand):
    """The chip's edit is over; `text` is None when it was left unchanged."""

    message_id: MessageId
    text: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class MoveWaiting(ConversationCommand):
    """Reorder: put it at this index of the queue."""

    message_id: MessageId
    index: int


@dataclass(frozen=True, slots=True, kw_only=True)
class SendHeld(ConversationCommand):
    """Release everything that is held."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SelectBranch(ConversationCommand):
    """Show the branch that this message begins; never stops a turn."""

    message_id: MessageId


@dataclass(frozen=True, slots=True, kw_only=True)
class SaveDraft(ConversationCommand):
    """Keep what stands in the composer."""

    draft: Draft


@dataclass(frozen=True, slots=True, kw_only=True)
class SaveEdit(ConversationCommand):
    """Keep what a message or a waiting order is being changed to; empty once that is over."""

    message_id: MessageId
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class BeginListening(ConversationCommand):
    """The person speaks to it: what waits does not start until `EndListening`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EndListening(ConversationCommand):
    """What the person said has been submitted, or there was nothing."""


SessionCommand = (
    Submit
    | StopTurn
    | PromoteWaiting
    | DiscardWaiting
    | RestoreWaiting
    | BeginRevision
    | EndRevision
    | MoveWaiting
    | SendHeld
    | SelectBranch
    | SaveDraft
    | SaveEdit
    | BeginListening
    | EndListening
)
Command = (
    OpenConversation
    | CreateConversation
    | RenameConversation
    | DeleteConversation
    | RestoreConversation
    | SessionCommand
)
