"""What a dead process left behind, at the next start."""

from pathlib import Path

import pytest

from app.core.events import Completed
from app.core.messages import Ending, Intent, Mark, ReasoningPart, TextPart
from app.storage.store import SqliteStore
from tests.fakes.stores import BOUND_S, open_store
from tests.unit.storage.test_store import loaded
from tests.unit.storage.words import CHAT, answer, asked, opening, order


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "a.db"


def abandoned(path: Path, lease: str = "dead") -> SqliteStore:
    """Open a store as a process that will not get to close anything."""
    store = SqliteStore(path, lease=lease, live_leases=set)
    store.start().wait(BOUND_S)
    return store


def test_a_cut_off_answer_keeps_its_words_and_says_so(path: Path) -> None:
    question = asked(order("Hello"))
    said = answer(question)
    dead = abandoned(path)
    dead.begin_turn(opening(question))
    dead.open_message(said)
    dead.append_text(said.id, "hm", reasoning=True)
    dead.append_text(said.id, "so ", reasoning=False)
    dead.append_text(said.id, "far", reasoning=False)
    dead.close(BOUND_S)
    with open_store(path) as store:
        found = loaded(store)
        kept = found.tree.path()[-1]
        assert kept.parts == (ReasoningPart(text="hm"), TextPart(text="so far"))
        assert kept.ending is Ending.BELAY_CLOSED
        assert store.conversations().wait(BOUND_S)[0].mark is Mark.NONE
        assert [hit.message_id for hit in store.search("far", 5).wait(BOUND_S)] == [said.id]
        assert store._ask(lambda db: db.execute("SELECT count(*) FROM deltas").get).wait(20) == 0


def test_an_answer_that_said_nothing_is_removed_and_its_question_is_shown(path: Path) -> None:
    question = asked(order("Hello"))
    dead = abandoned(path)
    dead.begin_turn(opening(question))
    dead.open_message(answer(question))
    dead.close(BOUND_S)
    with open_store(path) as store:
        assert loaded(store).tree.path() == (question,)


def test_a_closed_turn_is_left_as_it_was(path: Path) -> None:
    question = asked(order("Hello"))
    whole = answer(question, "Hi", ending=Ending.COMPLETE)
    turn = opening(question)
    dead = abandoned(path)
    dead.begin_turn(turn)
    dead.close_message(whole)
    dead.end_turn(turn.turn_id, Completed()).wait(BOUND_S)
    dead.close(BOUND_S)
    with open_store(path) as store:
        assert loaded(store).tree.path() == (question, whole)
        outcome = store._ask(lambda db: db.execute("SELECT outcome FROM turns").get)
        assert outcome.wait(BOUND_S) == '{"kind":"completed"}'


def test_recovery_does_not_move_a_conversation_up_the_list(path: Path) -> None:
    times = iter([1.0, 2.0, 3.0, 4.0])
    dead = SqliteStore(path, lease="dead", live_leases=set, now=lambda: next(times))
    dead.start().wait(BOUND_S)
    old = order("old", chat="old")
    dead.accept(old, Intent.QUEUE).wait(BOUND_S)
    dead.accept(order("new", chat="new"), Intent.QUEUE).wait(BOUND_S)
    dead.begin_turn(opening(asked(old)))
    dead.close(BOUND_S)
    with open_store(path) as store:
        assert [c.id for c in store.conversations().wait(BOUND_S)] == ["new", "old"]


def test_a_namesake_of_a_dead_process_recovers_its_work(path: Path) -> None:
    question = asked(order("Hello"))
    said = answer(question)
    dead = abandoned(path, lease="this-process")
    dead.begin_turn(opening(question))
    dead.open_message(said)
    dead.append_text(said.id, "word", reasoning=False)
    dead.close(BOUND_S)
    with open_store(path) as store:
        assert loaded(store).tree.path()[-1].ending is Ending.BELAY_CLOSED


def test_recovering_twice_changes_nothing(path: Path) -> None:
    question = asked(order("Hello"))
    said = answer(question)
    dead = abandoned(path)
    dead.begin_turn(opening(question))
    dead.open_message(said)
    dead.append_text(said.id, "word", reasoning=False)
    dead.accept(order("waiting"), Intent.QUEUE)
    dead.close(BOUND_S)
    with open_store(path) as store:
        first = loaded(store)
    with open_store(path) as store:
        assert loaded(store) == first
    assert [each.text for each, _ in first.waiting] == ["waiting"]


def test_the_next_epoch_is_known_after_a_restart(path: Path) -> None:
    dead = abandoned(path)
    dead.begin_turn(opening(asked(order("one")), epoch=7))
    dead.close(BOUND_S)
    with open_store(path) as store:
        assert loaded(store).last_epoch == 7


def test_a_conversation_with_a_missing_row_is_still_shown(path: Path) -> None:
    first = asked(order("first"))
    second = asked(order("second"), parent=first.id)
    with open_store(path) as store:
        store.begin_turn(opening(first, second))
        store._ask(lambda db: db.execute("DELETE FROM messages WHERE id = ?", (first.id,)))
        assert [message.text for message in loaded(store).tree.path()] == ["second"]
        store.select_leaf(CHAT, first.id)
        assert [message.text for message in loaded(store).tree.path()] == ["second"]
