"""What a shown message is made of; the words of a running answer grow in place."""

from dataclasses import dataclass
from enum import Enum

from app.core.ids import CallId


class Words:
    """Text that grows; joined only when somebody reads it."""

    __slots__ = ("_pieces",)

    def __init__(self, text: str = "") -> None:
        self._pieces = [text]

    @property
    def text(self) -> str:
        """Everything said so far."""
        if len(self._pieces) > 1:
            self._pieces = ["".join(self._pieces)]
        return self._pieces[0]

    def append(self, text: str) -> None:
        """Add what was said next."""
        self._pieces.append(text)


class Thought(Words):
    """What the model thought aloud, shown folded."""

    __slots__ = ()


class CallState(Enum):
    """How far a tool call is."""

    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    STOPPED = "stopped"


@dataclass(slots=True, eq=False)
class Call:
    """A tool call and what came of it."""

    call_id: CallId
    name: str
    arguments: str
    output: Words
    state: CallState = CallState.RUNNING


@dataclass(slots=True, eq=False)
class Picture:
    """A picture that the person attached."""

    path: str


ShownPart = Words | Call | Picture
