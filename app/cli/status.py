"""What is going on, in one line for the terminal: labels from events and the time alone.

Pure. A label appears once it has lasted a moment (until then the one before it stays), and counts
its seconds from the first whole one.
"""

import math
from dataclasses import dataclass, replace
from typing import Final

from app.cli.sanitise import harmless
from app.core.errors import Problem, ProblemKind
from app.core.events import (
    Event,
    FellBack,
    ModelStarting,
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

HOW_TO_STOP: Final = " · Ctrl-C to stop"
_DUE_S: Final = 0.15
_WRITING: Final = "Writing…"
_THINKING: Final = "Thinking…"
_STOPPING: Final = "Stopping…"
_WHEN: Final = "{when}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Status:
    """One label and since when it holds; the empty one is rest."""

    label: str = ""
    since: float = 0.0
    characters: int = 0
    until: float | None = None  # the label counts down to this moment
    comfort: str = ""  # stands behind the seconds
    before: "Status | None" = None  # shown until this one is due

    @property
    def is_busy(self) -> bool:
        """Say whether something is under way."""
        return bool(self.label)

    @property
    def can_stop(self) -> bool:
        """Say whether there is something that was not told to stop yet."""
        return self.is_busy and self.label != _STOPPING


REST: Final = Status()


def sending(status: Status, now: float) -> Status:
    """Note that something was sent."""
    return _enter(status, "Saving…", now)


def stopping(status: Status, now: float) -> Status:
    """Note that Stop was asked for."""
    return _enter(status, _STOPPING, now)


def advanced(status: Status, event: Event, now: float) -> Status:
    """Take an event into account; after Stop only the end of the turn counts."""
    match event:
        case TurnEnded():
            return REST
        case TurnStarted(model=model):
            return _enter(status, f"Connecting to {_named(model)}…", now)
        case _ if status.can_stop:
            return _gone_on(status, event, now)
        case _:
            return status


def _gone_on(  # noqa: PLR0911 - one case per event
    status: Status, event: Event, now: float
) -> Status:
    match event:
        case ModelStarting(model=model):
            return _starting(status, model, now)
        case RequestStarted(model=model):
            return _enter(status, f"Connecting to {_named(model)}…", now)
        case RequestSent(model=model):
            return _enter(status, f"Waiting for {_named(model)}…", now)
        case ReasoningDelta():
            return _enter(status, _THINKING, now)
        case TextDelta(text=text):
            writing = _enter(status, _WRITING, now)
            return replace(writing, characters=writing.characters + len(text))
        case ToolStarted(name=name):
            return _enter(status, f"Running {name}…", now)
        case ToolFinished():
            return _enter(status, "Connecting…", now)
        case Retrying():
            return _retrying(status, event, now)
        case FellBack(from_model=failed, to_model=asked):
            return _enter(status, f"{failed} failed. Asking {asked}…", now)
        case _:
            return status


def _enter(old: Status, label: str, now: float) -> Status:
    if old.label == label:
        return old
    shown = replace(old, before=None) if _is_due(old, now) else old.before
    return Status(label=label, since=now, before=shown if old.is_busy else None)


def _starting(status: Status, model: str, now: float) -> Status:
    starting = _enter(status, f"Starting {_named(model)}…", now)
    return replace(starting, comfort="Your message is next.")


def _retrying(status: Status, event: Retrying, now: float) -> Status:
    label = f"{_reason(event.problem)} {_WHEN} ({event.attempt} of {event.attempts})"
    return replace(_enter(status, label, now), until=now + event.wait_s)


def _reason(problem: Problem) -> str:
    who = problem.params.get("host") or problem.params.get("provider") or "The server"
    match problem.kind:
        case ProblemKind.RATE_LIMITED:
            return f"{who} asks to wait."
        case ProblemKind.SERVER_FAULT:
            return f"{who} failed."
        case _:
            return f"{who} did not answer."


def line(status: Status, now: float) -> str:
    """Say what is going on; empty when nothing is, or nothing worth a label yet."""
    shown = status if _is_due(status, now) else status.before
    if shown is None or not shown.is_busy:
        return ""
    hint = HOW_TO_STOP if status.can_stop else ""
    return f"{harmless(_words(shown, now))}{hint}"


def _words(status: Status, now: float) -> str:
    if status.until is not None:
        left = math.ceil(status.until - now)
        when = f"Again in {left} s" if left > 0 else "Asking again"
        return status.label.replace(_WHEN, when)
    age = now - status.since
    if age < 1 or not status.label.endswith("…"):
        return f"{status.label} {status.comfort}".strip()
    if status.comfort:
        return f"{status.label} {int(age)} s. {status.comfort}"
    rate = f" · {round(status.characters / 4 / age)} tokens/s" if status.characters else ""
    return f"{status.label} {int(age)} s{rate}"


def _is_due(status: Status, now: float) -> bool:
    return now - status.since >= _DUE_S


def _named(model: str) -> str:
    return model or "the model"


def receipt(stopped: Stopped) -> str:
    """Say what Stop did, as far as it is known."""
    took_s = stopped.closed_in_s
    if took_s is None:
        return "Stopped"
    if took_s > 1:
        return f"Stopped · took {took_s:.1f} s"
    value = took_s * 1000
    return f"Stopped · connection closed in {value:.{1 if value < 10 else 0}f} ms"
