"""The turn machine's words: its states, what it is told, and what it asks for."""

from dataclasses import dataclass

from app.core.events import Outcome, StopReason
from app.core.ids import MessageId
from app.core.messages import Intent, WaitState


@dataclass(frozen=True, slots=True)
class Idle:
    """Nothing runs."""


@dataclass(frozen=True, slots=True)
class Running:
    """A turn runs."""

    epoch: int


@dataclass(frozen=True, slots=True)
class Cancelling:
    """A turn was told to stop and has not ended yet."""

    epoch: int


@dataclass(frozen=True, slots=True)
class Closed:
    """Quit: nothing starts any more; what is submitted is kept, held."""


Phase = Idle | Running | Cancelling | Closed


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """An order in the queue."""

    id: MessageId
    intent: Intent
    committed: bool = False
    unsaved: bool = False  # the disk refused it: releasing it tries again
    held: bool = False
    editing: bool = False

    @property
    def may_start(self) -> bool:
        """Say whether nothing but its place in the queue keeps it from starting."""
        return self.committed and not self.held and not self.editing

    @property
    def wait_state(self) -> WaitState:
        """Name why it waits, as its chip shows it."""
        if self.editing:
            return WaitState.EDITING
        if self.held:
            return WaitState.HELD
        return WaitState.WAITING if self.committed else WaitState.SAVING


@dataclass(frozen=True, slots=True, kw_only=True)
class State:
    """Everything the machine knows."""

    phase: Phase = Idle()
    queue: tuple[Entry, ...] = ()
    next_epoch: int = 1
    listening: bool = False  # the person speaks: what waits would be stopped by their words

    def entry(self, order_id: MessageId) -> Entry | None:
        """Find a waiting order."""
        return next((entry for entry in self.queue if entry.id == order_id), None)


@dataclass(frozen=True, slots=True)
class Submitted:
    """The person sent something."""

    id: MessageId
    intent: Intent


@dataclass(frozen=True, slots=True)
class Committed:
    """It is on disk."""

    id: MessageId


@dataclass(frozen=True, slots=True)
class NotCommitted:
    """It could not be put on disk: held, until the person decides."""

    id: MessageId


@dataclass(frozen=True, slots=True)
class StopAsked:
    """Stop everything up to this epoch."""

    epoch: int


@dataclass(frozen=True, slots=True)
class Finished:
    """A turn ended."""

    epoch: int
    outcome: Outcome


@dataclass(frozen=True, slots=True)
class StepReached:
    """A running turn is about to ask again: steers can be passed on."""

    epoch: int


@dataclass(frozen=True, slots=True)
class Resumed:
    """[Send them]: everything held is released."""


@dataclass(frozen=True, slots=True)
class Promoted:
    """Redirect with this one now."""

    id: MessageId


@dataclass(frozen=True, slots=True)
class Discarded:
    """Take these out of the queue."""

    ids: tuple[MessageId, ...]


@dataclass(frozen=True, slots=True)
class Restored:
    """Put an order that is on disk into the queue, held."""

    id: MessageId
    intent: Intent
    index: int


@dataclass(frozen=True, slots=True)
class EditBegun:
    """Its chip is open: it cannot start, and nothing overtakes it."""

    id: MessageId


@dataclass(frozen=True, slots=True)
class EditEnded:
    """Its chip is closed again."""

    id: MessageId


@dataclass(frozen=True, slots=True)
class Moved:
    """Put it at another place in the queue."""

    id: MessageId
    index: int


@dataclass(frozen=True, slots=True)
class SpeechBegun:
    """The person holds the talk key: of what waits, only a redirect starts."""


@dataclass(frozen=True, slots=True)
class SpeechEnded:
    """Their words have been submitted, or there were none."""


@dataclass(frozen=True, slots=True)
class QuitAsked:
    """Belay closes."""


Input = (
    Submitted
    | Committed
    | NotCommitted
    | StopAsked
    | Finished
    | StepReached
    | Resumed
    | Promoted
    | Discarded
    | Restored
    | EditBegun
    | EditEnded
    | Moved
    | SpeechBegun
    | SpeechEnded
    | QuitAsked
)


@dataclass(frozen=True, slots=True)
class Persist:
    """Put the order on disk, then say `Committed`."""

    id: MessageId


@dataclass(frozen=True, slots=True)
class Start:
    """Move these orders into the history and start a turn: one step."""

    epoch: int
    ids: tuple[MessageId, ...]


@dataclass(frozen=True, slots=True)
class Deliver:
    """Move these orders into the history of the running turn: one step."""

    epoch: int
    ids: tuple[MessageId, ...]


@dataclass(frozen=True, slots=True)
class Cancel:
    """Cancel the turn's token."""

    epoch: int
    reason: StopReason


Effect = Persist | Start | Deliver | Cancel
Step = tuple[State, tuple[Effect, ...]]
