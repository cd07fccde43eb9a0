"""Conversations for the transcript's tests: events as the session would send them."""

from app.core.events import (
    Completed,
    ConversationOpened,
    Event,
    HistoryChanged,
    Outcome,
    ReasoningDelta,
    TextDelta,
    ToolFinished,
    ToolOutput,
    ToolStarted,
    TurnEnded,
    TurnStarted,
)
from app.core.ids import CallId, ConversationId, MessageId, TurnId
from app.core.messages import Draft, Ending, Message, Part, Role, Tree, text_parts

HERE = ConversationId("c1")
TURN = TurnId("t1")


def message(
    message_id: str,
    text: str,
    *,
    role: Role = Role.ASSISTANT,
    parent: str | None = None,
    ending: Ending = Ending.COMPLETE,
    parts: tuple[Part, ...] | None = None,
    at: float = 0.0,
    **more: object,
) -> Message:
    """Make a message of the conversation."""
    return Message(
        id=MessageId(message_id),
        conversation_id=HERE,
        parent_id=MessageId(parent) if parent else None,
        role=role,
        parts=text_parts(text) if parts is None else parts,
        created_at=at,
        ending=ending,
        **more,  # type: ignore[arg-type]
    )


def asked(message_id: str, text: str, *, parent: str | None = None, at: float = 0.0) -> Message:
    """Make a message of the person's."""
    return message(message_id, text, role=Role.USER, parent=parent, at=at)


def tree(*messages: Message, leaf: str | None = None) -> Tree:
    """Make a tree that shows the last message, or `leaf`."""
    shown = MessageId(leaf) if leaf else (messages[-1].id if messages else None)
    return Tree(messages={m.id: m for m in messages}, leaf=shown)


def opened(*messages: Message, leaf: str | None = None, running: bool = False) -> Event:
    """Open the conversation."""
    return ConversationOpened(
        conversation_id=HERE,
        tree=tree(*messages, leaf=leaf),
        waiting=(),
        draft=Draft(),
        running=started() if running else None,
    )


def changed(*messages: Message, leaf: str | None = None) -> Event:
    """Tell the new history."""
    return HistoryChanged(conversation_id=HERE, tree=tree(*messages, leaf=leaf), added=())


def started() -> TurnStarted:
    """Begin the turn."""
    return TurnStarted(conversation_id=HERE, turn_id=TURN, epoch=1, model="m")


def said(text: str, message_id: str = "a1") -> Event:
    """Say more of the answer."""
    return TextDelta(
        conversation_id=HERE, turn_id=TURN, message_id=MessageId(message_id), text=text
    )


def thought(text: str, message_id: str = "a1") -> Event:
    """Think more aloud."""
    return ReasoningDelta(
        conversation_id=HERE, turn_id=TURN, message_id=MessageId(message_id), text=text
    )


def tool_started(call_id: str = "k1", name: str = "search", arguments: str = "{}") -> Event:
    """Run a tool."""
    return ToolStarted(
        conversation_id=HERE,
        turn_id=TURN,
        call_id=CallId(call_id),
        name=name,
        arguments=arguments,
    )


def tool_output(text: str, call_id: str = "k1") -> Event:
    """Say what the tool says on the way."""
    return ToolOutput(conversation_id=HERE, turn_id=TURN, call_id=CallId(call_id), text=text)


def tool_finished(content: str, call_id: str = "k1", *, is_error: bool = False) -> Event:
    """Say what the tool answered."""
    return ToolFinished(
        conversation_id=HERE,
        turn_id=TURN,
        call_id=CallId(call_id),
        name="search",
        content=content,
        is_error=is_error,
    )


def ended(outcome: Outcome | None = None) -> Event:
    """End the turn."""
    return TurnEnded(conversation_id=HERE, turn_id=TURN, epoch=1, outcome=outcome or Completed())
