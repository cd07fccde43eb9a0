"""One conversation as the chat sees it: what runs, what waits, and what Stop would reach."""

from dataclasses import dataclass, field

from app.core.events import (
    ConversationOpened,
    Event,
    HistoryChanged,
    QueueChanged,
    TextDelta,
    TurnEnded,
    TurnStarted,
)
from app.core.ids import ConversationId, MessageId
from app.core.messages import Message, Role, Tree, Waiting, WaitState
from app.core.status import Phase, Status, advanced, entered


@dataclass(slots=True, kw_only=True)
class View:
    """Follows the events of one conversation."""

    id: ConversationId
    tree: Tree = field(default_factory=Tree)
    waiting: tuple[Waiting, ...] = ()
    running: TurnStarted | None = None
    status: Status = field(default_factory=Status)
    has_words: bool = False  # the running turn, or the last one, said something
    last_epoch: int = 0

    @property
    def held(self) -> tuple[Waiting, ...]:
        """List what waits for the person's word."""
        return tuple(each for each in self.waiting if each.state is WaitState.HELD)

    @property
    def is_busy(self) -> bool:
        """Say whether a turn runs or is about to."""
        return self.running is not None or len(self.held) < len(self.waiting)

    @property
    def horizon(self) -> int:
        """The epoch that Stop names: past the last turn when something is about to start."""
        return self.last_epoch + (1 if len(self.held) < len(self.waiting) else 0)

    def sent(self, now: float) -> None:
        """Note that something was sent."""
        if not self.status.phase.can_stop:
            self.status = entered(self.status, Phase.SENDING, now)

    def stop_asked(self, now: float) -> None:
        """Note that Stop was asked for."""
        self.status = entered(self.status, Phase.STOPPING, now)

    def follow(self, event: Event, now: float) -> None:
        """Take an event of this conversation into account."""
        self.status = advanced(self.status, event, now)
        match event:
            case ConversationOpened():
                self._opened(event, now)
            case QueueChanged(waiting=waiting):
                self.waiting = waiting
                self._settle()
            case HistoryChanged(tree=tree):
                self.tree = tree
            case TurnStarted():
                self.running, self.last_epoch, self.has_words = event, event.epoch, False
            case TextDelta():
                self.has_words = True
            case TurnEnded():
                self.running = None
                if self.is_busy:
                    self.status = entered(self.status, Phase.SENDING, now)
            case _:
                pass

    def _opened(self, event: ConversationOpened, now: float) -> None:
        self.tree, self.waiting, self.last_epoch = event.tree, event.waiting, event.last_epoch
        self.running = event.running
        if event.running is not None:
            self.status = advanced(self.status, event.running, now)
            leaf = event.tree.messages.get(event.tree.leaf) if event.tree.leaf else None
            self.has_words = leaf is not None and leaf.role is Role.ASSISTANT and bool(leaf.text)

    def _settle(self) -> None:
        if not self.is_busy:
            self.status = Status()

    @property
    def leaf(self) -> Message | None:
        """The last message shown."""
        return self.tree.messages[self.tree.leaf] if self.tree.leaf is not None else None

    @property
    def cut_off(self) -> MessageId | None:
        """The answer that can be continued, if the last one can."""
        leaf = self.leaf
        if leaf is None or leaf.role is not Role.ASSISTANT or not leaf.ending.is_interrupted:
            return None
        return leaf.id
