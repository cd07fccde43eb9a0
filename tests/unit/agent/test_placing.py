"""Where orders go in the tree."""

from collections.abc import Sequence

import pytest

from app.agent.placing import is_possible, place, question_above, steered
from app.core.ids import ConversationId, MessageId, TurnId
from app.core.messages import (
    ImagePart,
    Message,
    Order,
    OrderKind,
    Part,
    Role,
    Tree,
    text_parts,
)

CHAT, TURN = ConversationId("chat"), TurnId("t")
PICTURE = ImagePart(path="p.png", media_type="image/png")


def node(message_id: str, parent: str | None, role: Role) -> Message:
    return Message(
        id=MessageId(message_id),
        conversation_id=CHAT,
        parent_id=None if parent is None else MessageId(parent),
        role=role,
        parts=text_parts(message_id),
        created_at=1.0,
    )


def order(
    order_id: str,
    kind: OrderKind = OrderKind.SEND,
    *,
    target: str | None = None,
    parts: Sequence[Part] | None = None,
) -> Order:
    return Order(
        id=MessageId(order_id),
        conversation_id=CHAT,
        kind=kind,
        parts=text_parts(order_id) if parts is None else tuple(parts),
        target=None if target is None else MessageId(target),
    )


TREE = Tree(
    messages={
        m.id: m
        for m in (
            node("q1", None, Role.USER),
            node("a1", "q1", Role.ASSISTANT),
            node("t1", "a1", Role.TOOL),
            node("a2", "t1", Role.ASSISTANT),
            node("q2", "a2", Role.USER),
        )
    },
    leaf=MessageId("q2"),
)


def placed(*orders: Order, tree: Tree = TREE) -> tuple[list[tuple[str, str | None]], str | None]:
    placement = place(tree, orders, turn_id=TURN, now=2.0)
    return [(m.id, m.parent_id) for m in placement.appended], placement.leaf


def test_messages_sent_together_stand_one_behind_the_other() -> None:
    assert placed(order("x"), order("y")) == ([("x", "q2"), ("y", "x")], "y")


def test_the_first_message_begins_the_tree() -> None:
    assert placed(order("x"), tree=Tree()) == ([("x", None)], "x")


def test_an_edit_stands_beside_its_target_and_what_follows_behind_it() -> None:
    edit = order("x", OrderKind.EDIT, target="q2")
    assert placed(edit, order("y")) == ([("x", "a2"), ("y", "x")], "y")


def test_a_retry_answers_the_question_above_through_tool_steps() -> None:
    assert placed(order("r", OrderKind.RETRY, target="a2", parts=())) == ([], "q1")


def test_a_retry_of_a_question_answers_it() -> None:
    assert placed(order("r", OrderKind.RETRY, target="q2", parts=())) == ([], "q2")


def test_continue_goes_on_from_its_target() -> None:
    going_on = order("c", OrderKind.CONTINUE, target="a2", parts=())
    placement = place(TREE, [going_on], turn_id=TURN, now=2.0)
    assert (placement.leaf, placement.continues) == ("a2", True)


def test_a_message_behind_a_continue_is_answered_itself() -> None:
    orders = [order("c", OrderKind.CONTINUE, target="a2", parts=()), order("x")]
    placement = place(TREE, orders, turn_id=TURN, now=2.0)
    assert (placement.leaf, placement.continues) == ("x", False)


def test_an_edit_whose_target_is_gone_is_sent_and_not_lost() -> None:
    assert placed(order("x", OrderKind.EDIT, target="gone")) == ([("x", "q2")], "x")


@pytest.mark.parametrize("kind", [OrderKind.RETRY, OrderKind.CONTINUE])
def test_a_retry_or_continue_whose_target_is_gone_goes_on_from_the_leaf(kind: OrderKind) -> None:
    assert placed(order("r", kind, target="gone", parts=())) == ([], "q2")


def test_a_steered_message_is_marked() -> None:
    message = steered(order("x"), parent=MessageId("t1"), turn_id=TURN, now=2.0)
    assert (message.parent_id, message.steered, message.role) == ("t1", True, Role.USER)


@pytest.mark.parametrize(
    ("given", "possible"),
    [
        (order("x"), True),
        (order("x", parts=[PICTURE]), True),
        (order("x", parts=[*text_parts(""), PICTURE]), True),
        (order("x", parts=[]), False),
        (order("x", parts=text_parts(" \n")), False),
        (order("x", parts=[*text_parts(" "), *text_parts("")]), False),
        (order("x", OrderKind.EDIT, target="q2"), True),
        (order("x", OrderKind.EDIT, target="q2", parts=text_parts(" ")), False),
        (order("x", OrderKind.EDIT, target="gone"), False),
        (order("x", OrderKind.RETRY, target="a2", parts=()), True),
        (order("x", OrderKind.RETRY, target=None, parts=()), False),
        (order("x", OrderKind.CONTINUE, target="gone", parts=()), False),
    ],
)
def test_only_what_can_be_carried_out_is_possible(given: Order, possible: bool) -> None:
    assert is_possible(given, lambda target: target in TREE.messages) is possible


def test_a_tree_that_does_not_begin_with_a_question_has_a_top_all_the_same() -> None:
    lone = node("a", None, Role.ASSISTANT)
    assert question_above(Tree(messages={lone.id: lone}, leaf=lone.id), lone.id) == "a"
