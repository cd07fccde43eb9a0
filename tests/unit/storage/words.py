"""Messages and orders for the storage tests, in as few words as a test needs."""

from app.core.ids import ConversationId, MessageId, TurnId, new_message_id, new_turn_id
from app.core.messages import Ending, Message, Order, OrderKind, Role, text_parts
from app.core.ports import TurnOpening

CHAT = ConversationId("chat")


def order(text: str, *, id: str | None = None, chat: str = CHAT, at: float = 1.0) -> Order:  # noqa: A002
    """Make an order to send some words."""
    return Order(
        id=MessageId(id) if id else new_message_id(),
        conversation_id=ConversationId(chat),
        kind=OrderKind.SEND,
        parts=text_parts(text),
        created_at=at,
    )


def asked(sent: Order, *, parent: MessageId | None = None, at: float = 1.0) -> Message:
    """Make the message that an order becomes."""
    return Message(
        id=sent.id,
        conversation_id=sent.conversation_id,
        parent_id=parent,
        role=Role.USER,
        parts=sent.parts,
        created_at=at,
    )


def opening(*messages: Message, epoch: int = 1, turn: str | None = None) -> TurnOpening:
    """Make the opening of a turn that answers these messages."""
    return TurnOpening(
        turn_id=TurnId(turn) if turn else new_turn_id(),
        conversation_id=messages[-1].conversation_id,
        epoch=epoch,
        orders=tuple(m.id for m in messages),
        appended=messages,
        leaf=messages[-1].id,
        at=messages[-1].created_at,
    )


def answer(
    to: Message,
    text: str | None = None,
    *,
    id: str | None = None,  # noqa: A002
    ending: Ending = Ending.OPEN,
    at: float = 2.0,
) -> Message:
    """Make an answer to a message, open unless told otherwise."""
    return Message(
        id=MessageId(id) if id else new_message_id(),
        conversation_id=to.conversation_id,
        parent_id=to.id,
        role=Role.ASSISTANT,
        parts=() if text is None else text_parts(text),
        created_at=at,
        ending=ending,
        model="small",
    )
