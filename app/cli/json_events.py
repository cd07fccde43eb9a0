"""Events as JSON lines, for `belay ask --json`; docs/json-events.md is the contract.

Every line has `schema` and `type`. Members are only ever added within one schema.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import fields
from typing import Any, Final

from app.core.errors import Problem
from app.core.events import (
    Completed,
    Event,
    Failed,
    MessageCommitted,
    Outcome,
    Stopped,
    StorageTrouble,
    TurnEvent,
)
from app.core.wording import sentence

SCHEMA: Final = 1


def json_line(event: Event) -> str | None:
    """Write an event as one line; None for what only a window wants to know."""
    if not isinstance(event, TurnEvent | MessageCommitted | StorageTrouble):
        return None
    members = {field.name: _plain(getattr(event, field.name)) for field in fields(event)}
    return _line(_snake(type(event).__name__), members)


def trouble_line(problem: Problem) -> str:
    """Write a problem that kept the turn from starting."""
    return _line("trouble", {"problem": _problem(problem)})


def _line(kind: str, members: Mapping[str, Any]) -> str:
    # ASCII on purpose: it survives every encoding, and no terminal obeys it.
    return json.dumps({"schema": SCHEMA, "type": kind, **members}) + "\n"


def _plain(value: object) -> Any:
    match value:
        case Problem():
            return _problem(value)
        case Completed() | Stopped() | Failed():
            return _outcome(value)
        case _:
            return value


def _problem(problem: Problem) -> dict[str, Any]:
    return {
        "kind": problem.kind.value,
        "params": dict(problem.params),
        "sentence": sentence(problem),
    }


def _outcome(outcome: Outcome) -> dict[str, Any]:
    match outcome:
        case Completed():
            return {"kind": "completed"}
        case Stopped(reason=reason, closed_in_s=closed_in_s):
            return {"kind": "stopped", "reason": reason.value, "closed_in_s": closed_in_s}
        case Failed(problem=problem):
            return {"kind": "failed", "problem": _problem(problem)}


def _snake(name: str) -> str:
    return re.sub(r"(?<!^)(?=[A-Z])", "_", name).lower()
