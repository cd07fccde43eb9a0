"""The tree while it grows: memory, events and disk say the same."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from app.agent.history import History
from app.core.events import Event, HistoryChanged
from app.core.ids import CallId, MessageId, TurnId
from app.core.messages import (
    Ending,
    Message,
    ReasoningPart,
    Role,
    TextPart,
    ToolCallPart,
    Tree,
    text_parts,
)
from app.core.ports import TurnOpening
from app.storage.store import SqliteStore
from tests.fakes.stores import BOUND_S, open_store
from tests.unit.agent.stage import CHAT, SteadyClock

TURN = TurnId("t")
Q = MessageId("q")


@pytest.fixture
def store(tmp_path: Path) -> Iterator[SqliteStore]:
    with open_store(tmp_path / "a.db") as opened:
        yield opened


@pytest.fixture
def told() -> list[Event]:
    return []


@pytest.fixture
def history(store: SqliteStore, told: list[Event]) -> History:
    made = History(
        conversation_id=CHAT, tree=Tree(), store=store, emit=told.append, clock=SteadyClock()
    )
    question = Message(
        id=Q,
        conversation_id=CHAT,
        parent_id=None,
        role=Role.USER,
        parts=text_parts("Question"),
        created_at=1.0,
    )
    opening = TurnOpening(
        turn_id=TURN,
        conversation_id=CHAT,
        epoch=1,
        orders=(Q,),
        appended=(question,),
        leaf=Q,
        at=1.0,
    )
    store.begin_turn(opening)
    made.show((question,), Q)
    return made


def stored(store: SqliteStore) -> Tree:
    found = store.load(CHAT).wait(BOUND_S)
    assert found is not None
    return found.tree


def shown(told: list[Event]) -> Tree:
    last = told[-1]
    assert isinstance(last, HistoryChanged)
    return last.tree


def test_what_is_written_is_what_is_kept(history: History, store: SqliteStore) -> None:
    answer = history.open_answer(parent=Q, turn_id=TURN, model="m")
    assert answer.think("hm")
    assert answer.write("One ")
    assert answer.write("two")
    closed = answer.close(Ending.STOPPED)
    assert closed is not None
    assert closed.parts == (ReasoningPart(text="hm"), TextPart(text="One two"))
    assert history.tree.path()[-1] == closed
    assert stored(store).path()[-1] == closed


def test_an_answer_without_a_word_leaves_nothing(
    history: History, store: SqliteStore, told: list[Event]
) -> None:
    before = len(told)
    assert history.open_answer(parent=Q, turn_id=TURN, model="m").close(Ending.STOPPED) is None
    assert len(told) == before
    assert [m.id for m in stored(store).path()] == [Q]


def test_an_answer_of_calls_alone_is_kept(history: History, store: SqliteStore) -> None:
    call = ToolCallPart(call_id=CallId("1"), name="clock", arguments="{}")
    answer = history.open_answer(parent=Q, turn_id=TURN, model="m")
    closed = answer.close(Ending.COMPLETE, calls=(call,), model="other")
    assert closed is not None
    assert (closed.tool_calls, closed.model) == ((call,), "other")
    assert stored(store).path()[-1] == closed


def test_late_words_and_a_second_end_are_ignored(history: History, store: SqliteStore) -> None:
    answer = history.open_answer(parent=Q, turn_id=TURN, model="m")
    answer.write("One")
    answer.close(Ending.STOPPED)
    assert not answer.write(" late")
    assert not answer.think("late")
    assert answer.close(Ending.COMPLETE) is None
    assert stored(store).path()[-1].text == "One"
    assert stored(store).path()[-1].ending is Ending.STOPPED


def test_a_view_that_comes_late_sees_what_is_being_written(history: History) -> None:
    answer = history.open_answer(parent=Q, turn_id=TURN, model="m")
    assert history.snapshot().leaf == Q
    assert not history.knows(answer.id)
    answer.write("One")
    snapshot = history.snapshot()
    assert (snapshot.leaf, snapshot.path()[-1].ending) == (answer.id, Ending.OPEN)
    assert history.knows(answer.id)


def test_a_branch_that_is_being_written_can_be_left_and_found_again(
    history: History, store: SqliteStore, told: list[Event]
) -> None:
    old = history.open_answer(parent=Q, turn_id=TURN, model="m")
    old.write("Old")
    old.close(Ending.COMPLETE)
    history.show((), Q)  # as a retry does
    new = history.open_answer(parent=Q, turn_id=TURN, model="m")
    new.write("New")
    history.select(old.id)
    assert shown(told).leaf == old.id
    assert stored(store).leaf == old.id
    history.select(new.id)
    assert shown(told).leaf == new.id
    assert stored(store).leaf == new.id
    new.close(Ending.COMPLETE)
    assert history.tree.leaf == new.id
    assert stored(store).leaf == new.id


def test_what_is_written_in_a_hidden_branch_does_not_take_over_the_disk(
    history: History, store: SqliteStore
) -> None:
    old = history.open_answer(parent=Q, turn_id=TURN, model="m")
    old.write("Old")
    old.close(Ending.COMPLETE)
    history.show((), Q)
    new = history.open_answer(parent=Q, turn_id=TURN, model="m")
    history.select(old.id)
    new.write("New")
    new.close(Ending.COMPLETE)
    assert history.tree.leaf == old.id
    assert stored(store).leaf == old.id


def test_settling_goes_back_to_the_answer_beside_only_if_there_is_none(
    history: History,
) -> None:
    history.settle(Q)
    assert history.tree.leaf == Q
    old = history.open_answer(parent=Q, turn_id=TURN, model="m")
    old.write("Old")
    old.close(Ending.COMPLETE)
    history.show((), Q)
    history.settle(Q)
    assert history.tree.leaf == old.id


def test_selecting_what_is_not_there_changes_nothing(history: History, told: list[Event]) -> None:
    before = len(told)
    history.select(MessageId("nowhere"))
    assert (history.tree.leaf, len(told)) == (Q, before)
