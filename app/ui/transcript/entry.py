"""One message as the transcript shows it: its parts, its ending, its branches, its notice.

Parts of a stored message are made on first use, so that ten thousand of them open at once.
"""

from dataclasses import dataclass
from enum import Enum

from app.core.errors import Problem
from app.core.ids import CallId, MessageId
from app.core.messages import (
    Ending,
    ImagePart,
    Message,
    Origin,
    Part,
    ReasoningPart,
    Role,
    TextPart,
    ToolCallPart,
    ToolResultPart,
)
from app.ui.transcript.parts import Call, CallState, Picture, ShownPart, Thought, Words


@dataclass(frozen=True, slots=True)
class Branch:
    """Where a message stands among its siblings, and who is beside it."""

    index: int  # from 1
    count: int
    previous: MessageId | None
    following: MessageId | None


class NoticeKind(Enum):
    """What a line beneath a message is about."""

    PROBLEM = "problem"
    NO_ANSWER = "no answer"


@dataclass(frozen=True, slots=True)
class Notice:
    """A line beneath the last message of a turn that did not end well."""

    kind: NoticeKind
    problem: Problem | None = None


class Entry:
    """One row of the transcript: a person's message or one of the model's."""

    __slots__ = (
        "_parts",
        "_results",
        "branch",
        "ending",
        "id",
        "message",
        "notes",
        "notice",
        "parent",
        "role",
    )

    def __init__(
        self,
        message_id: MessageId,
        role: Role,
        message: Message | None = None,
        results: tuple[ToolResultPart, ...] = (),
    ) -> None:
        self.id = message_id
        self.role = role
        self.message = message
        self.parent = message.parent_id if message else None
        self.ending = message.ending if message else Ending.OPEN
        self.branch: Branch | None = None
        self.notice: Notice | None = None
        self.notes: tuple[str, ...] = ()
        self._parts: list[ShownPart] | None = None if message else []
        self._results = results

    @property
    def parts(self) -> list[ShownPart]:
        """The parts in the order they were said."""
        if self._parts is None:
            assert self.message is not None
            self._parts = _shown(self.message.parts, self._results, self.ending)
        return self._parts

    @property
    def words(self) -> str:
        """The answer or question alone, as Markdown source."""
        if self._parts is None and self.message is not None:
            return self.message.text
        said = (p.text for p in self.parts if isinstance(p, Words) and not isinstance(p, Thought))
        return "".join(said)

    @property
    def is_person(self) -> bool:
        """Say whether the person wrote it."""
        return self.role is Role.USER

    @property
    def is_open(self) -> bool:
        """Say whether it is still being written."""
        return self.ending is Ending.OPEN

    @property
    def continues(self) -> bool:
        """Say whether it goes on from the message above."""
        return self.message is not None and self.message.continues

    @property
    def is_spoken(self) -> bool:
        """Say whether the person said it aloud."""
        return self.message is not None and self.message.origin is Origin.SPOKEN

    def append_words(self, text: str) -> ShownPart:
        """Add words, after whatever was said last."""
        return self._append(Words, text)

    def append_thought(self, text: str) -> ShownPart:
        """Add reasoning, after whatever was said last."""
        return self._append(Thought, text)

    def _append(self, kind: type[Words], text: str) -> ShownPart:
        last = self.parts[-1] if self.parts else None
        if type(last) is not kind:
            last = kind()
            self.parts.append(last)
        last.append(text)
        return last

    def call(self, call_id: CallId) -> Call | None:
        """Find one of its tool calls."""
        calls = (p for p in self.parts if isinstance(p, Call) and p.call_id == call_id)
        return next(calls, None)

    def adopt(self, message: Message, results: tuple[ToolResultPart, ...]) -> bool:
        """Become what the history says; say whether anything to be seen changed."""
        if message is self.message and results == self._results:
            return False
        was = (self.words, self.ending)
        ahead = message.ending is Ending.OPEN and len(was[0]) >= len(message.text)
        self.message, self.parent = message, message.parent_id
        self.ending, self._results = message.ending, results
        if ahead or (was[0] == message.text and self._has_all(message)):
            self._settle()
        else:
            self._parts = None
        return was != (self.words, self.ending) or self._parts is None or bool(results)

    def settle(self, ending: Ending) -> None:
        """End it; tools that were still running were stopped."""
        self.ending = ending
        for part in self.parts:
            if isinstance(part, Call) and part.state is CallState.RUNNING:
                part.state = CallState.STOPPED

    def _has_all(self, message: Message) -> bool:
        return self._parts is not None and all(self.call(c.call_id) for c in message.tool_calls)

    def _settle(self) -> None:
        for result in self._results:
            if (call := self.call(result.call_id)) and call.state is CallState.RUNNING:
                finish(call, result.content, is_error=result.is_error)


def finish(call: Call, content: str, *, is_error: bool) -> None:
    """Put what a tool answered in place of what it said on the way."""
    call.output = Words(content)
    call.state = CallState.FAILED if is_error else CallState.DONE


def _shown(
    parts: tuple[Part, ...], results: tuple[ToolResultPart, ...], ending: Ending
) -> list[ShownPart]:
    answered = {result.call_id: result for result in results}
    shown: list[ShownPart] = []
    for part in parts:
        match part:
            case TextPart(text=text):
                shown.append(Words(text))
            case ReasoningPart(text=text):
                shown.append(Thought(text))
            case ToolCallPart():
                shown.append(_call(part, answered.get(part.call_id), ending))
            case ImagePart(path=path):
                shown.append(Picture(path))
            case ToolResultPart():
                pass  # shown in the card of its call
    return shown


def _call(part: ToolCallPart, result: ToolResultPart | None, ending: Ending) -> Call:
    call = Call(part.call_id, part.name, part.arguments, Words())
    if result is not None:
        finish(call, result.content, is_error=result.is_error)
    elif ending is not Ending.OPEN:
        call.state = CallState.STOPPED
    return call
