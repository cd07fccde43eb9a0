"""The words for a `Status`: the status line of window and terminal, and what is said aloud.

Pure: the time comes in, no clock is read. Seconds and tokens are never announced.
"""

import math
from dataclasses import dataclass
from enum import StrEnum

from app.core.errors import Problem, ProblemKind
from app.core.events import Stopped
from app.core.status import Announcement, Phase, Status, is_due, is_offline
from app.core.wording import sentence

_NEXT = "Your message is next."


class Tone(StrEnum):
    """How the line looks: at work, a quiet receipt, or trouble."""

    QUIET = "quiet"
    BUSY = "busy"
    TROUBLE = "trouble"


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """The status line at one moment; what it offers is a button beside the text."""

    text: str = ""
    tone: Tone = Tone.QUIET
    offers_retry: bool = False
    offers_built_in: bool = False
    offers_now: bool = False


def line(status: Status, now: float, *, how_to_stop: str = "") -> Line:
    """Say what is going on, with the hint as long as there is something to stop."""
    shown = status
    if status.phase.is_busy and not is_due(status, now):
        if status.before is None:
            return Line()
        shown = status.before
    hint = how_to_stop if status.phase.can_stop else ""
    text = _text(shown, now)
    return Line(
        text=text + hint if text else "",
        tone=_tone(status.phase),
        offers_retry=status.phase is Phase.FAILED,
        offers_built_in=status.phase is Phase.FAILED and is_offline(status),
        offers_now=shown.phase is Phase.RETRYING and shown.retry_at > now,
    )


def _tone(phase: Phase) -> Tone:
    if phase is Phase.FAILED:
        return Tone.TROUBLE
    return Tone.BUSY if phase.is_busy else Tone.QUIET


def _text(status: Status, now: float) -> str:  # noqa: C901, PLR0911, PLR0912 - one line per state
    seconds = _seconds(now - status.since)
    match status.phase:
        case Phase.IDLE:
            return ""
        case Phase.SENDING:
            return "Saving…"
        case Phase.STARTING:
            return f"Starting {_named(status.model)}…{seconds}{'.' if seconds else ''} {_NEXT}"
        case Phase.CONNECTING:
            return f"Connecting to {_named(status.model)}…{seconds}"
        case Phase.WAITING:
            return f"Waiting for {_named(status.model)}…{seconds}"
        case Phase.THINKING:
            return f"Thinking…{seconds}"
        case Phase.WRITING:
            return f"Writing…{seconds}{_rate(status, now)}"
        case Phase.TOOL:
            return f"Running {status.other}…{seconds}"
        case Phase.RETRYING:
            return _retry_text(status, now)
        case Phase.FALLING_BACK:
            return f"{status.model} failed. Asking {status.other}…"
        case Phase.STOPPING:
            return "Stopping…"
        case Phase.STOPPED:
            return receipt(status.stopped)
        case Phase.FAILED:
            return _failed_text(status)


def _named(model: str) -> str:
    return model or "the model"


def _seconds(age: float) -> str:
    return f" {int(age)} s" if age >= 1 else ""


def _rate(status: Status, now: float) -> str:
    age = now - status.since
    if age < 1:
        return ""
    return f" · {round(status.characters / 4 / age)} tokens/s"  # about four characters a token


def _retry_text(status: Status, now: float) -> str:
    left = math.ceil(status.retry_at - now)
    when = f"Again in {left} s" if left > 0 else "Asking again"
    return f"{_retry_reason(status.problem)} {when} ({status.attempt} of {status.attempts})"


def _retry_reason(problem: Problem | None) -> str:
    params = problem.params if problem else {}
    who = params.get("host") or params.get("provider") or "The server"
    match problem.kind if problem else None:
        case ProblemKind.RATE_LIMITED:
            return f"{who} asks to wait."
        case ProblemKind.SERVER_FAULT:
            return f"{who} failed."
        case _:
            return f"{who} did not answer."


def _failed_text(status: Status) -> str:
    if is_offline(status):
        return f"Offline. {_named(status.model)} needs a network."
    return "Not answered"


def receipt(stopped: Stopped | None) -> str:
    """Say what Stop did, as far as it is known."""
    took_s = stopped.closed_in_s if stopped else None
    if took_s is None:
        return "Stopped"
    if took_s > 1:
        return f"Stopped · took {took_s:.1f} s"
    return f"Stopped · connection closed in {_milliseconds(took_s)} ms"


def _milliseconds(seconds: float) -> str:
    value = seconds * 1000
    return f"{value:.1f}" if value < 10 else f"{value:.0f}"


def announcement(before: Status, after: Status) -> Announcement | None:
    """Find what to say aloud about a change, if anything."""
    if after.is_late and not before.is_late:
        return Announcement(text="Still waiting")
    if (after.phase, after.attempt, after.other) == (before.phase, before.attempt, before.other):
        return None
    if after.phase is Phase.FAILED and after.problem:
        return Announcement(text=sentence(after.problem), is_assertive=True)
    said = _said(after)
    return Announcement(text=said) if said else None


def _said(status: Status) -> str:  # noqa: PLR0911 - one line per state
    match status.phase:
        case Phase.SENDING:
            return "Sent"
        case Phase.STARTING:
            return f"Starting {_named(status.model)}. {_NEXT}"
        case Phase.THINKING:
            return "Thinking"
        case Phase.WRITING:
            return "Answering"
        case Phase.TOOL:
            return f"Running {status.other}"
        case Phase.RETRYING:
            return f"{_retry_reason(status.problem)} ({status.attempt} of {status.attempts})"
        case Phase.FALLING_BACK:
            return f"{status.model} failed. Asking {status.other}…"
        case Phase.STOPPED:
            return "Stopped"
        case Phase.IDLE if status.completed:
            return "Answer finished"
        case _:
            return ""
