"""What the status line says: the states of a turn, from its events and the time alone.

Pure. A `Status` is what is going on; `advanced` takes an event into account, `ticked` the time,
`line` finds the words, and `announcement` what a screen reader says about a change.
"""

from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Final

from app.core.errors import Problem, ProblemKind
from app.core.events import (
    Completed,
    ConversationEvent,
    Event,
    Failed,
    FellBack,
    ModelStarting,
    Outcome,
    ReasoningDelta,
    RequestSent,
    RequestStarted,
    Retrying,
    Stopped,
    TextDelta,
    ToolFinished,
    ToolStarted,
    TurnEnded,
    TurnStarted,
)

RECEIPT_S: Final = 4.0
STILL_WAITING_S: Final = 10.0


class Phase(StrEnum):
    """Where the visible turn stands."""

    IDLE = "idle"
    SENDING = "sending"
    STARTING = "starting"
    CONNECTING = "connecting"
    WAITING = "waiting"
    THINKING = "thinking"
    WRITING = "writing"
    TOOL = "tool"
    RETRYING = "retrying"
    FALLING_BACK = "falling_back"
    STOPPING = "stopping"
    STOPPED = "stopped"
    FAILED = "failed"

    @property
    def is_busy(self) -> bool:
        """Say whether the round button is Stop."""
        return self not in _AT_REST

    @property
    def can_stop(self) -> bool:
        """Say whether there is something that has not been told to stop yet."""
        return self.is_busy and self is not Phase.STOPPING


_AT_REST: Final = frozenset({Phase.IDLE, Phase.STOPPED, Phase.FAILED})


@dataclass(frozen=True, slots=True, kw_only=True)
class Status:
    """What is going on, since when, and what its words need."""

    phase: Phase = Phase.IDLE
    since: float = 0.0
    model: str = ""
    other: str = ""  # the tool that runs, or the model that is asked instead
    characters: int = 0
    problem: Problem | None = None
    attempt: int = 0
    attempts: int = 0
    retry_at: float = 0.0
    stopped: Stopped | None = None
    completed: bool = False
    is_late: bool = False  # waiting so long that it was said aloud
    before: "Status | None" = None  # keeps its label until the new one is due


def entered(old: Status, phase: Phase, now: float) -> Status:
    """Begin a phase; the label before it stays until the new one is due."""
    before = replace(old, before=None) if is_due(old, now) else old.before
    if not (phase.is_busy and old.phase.is_busy):
        before = None
    return Status(phase=phase, since=now, model=old.model, before=before)


def is_due(status: Status, now: float) -> bool:
    """Say whether a phase has lasted long enough for its label: no flicker."""
    return now - status.since >= 0.15


def advanced(status: Status, event: Event | ConversationEvent, now: float) -> Status:
    """Take an event into account; after Stop only the end of the turn counts."""
    match event:
        case TurnStarted(model=model):
            return replace(entered(status, Phase.CONNECTING, now), model=model)
        case TurnEnded(outcome=outcome):
            return _ended(status, outcome, now)
        case _ if status.phase.can_stop:
            return _gone_on(status, event, now)
        case _:
            return status


def _gone_on(  # noqa: PLR0911 - one case per event
    status: Status, event: Event | ConversationEvent, now: float
) -> Status:
    match event:
        case ModelStarting(model=model):
            return _same_or(status, Phase.STARTING, now, model)
        case RequestStarted(model=model):
            return _same_or(status, Phase.CONNECTING, now, model)
        case RequestSent(model=model):
            return _same_or(status, Phase.WAITING, now, model)
        case ReasoningDelta():
            return _same_or(status, Phase.THINKING, now, status.model)
        case TextDelta(text=text):
            writing = _same_or(status, Phase.WRITING, now, status.model)
            return replace(writing, characters=writing.characters + len(text))
        case ToolStarted(name=name):
            return replace(entered(status, Phase.TOOL, now), other=name)
        case ToolFinished():
            return entered(status, Phase.CONNECTING, now)
        case Retrying():
            return _retrying(status, event, now)
        case FellBack(from_model=failed, to_model=asked):
            falling = entered(status, Phase.FALLING_BACK, now)
            return replace(falling, model=failed, other=asked)
        case _:
            return status


def _same_or(status: Status, phase: Phase, now: float, model: str) -> Status:
    same = status if status.phase is phase else entered(status, phase, now)
    return replace(same, model=model)


def _retrying(status: Status, event: Retrying, now: float) -> Status:
    return replace(
        entered(status, Phase.RETRYING, now),
        problem=event.problem,
        attempt=event.attempt,
        attempts=event.attempts,
        retry_at=now + event.wait_s,
    )


def _ended(status: Status, outcome: Outcome, now: float) -> Status:
    match outcome:
        case Completed():
            return replace(entered(status, Phase.IDLE, now), completed=True)
        case Stopped():
            return replace(entered(status, Phase.STOPPED, now), stopped=outcome)
        case Failed(problem=problem):
            return replace(entered(status, Phase.FAILED, now), problem=problem)


def ticked(status: Status, now: float) -> Status:
    """Let time pass: a receipt goes after a while, a long wait is noticed once."""
    age = now - status.since
    if status.phase is Phase.STOPPED and age >= RECEIPT_S:
        return replace(entered(status, Phase.IDLE, now), completed=False)
    if status.phase is Phase.WAITING and age >= STILL_WAITING_S and not status.is_late:
        return replace(status, is_late=True)
    return status


@dataclass(frozen=True, slots=True, kw_only=True)
class Announcement:
    """What a screen reader says; assertive interrupts."""

    text: str
    is_assertive: bool = False


def is_offline(status: Status) -> bool:
    """Say whether the turn failed for want of a network."""
    problem = status.problem
    return problem is not None and problem.kind is ProblemKind.NO_NETWORK
