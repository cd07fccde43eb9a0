"""Where orders go in the tree when their turn starts: pure.

Total: an order whose target did not survive goes on from the leaf, so that its words are not lost.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

from app.core.ids import MessageId, TurnId
from app.core.messages import Message, Order, OrderKind, Role, TextPart, Tree


@dataclass(frozen=True, slots=True, kw_only=True)
class Placement:
    """What a turn starts from: new messages, the leaf to answer, and whether to go on from it."""

    appended: tuple[Message, ...]
    leaf: MessageId | None
    continues: bool = False


def place(tree: Tree, orders: Iterable[Order], *, turn_id: TurnId, now: float) -> Placement:
    """Put orders into the tree, one behind the other."""
    at, appended, continues = tree.leaf, list[Message](), False
    for order in orders:
        continues = False
        match order.kind:
            case OrderKind.SEND:
                appended.append(_message(order, parent=at, turn_id=turn_id, now=now))
                at = order.id
            case OrderKind.EDIT:
                target = tree.messages.get(order.target) if order.target else None
                parent = target.parent_id if target else at
                appended.append(_message(order, parent=parent, turn_id=turn_id, now=now))
                at = order.id
            case OrderKind.RETRY:
                at = question_above(tree, _target(tree, order, at))
            case OrderKind.CONTINUE:
                at, continues = _target(tree, order, at), True
    return Placement(appended=tuple(appended), leaf=at, continues=continues)


def is_possible(order: Order, knows: Callable[[MessageId | None], bool]) -> bool:
    """Say whether an order can be carried out: it says something, and its target is there."""
    if order.kind in (OrderKind.SEND, OrderKind.EDIT) and not says_something(order):
        return False
    return order.kind is OrderKind.SEND or knows(order.target)


def question_above(tree: Tree, message_id: MessageId | None) -> MessageId | None:
    """Find the person's message that a message answers; itself if the person wrote it."""
    message = tree.messages.get(message_id) if message_id else None
    while message and message.role is not Role.USER and message.parent_id:
        message = tree.messages[message.parent_id]
    return message.id if message else None


def says_something(order: Order) -> bool:
    """Say whether there are words or attachments in it."""
    return any(not isinstance(part, TextPart) or part.text.strip() for part in order.parts)


def _target(tree: Tree, order: Order, otherwise: MessageId | None) -> MessageId | None:
    return order.target if order.target in tree.messages else otherwise


def _message(order: Order, *, parent: MessageId | None, turn_id: TurnId, now: float) -> Message:
    return Message(
        id=order.id,
        conversation_id=order.conversation_id,
        parent_id=parent,
        role=Role.USER,
        parts=order.parts,
        created_at=now,
        origin=order.origin,
        turn_id=turn_id,
    )


def steered(order: Order, *, parent: MessageId, turn_id: TurnId, now: float) -> Message:
    """Make the message for an order that is passed on to a running turn."""
    return replace(_message(order, parent=parent, turn_id=turn_id, now=now), steered=True)
