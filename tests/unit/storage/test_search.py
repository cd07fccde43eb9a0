"""Finding messages as their words are typed."""

from collections.abc import Iterator
from pathlib import Path

import apsw
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.core.ids import ConversationId
from app.core.messages import Ending
from app.storage.store import SqliteStore
from tests.fakes.stores import BOUND_S, open_store
from tests.unit.storage.waiting import wait_until
from tests.unit.storage.words import answer, asked, opening, order


@pytest.fixture
def store(tmp_path: Path) -> Iterator[SqliteStore]:
    with open_store(tmp_path / "a.db") as store:
        yield store


def say(store: SqliteStore, text: str, *, name: str, chat: str = "chat") -> None:
    store.begin_turn(opening(asked(order(text, id=name, chat=chat))))


def find(store: SqliteStore, text: str, limit: int = 10) -> list[str]:
    return [str(hit.message_id) for hit in store.search(text, limit).wait(BOUND_S)]


def test_a_word_is_found_while_it_is_typed(store: SqliteStore) -> None:
    say(store, "How do I tie a bowline?", name="knot")
    for typed in ("b", "bo", "bowl", "bowline", "BOWLINE", "tie bow", "bowline tie", "tie a b"):
        assert find(store, typed) == ["knot"], typed
    for typed in ("owline", "bowlines", "tie cat", "", "  ", "?", "ti bowline"):
        assert find(store, typed) == [], typed


def test_answers_are_found_once_they_are_whole(store: SqliteStore) -> None:
    question = asked(order("Hello"))
    said = answer(question, id="said")
    store.begin_turn(opening(question))
    store.open_message(said)
    store.append_text(said.id, "lighthouse", reasoning=False)
    assert find(store, "light") == []
    store.close_message(answer(question, "lighthouse", id="said", ending=Ending.COMPLETE))
    assert find(store, "light") == ["said"]
    store.close_message(answer(question, "harbour", id="said", ending=Ending.COMPLETE))
    assert (find(store, "light"), find(store, "harb")) == ([], ["said"])


def test_the_index_is_filled_without_anybody_searching(store: SqliteStore, tmp_path: Path) -> None:
    say(store, "How do I tie a bowline?", name="knot")
    db = apsw.Connection(str(tmp_path / "a.db"))
    indexed = "SELECT count(*) FROM words WHERE words MATCH 'bowline'"
    wait_until(lambda: db.execute(indexed).get == 1, "the index")
    assert db.execute("SELECT count(*) FROM unindexed").get == 0


def test_the_newest_come_first_and_no_more_than_asked(store: SqliteStore) -> None:
    for number in range(5):
        say(store, f"rope {number}", name=f"m{number}")
    assert find(store, "rope", limit=3) == ["m4", "m3", "m2"]


def test_accents_and_case_do_not_matter(store: SqliteStore) -> None:
    say(store, "Ein Ödland für Zoë", name="m")
    for typed in ("odland", "ÖDL", "zoe", "fur"):
        assert find(store, typed) == ["m"]


def test_words_without_spaces_between_them_are_found(store: SqliteStore) -> None:
    say(store, "東京の天気はどうですか", name="tokyo")
    say(store, "京都の天気", name="kyoto")
    assert find(store, "天気") == ["kyoto", "tokyo"]
    assert find(store, "東京") == ["tokyo"]
    assert find(store, "気はど") == ["tokyo"]


def test_deleted_conversations_are_not_found_until_restored(store: SqliteStore) -> None:
    say(store, "secret", name="m")
    store.delete(ConversationId("chat"))
    assert find(store, "secret") == []
    store.restore(ConversationId("chat"))
    assert find(store, "secret") == ["m"]


def test_the_snippet_shows_the_word_in_its_place(store: SqliteStore) -> None:
    say(store, "filler " * 100 + "the   bowline\nholds " + "filler " * 100, name="m")
    (hit,) = store.search("bowl", 5).wait(BOUND_S)
    assert "the bowline holds" in hit.snippet
    assert hit.snippet[0] == hit.snippet[-1] == "…"
    assert len(hit.snippet) < 140


@given(typed=st.text(max_size=30))
def test_whatever_is_typed_is_no_error(
    typed: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    with open_store(tmp_path_factory.mktemp("typed") / "a.db") as store:
        say(store, typed, name="m")
        assert find(store, typed) in ([], ["m"])


@pytest.mark.parametrize(
    "typed", ['"', "a OR", "NOT x", "NEAR(a b)", "text:x", "a*", "^a", "{a}", "\x00", "\ud83d"]
)
def test_operators_are_taken_for_words(store: SqliteStore, typed: str) -> None:
    say(store, f"before {typed} after", name="m")
    assert find(store, "before") == ["m"]
    assert find(store, typed) in ([], ["m"])
