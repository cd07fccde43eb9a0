"""Where orders go in the tree when their turn starts: pure."""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from app.core.ids import MessageId, TurnId
from app.core.messages import Message, Order, OrderKind, Role, Tree


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
                parent = tree.messages[_target(tree, order)].parent_id
                appended.append(_message(order, parent=parent, turn_id=turn_id, now=now))
                at = order.id
            case OrderKind.RETRY:
                at = question_above(tree, _target(tree, order))
            case OrderKind.CONTINUE:
                at, continues = _target(tree, order), True
    return Placement(appended=tuple(appended), leaf=at, continues=continues)


def is_possible(tree: Tree, order: Order) -> bool:
    """Say whether an order makes sense in this tree: it says something, or its target is there."""
    if order.kind in (OrderKind.SEND, OrderKind.EDIT) and not _says_something(order):
        return False
    return order.kind is OrderKind.SEND or order.target in tree.messages


def question_above(tree: Tree, message_id: MessageId) -> MessageId:
    """Find the person's message that a message answers; itself if the person wrote it."""
    at = message_id
    while tree.messages[at].role is not Role.USER:
        parent = tree.messages[at].parent_id
        if parent is None:
            break
        at = parent
    return at


def _says_something(order: Order) -> bool:
    return bool(order.text.strip()) or len(order.parts) > 1


def _target(tree: Tree, order: Order) -> MessageId:
    assert order.target is not None
    assert order.target in tree.messages
    return order.target


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
