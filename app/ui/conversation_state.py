"""What the window knows of one conversation: pure values and the rules that change them.

The horizon is the heart of it. Stop names the epoch up to which everything must stop: the last
turn that was seen to start, or the one after it if this window has asked for something that
starts a turn and has not seen it start. So Stop works between Enter and the start, and while a
redirect still waits for the turn before it to end.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from app.core.errors import Problem
from app.core.events import (
    ConversationEvent,
    ConversationOpened,
    Failed,
    HistoryChanged,
    QueueChanged,
    Stopped,
    StopReason,
    TurnEnded,
    TurnStarted,
)
from app.core.ids import ConversationId, MessageId
from app.core.messages import (
    Draft,
    Intent,
    Order,
    Role,
    Tree,
    Waiting,
    WaitState,
    joined,
)
from app.core.status import Phase, Status, advanced, entered, ticked

Ids = frozenset[MessageId]
NONE: Ids = frozenset()
UNANSWERED_S = 2.0


@dataclass(frozen=True, slots=True, kw_only=True)
class ConversationState:
    """One conversation as the window shows it."""

    id: ConversationId
    tree: Tree = field(default_factory=Tree)
    waiting: tuple[Waiting, ...] = ()  # as the services told
    sent: tuple[Waiting, ...] = ()  # by this window, not heard of yet
    draft: Draft = field(default_factory=Draft)
    status: Status = field(default_factory=Status)
    running: TurnStarted | None = None
    last_epoch: int = 0
    starting: Ids = NONE  # asked to start by this window, not seen to start yet
    taken: Ids = NONE  # of those, seen to leave the queue for the turn that starts next
    asked_at: float = 0.0  # when this window last sent something
    stop_epoch: int = 0  # what the last Stop named
    problem: Problem | None = None  # of the last turn, if it failed
    was_stopped: bool = False  # the person stopped the last turn
    is_open: bool = False  # its contents have arrived

    @property
    def is_busy(self) -> bool:
        """Say whether a turn runs or is about to."""
        return self.status.phase.is_busy

    @property
    def has_tools(self) -> bool:
        """Say whether the running turn has steps at which it can be steered."""
        return self.running is not None and self.running.has_tools

    @property
    def queue(self) -> tuple[Waiting, ...]:
        """List everything that waits, in running order."""
        return (*self.waiting, *self.sent)

    @property
    def held(self) -> tuple[Waiting, ...]:
        """List what waits for the person's word."""
        return tuple(w for w in self.waiting if w.state is WaitState.HELD)

    @property
    def horizon(self) -> int:
        """The epoch that Stop names."""
        return self.last_epoch + 1 if self.starting or self.taken else self.last_epoch

    @property
    def is_empty(self) -> bool:
        """Say whether nothing was ever said here."""
        return self.tree.leaf is None and not self.queue and not self.is_busy

    def own_words(self) -> tuple[str, ...]:
        """List what the person said on the visible path, oldest first."""
        return tuple(m.text for m in self.tree.path() if m.role is Role.USER and m.text)


def submitted(
    state: ConversationState, order: Order, intent: Intent, now: float
) -> ConversationState:
    """Note an order on its way out; it starts a turn when idle, or when it redirects."""
    entry = Waiting(order=order, intent=intent, state=WaitState.SAVING)
    sent = replace(state, sent=(*state.sent, entry), asked_at=now)
    if state.is_busy and intent is not Intent.REDIRECT:
        return sent
    return will_start(sent, (order.id,), now)


def will_start(state: ConversationState, ids: Iterable[MessageId], now: float) -> ConversationState:
    """Note that these were asked to start now: what Stop must be able to reach."""
    phase = state.status.phase
    sending = not phase.is_busy or phase is Phase.STOPPING
    status = entered(state.status, Phase.SENDING, now) if sending else state.status
    starting = state.starting | frozenset(ids)
    return replace(state, starting=starting, asked_at=now, status=status)


def next_to_run(held: tuple[Waiting, ...]) -> tuple[MessageId, ...]:
    """List what starts first when all of these are released: redirects go together."""
    redirects = tuple(w.order.id for w in held if w.intent is Intent.REDIRECT)
    return redirects or tuple(w.order.id for w in held[:1])


def stop_asked(state: ConversationState, now: float) -> ConversationState:
    """Note that Stop was pressed."""
    stopping = entered(state.status, Phase.STOPPING, now)
    return replace(state, was_stopped=True, stop_epoch=state.horizon, status=stopping)


def discarded(state: ConversationState, ids: Ids, now: float) -> ConversationState:
    """Note that these will not start after all."""
    sent = tuple(w for w in state.sent if w.order.id not in ids)
    return _settled(replace(state, sent=sent, starting=state.starting - ids), now)


def waited(state: ConversationState, now: float) -> ConversationState:
    """Let time pass; a Stop that nobody answers, for nothing ran, must not lock the window."""
    status = ticked(state.status, now)
    unanswered = status.phase is Phase.STOPPING and state.running is None
    if unanswered and now - status.since >= UNANSWERED_S:
        return _settled(replace(state, starting=NONE, taken=NONE, sent=()), now)
    return state if status is state.status else replace(state, status=status)


def applied(state: ConversationState, event: ConversationEvent, now: float) -> ConversationState:
    """Take an event of this conversation into account."""
    match event:
        case ConversationOpened():
            return _opened(state, event, now)
        case QueueChanged(waiting=waiting):
            return _queue_changed(state, waiting, now)
        case HistoryChanged(tree=tree, added=added):
            return _with_taken(replace(state, tree=tree), frozenset(m.id for m in added))
        case TurnStarted():
            return _started(state, event, now)
        case TurnEnded():
            return _ended(state, event, now)
        case _:
            return replace(state, status=advanced(state.status, event, now))


def _opened(state: ConversationState, event: ConversationOpened, now: float) -> ConversationState:
    fresh = replace(
        state,
        tree=event.tree,
        draft=state.draft if state.is_open else joined(event.draft, state.draft),
        last_epoch=max(state.last_epoch, event.last_epoch),
        is_open=True,
    )
    queued = _queue_changed(fresh, event.waiting, now)
    if event.running is not None:
        known = state.running is not None and state.running.epoch == event.running.epoch
        return queued if known else _started(queued, event.running, now)
    if state.running is None:
        return queued
    return replace(queued, running=None, status=entered(state.status, Phase.IDLE, now))


def _queue_changed(
    state: ConversationState, waiting: tuple[Waiting, ...], now: float
) -> ConversationState:
    before = frozenset(w.order.id for w in state.waiting)
    present = frozenset(w.order.id for w in waiting)
    kept = frozenset(w.order.id for w in waiting if w.state in (WaitState.HELD, WaitState.EDITING))
    queued = replace(
        state,
        waiting=waiting,
        sent=tuple(w for w in state.sent if w.order.id not in present),
        starting=state.starting - kept,
    )
    left = before - present
    if state.running is not None:  # what left the queue is part of the turn that runs
        return replace(queued, starting=queued.starting - left)
    return _settled(_with_taken(queued, left), now)


def _with_taken(state: ConversationState, left: Ids) -> ConversationState:
    """Note which of the orders that were to start have left the queue."""
    taken = state.starting & left
    sent = tuple(w for w in state.sent if w.order.id not in left)
    return replace(state, sent=sent, starting=state.starting - taken, taken=state.taken | taken)


def _settled(state: ConversationState, now: float) -> ConversationState:
    """Come to rest when nothing runs and nothing is about to."""
    phase = state.status.phase
    if state.running or state.starting or state.taken or not phase.is_busy:
        return state
    if phase is not Phase.STOPPING:
        return replace(state, status=entered(state.status, Phase.IDLE, now))
    stopped = entered(state.status, Phase.STOPPED, now)
    return replace(state, status=replace(stopped, stopped=Stopped(reason=StopReason.PERSON)))


def _started(state: ConversationState, event: TurnStarted, now: float) -> ConversationState:
    # What was seen to leave the queue is this turn's. Without such news, all that is not in it is.
    queued = frozenset(w.order.id for w in state.waiting)
    later = state.starting if state.taken else state.starting & queued
    gone = state.starting - later
    is_stopped = state.status.phase is Phase.STOPPING and event.epoch <= state.stop_epoch
    return replace(
        state,
        running=event,
        last_epoch=max(state.last_epoch, event.epoch),
        starting=later,
        taken=NONE,
        sent=tuple(w for w in state.sent if w.order.id not in gone),
        problem=None,
        was_stopped=is_stopped,
        status=state.status if is_stopped else advanced(state.status, event, now),
    )


def _ended(state: ConversationState, event: TurnEnded, now: float) -> ConversationState:
    if state.running is None or event.epoch < state.running.epoch:
        return state
    outcome = event.outcome
    problem = outcome.problem if isinstance(outcome, Failed) else None
    by_person = isinstance(outcome, Stopped) and outcome.reason is StopReason.PERSON
    rested = replace(
        state, running=None, problem=problem, was_stopped=state.was_stopped or by_person
    )
    phase = state.status.phase
    if phase is not Phase.STOPPING and (state.starting or state.taken):
        sending = phase is Phase.SENDING
        status = state.status if sending else entered(state.status, Phase.SENDING, now)
        return replace(rested, status=status)
    redirected = isinstance(outcome, Stopped) and outcome.reason is StopReason.REDIRECT
    if redirected and phase is not Phase.STOPPING:  # the turn that follows speaks for it
        return replace(rested, status=entered(state.status, Phase.IDLE, now))
    return replace(rested, status=advanced(state.status, event, now))
