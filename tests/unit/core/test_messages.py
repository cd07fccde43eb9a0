"""The tree of a conversation: what is shown, what stands beside it, where a branch leads."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.core.ids import CallId, ConversationId, MessageId
from app.core.messages import (
    Draft,
    Ending,
    Message,
    Order,
    Part,
    ReasoningPart,
    Role,
    TextPart,
    ToolCallPart,
    Tree,
    joined,
    text_parts,
)

CONVERSATION = ConversationId("c")


def message(name: str, parent: str | None = None, *, at: float = 0.0) -> Message:
    return Message(
        id=MessageId(name),
        conversation_id=CONVERSATION,
        parent_id=None if parent is None else MessageId(parent),
        role=Role.USER,
        parts=text_parts(name),
        created_at=at,
    )


def tree(*messages: Message, leaf: str | None = None) -> Tree:
    shown = None if leaf is None else MessageId(leaf)
    return Tree().with_messages(messages, leaf=shown)


#: question → answer → (follow-up | edited follow-up → its answer)
BRANCHED = tree(
    message("question", at=1),
    message("answer", "question", at=2),
    message("follow-up", "answer", at=3),
    message("edited", "answer", at=4),
    message("edited answer", "edited", at=5),
    leaf="edited answer",
)


def test_an_empty_tree_shows_nothing() -> None:
    assert Tree().path() == ()


def test_the_path_leads_from_the_root_to_the_leaf() -> None:
    names = [m.id for m in BRANCHED.path()]
    assert names == ["question", "answer", "edited", "edited answer"]


def test_the_path_leaves_other_branches_out() -> None:
    other = BRANCHED.with_messages((), leaf=MessageId("follow-up"))
    assert [m.id for m in other.path()] == ["question", "answer", "follow-up"]


def test_siblings_are_the_branches_oldest_first() -> None:
    assert BRANCHED.siblings(MessageId("edited")) == ("follow-up", "edited")
    assert BRANCHED.siblings(MessageId("follow-up")) == ("follow-up", "edited")


def test_an_only_child_is_its_own_sibling() -> None:
    assert BRANCHED.siblings(MessageId("answer")) == ("answer",)


def test_first_messages_can_have_siblings_too() -> None:
    roots = tree(message("again", at=2), message("first", at=1))
    assert roots.siblings(MessageId("first")) == ("first", "again")


def test_switching_to_a_branch_lands_on_its_newest_leaf() -> None:
    assert BRANCHED.latest_leaf(MessageId("question")) == "edited answer"
    assert BRANCHED.latest_leaf(MessageId("follow-up")) == "follow-up"


def test_of_branches_made_in_one_instant_the_last_is_the_newest() -> None:
    twins = tree(message("root"), message("one", "root", at=1), message("two", "root", at=1))
    assert twins.siblings(MessageId("one"))[-1] == "two"
    assert twins.latest_leaf(MessageId("root")) == "two"


def test_with_messages_leaves_the_old_tree_as_it_was() -> None:
    grown = BRANCHED.with_messages([message("more", "edited answer", at=6)], leaf=MessageId("more"))
    assert grown.path()[-1].id == "more"
    assert BRANCHED.leaf == "edited answer"
    assert MessageId("more") not in BRANCHED.messages


def test_with_messages_replaces_a_message_of_the_same_id() -> None:
    closed = message("answer", "question", at=9)
    assert BRANCHED.with_messages([closed], leaf=None).messages[MessageId("answer")] is closed


@st.composite
def trees(draw: st.DrawFn) -> Tree:
    """Grow any tree: each message hangs below an earlier one, or begins a new root."""
    size = draw(st.integers(1, 30))
    parents = [draw(st.integers(-1, i - 1)) for i in range(size)]
    grown = [
        message(str(i), None if parent < 0 else str(parent), at=float(i))
        for i, parent in enumerate(parents)
    ]
    return tree(*grown, leaf=str(draw(st.integers(0, size - 1))))


@given(trees())
def test_every_path_is_a_chain_of_parents(grown: Tree) -> None:
    path = grown.path()
    assert path[0].parent_id is None
    assert path[-1].id == grown.leaf
    assert all(below.parent_id == above.id for above, below in pairwise(path))


@given(trees())
def test_the_newest_leaf_has_nothing_below_it_and_is_below_where_it_began(grown: Tree) -> None:
    for start in grown.messages:
        leaf = grown.latest_leaf(start)
        assert all(m.parent_id != leaf for m in grown.messages.values())
        assert start in [m.id for m in grown.with_messages((), leaf=leaf).path()]


@given(trees())
def test_siblings_agree_with_each_other(grown: Tree) -> None:
    for name in grown.messages:
        beside = grown.siblings(name)
        assert name in beside
        assert all(grown.siblings(other) == beside for other in beside)


def test_text_is_the_words_alone() -> None:
    call = ToolCallPart(call_id=CallId("1"), name="clock", arguments="{}")
    parts: tuple[Part, ...] = (ReasoningPart(text="hm"), *text_parts("It is "), call)
    said = Message(
        id=MessageId("m"),
        conversation_id=CONVERSATION,
        parent_id=None,
        role=Role.ASSISTANT,
        parts=(*parts, TextPart(text="noon.")),
        created_at=0.0,
    )
    assert said.text == "It is noon."
    assert said.tool_calls == (call,)


def test_an_order_without_words_has_an_empty_text() -> None:
    assert Order(id=MessageId("o"), conversation_id=CONVERSATION).text == ""


@pytest.mark.parametrize("ending", list(Ending))
def test_only_an_answer_that_broke_off_can_be_continued(ending: Ending) -> None:
    assert ending.is_interrupted is (ending not in {Ending.OPEN, Ending.COMPLETE})


def test_draft_that_arrives_late_is_joined_with_what_was_typed() -> None:
    stored, typed = Draft(text="Dear Ann,", cursor=3), Draft(text="one more", cursor=8)
    assert joined(stored, Draft()) == stored
    assert joined(Draft(), typed) == typed
    assert joined(stored, typed) == Draft(text="Dear Ann,\none more", cursor=18)
