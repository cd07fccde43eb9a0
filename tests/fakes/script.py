"""What the fake model server is told to do: values that also exist as JSON.

In JSON a step is an object whose `do` is the class's name in lower case and whose other members
are its fields: `{"do": "text", "text": "Hello"}`. `raw` carries bytes as latin-1 characters.
"""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Text:
    """Say this, one chunk a word."""

    text: str


@dataclass(frozen=True, slots=True)
class Reasoning:
    """Think this aloud, one chunk a word, in the field that some servers call otherwise."""

    text: str
    field: str = "reasoning_content"


@dataclass(frozen=True, slots=True)
class ToolCall:
    """Want a tool run; its arguments come in this many pieces."""

    name: str
    arguments: str = "{}"
    id: str = "call_1"
    index: int = 0
    pieces: int = 1


@dataclass(frozen=True, slots=True)
class Delta:
    """Send a delta as it is given, however odd."""

    data: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Chunk:
    """Send an event whose data is this JSON value, however odd."""

    data: Any


@dataclass(frozen=True, slots=True)
class Raw:
    """Send these bytes of the body; each character is one byte."""

    data: str


@dataclass(frozen=True, slots=True)
class Finish:
    """Send the `finish_reason`."""

    reason: str = "stop"


@dataclass(frozen=True, slots=True)
class Usage:
    """Send the token counts."""

    prompt: int = 7
    completion: int = 5


@dataclass(frozen=True, slots=True)
class Done:
    """Send `[DONE]`."""


@dataclass(frozen=True, slots=True)
class Gate:
    """Wait until the test opens the gate of this name."""

    name: str = "gate"


@dataclass(frozen=True, slots=True)
class Pause:
    """Wait this long."""

    seconds: float


@dataclass(frozen=True, slots=True)
class Stall:
    """Say nothing more, and keep the connection open."""


@dataclass(frozen=True, slots=True)
class Reset:
    """Reset the connection; inside a chunk if one is being sent."""

    mid_chunk: bool = False


@dataclass(frozen=True, slots=True)
class Fin:
    """Close the connection without ending the answer."""

    mid_chunk: bool = False


@dataclass(frozen=True, slots=True)
class End:
    """End the body properly, without a word about how the answer ended."""


Step = (
    Text
    | Reasoning
    | ToolCall
    | Delta
    | Chunk
    | Raw
    | Finish
    | Usage
    | Done
    | Gate
    | Pause
    | Stall
    | Reset
    | Fin
    | End
)
_STEPS: dict[str, Any] = {
    cls.__name__.lower(): cls
    for cls in (
        Text,
        Reasoning,
        ToolCall,
        Delta,
        Chunk,
        Raw,
        Finish,
        Usage,
        Done,
        Gate,
        Pause,
        Stall,
        Reset,
        Fin,
        End,
    )
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """One answer to one chat request.

    `before` runs when the request is complete and before the head goes out; `Raw` bytes in it go
    out as they are. `body`, when given,
    is sent whole in place of the steps. `when` keeps the answer for a request whose last user
    message contains it.
    """

    steps: tuple[Step, ...] = ()
    before: tuple[Step, ...] = ()
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    body: str | None = None
    content_type: str | None = None
    rate: float = 0.0  # chunks per second; 0: as fast as they go
    when: str = ""


def saying(text: str, *, rate: float = 0.0, when: str = "") -> Answer:
    """Answer properly with these words."""
    steps = (Text(text), Finish(), Usage(), Done())
    return Answer(steps=steps, rate=rate, when=when)


def gated(first: str, then: str, gate: str = "gate") -> Answer:
    """Say something, wait for the gate, say the rest."""
    return Answer(steps=(Text(first), Gate(gate), Text(then), Finish(), Usage(), Done()))


def calling(*calls: ToolCall, text: str = "") -> Answer:
    """Want tools run."""
    said = (Text(text),) if text else ()
    return Answer(steps=(*said, *calls, Finish("tool_calls"), Usage(), Done()))


def failing(status: int, message: str = "It failed.", **headers: str) -> Answer:
    """Answer with an error; header names are written with underscores."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Answer(status=status, headers=named, body=error_body(message))


def error_body(message: str, **members: Any) -> str:
    """Write an error as such servers do."""
    return json.dumps({"error": {"message": message, **members}})


def step_from_json(data: Mapping[str, Any]) -> Step:
    """Read a step."""
    fields = dict(data)
    made: Step = _STEPS[fields.pop("do")](**fields)
    return made


def step_to_json(step: Step) -> dict[str, Any]:
    """Write a step."""
    return {"do": type(step).__name__.lower(), **asdict(step)}


def answer_from_json(data: Mapping[str, Any]) -> Answer:
    """Read an answer."""
    fields = dict(data)
    for name in ("steps", "before"):
        fields[name] = tuple(step_from_json(step) for step in fields.get(name, ()))
    return Answer(**fields)


def answer_to_json(answer: Answer) -> dict[str, Any]:
    """Write an answer."""
    plain = {name: getattr(answer, name) for name in Answer.__slots__}
    plain["headers"] = dict(answer.headers)
    for name in ("steps", "before"):
        plain[name] = [step_to_json(step) for step in plain[name]]
    return plain
