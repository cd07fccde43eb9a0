"""What a store keeps, seen through a second store on the same file."""

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest

from app.core.events import Completed
from app.core.ids import ConversationId, MessageId
from app.core.messages import Draft, Ending, Intent, Mark, OrderKind, ReasoningPart, TextPart
from app.core.ports import Store, StoredConversation
from app.storage.store import SqliteStore
from tests.fakes.stores import BOUND_S, open_store
from tests.unit.storage.words import CHAT, answer, asked, opening, order


def loaded(store: SqliteStore, chat: str = CHAT) -> StoredConversation:
    found = store.load(ConversationId(chat)).wait(BOUND_S)
    assert found is not None
    return found


def test_the_store_is_what_the_session_expects(tmp_path: Path) -> None:
    store: Store = SqliteStore(tmp_path / "a.db", lease="a", live_leases=set)
    assert isinstance(store, SqliteStore)
    assert not (tmp_path / "a.db").exists(), "nothing is opened before start"


def test_a_whole_turn_comes_back_after_reopening(tmp_path: Path) -> None:
    sent = order("Hello there")
    question = asked(sent)
    turn = opening(question)
    said = answer(question)
    with open_store(tmp_path / "a.db") as store:
        store.accept(sent, Intent.REDIRECT).wait(BOUND_S)
        store.begin_turn(turn)
        store.open_message(said)
        store.append_text(said.id, "hm", reasoning=True)
        store.append_text(said.id, "Hi", reasoning=False)
        final = replace(
            said,
            parts=(ReasoningPart(text="hm"), TextPart(text="Hi.")),
            ending=Ending.COMPLETE,
        )
        store.close_message(final)
        store.end_turn(turn.turn_id, Completed()).wait(BOUND_S)
    with open_store(tmp_path / "a.db") as store:
        found = loaded(store)
        assert found.tree.path() == (question, final)
        assert found.waiting == ()
        assert found.last_epoch == 1
        (listed,) = store.conversations().wait(BOUND_S)
        assert (listed.id, listed.title, listed.mark) == (CHAT, "Hello there", Mark.NONE)


def test_an_open_answer_is_read_with_its_journal(tmp_path: Path) -> None:
    question = asked(order("Hello"))
    said = answer(question)
    with open_store(tmp_path / "a.db") as store:
        store.begin_turn(opening(question))
        store.open_message(said)
        for word in ("one ", "two ", "three"):
            store.append_text(said.id, word, reasoning=False)
        assert loaded(store).tree.messages[said.id].text == "one two three"
        assert loaded(store).tree.leaf == said.id


def test_an_accepted_order_waits_and_its_draft_is_over(tmp_path: Path) -> None:
    sent = order("Later")
    with open_store(tmp_path / "a.db") as store:
        store.save_draft(CHAT, Draft(text="Later", cursor=5))
        store.accept(sent, Intent.QUEUE).wait(BOUND_S)
        found = loaded(store)
        assert found.waiting == ((sent, Intent.QUEUE),)
        assert found.draft == Draft()
        assert store.conversations().wait(BOUND_S)[0].mark is Mark.HELD


def test_a_conversation_that_is_nothing_but_a_draft_is_listed(tmp_path: Path) -> None:
    draft = Draft(text="half a thou", cursor=4)
    with open_store(tmp_path / "a.db") as store:
        store.save_draft(CHAT, draft)
    with open_store(tmp_path / "a.db") as store:
        (listed,) = store.conversations().wait(BOUND_S)
        assert (listed.id, listed.title) == (CHAT, "half a thou")
        assert store.unsent_draft().wait(BOUND_S) == CHAT
        assert loaded(store).draft == draft
        store.save_draft(CHAT, Draft())
        assert store.unsent_draft().wait(BOUND_S) is None
        assert store.conversations().wait(BOUND_S) == ()


def test_open_edits_survive_and_end_with_what_they_became(tmp_path: Path) -> None:
    first, second = MessageId("m1"), MessageId("m2")
    with open_store(tmp_path / "a.db") as store:
        store.accept(order("How?", id=first), Intent.QUEUE).wait(BOUND_S)
        store.save_edit(CHAT, first, "How m")
        store.save_edit(CHAT, second, "left")
        store.save_edit(CHAT, first, "How many?")
    with open_store(tmp_path / "a.db") as store:
        assert list(loaded(store).edits.items()) == [(second, "left"), (first, "How many?")]
        changed = replace(order("How many?"), kind=OrderKind.EDIT, target=first)
        store.accept(changed, Intent.REDIRECT).wait(BOUND_S)
        store.save_edit(CHAT, second, "")
        assert loaded(store).edits == {}


def test_the_queue_is_replaced_and_a_discarded_order_can_come_back(tmp_path: Path) -> None:
    first, second = order("first"), order("second")
    with open_store(tmp_path / "a.db") as store:
        store.accept(first, Intent.QUEUE)
        store.accept(second, Intent.QUEUE)
        store.save_queue(CHAT, ((second, Intent.REDIRECT),))
        assert loaded(store).waiting == ((second, Intent.REDIRECT),)
        store.save_queue(CHAT, ((second, Intent.QUEUE), (first, Intent.QUEUE)))
        assert [o.text for o, _ in loaded(store).waiting] == ["second", "first"]


def test_an_order_in_the_history_is_not_put_back_into_the_queue(tmp_path: Path) -> None:
    sent = order("once")
    with open_store(tmp_path / "a.db") as store:
        store.accept(sent, Intent.QUEUE)
        store.begin_turn(opening(asked(sent)))
        store.save_queue(CHAT, ((sent, Intent.QUEUE),))
        store.accept(sent, Intent.QUEUE)
        found = loaded(store)
        assert found.waiting == ()
        assert list(found.tree.messages) == [sent.id]


def test_an_order_that_only_the_history_knows_is_not_put_into_the_queue(tmp_path: Path) -> None:
    sent = order("once")
    with open_store(tmp_path / "a.db") as store:
        store.begin_turn(opening(asked(sent)))
        store.accept(sent, Intent.QUEUE)
        store.save_queue(CHAT, ((sent, Intent.QUEUE),))
        assert loaded(store).waiting == ()


def test_deleted_conversations_are_hidden_until_restored(tmp_path: Path) -> None:
    with open_store(tmp_path / "a.db") as store:
        store.accept(order("Hello"), Intent.QUEUE)
        store.delete(CHAT).wait(BOUND_S)
        assert store.conversations().wait(BOUND_S) == ()
        store.restore(CHAT).wait(BOUND_S)
        assert [c.id for c in store.conversations().wait(BOUND_S)] == [CHAT]


def test_the_list_is_newest_first_and_a_given_title_wins(tmp_path: Path) -> None:
    times = iter(range(1, 100))
    with open_store(tmp_path / "a.db", now=lambda: float(next(times))) as store:
        store.accept(order("old", chat="a"), Intent.QUEUE)
        store.accept(order("new", chat="b"), Intent.QUEUE)
        store.rename(ConversationId("a"), "Taxes\u202e").wait(BOUND_S)
        titles = [c.title for c in store.conversations().wait(BOUND_S)]
        assert titles == ["new", "Taxes"]


def test_an_unknown_conversation_is_none(tmp_path: Path) -> None:
    with open_store(tmp_path / "a.db") as store:
        assert store.load(ConversationId("nobody")).wait(BOUND_S) is None


def test_awaitables_work_from_a_stock_loop(tmp_path: Path) -> None:
    async def use(store: SqliteStore) -> str:
        await store.accept(order("Hello"), Intent.REDIRECT)
        listed, found = await asyncio.gather(store.conversations(), store.load(CHAT))
        assert found is not None
        return listed[0].title

    with open_store(tmp_path / "a.db") as store:
        assert asyncio.run(use(store)) == "Hello"


def test_a_loop_that_ended_does_not_disturb_the_store(tmp_path: Path) -> None:
    async def leave(store: SqliteStore) -> None:
        reply = store.accept(order("Hello"), Intent.REDIRECT)
        asyncio.get_running_loop().create_task(_wait_for(reply))
        await asyncio.sleep(0)

    async def _wait_for(reply: object) -> None:
        await reply  # type: ignore[misc]

    with open_store(tmp_path / "a.db") as store:
        asyncio.run(leave(store))
        assert len(loaded(store).waiting) == 1


def test_files_are_for_the_owner_only(tmp_path: Path) -> None:
    folder = tmp_path / "new" / "data"
    with open_store(folder / "a.db") as store:
        store.accept(order("secret"), Intent.QUEUE).wait(BOUND_S)
        assert folder.stat().st_mode & 0o777 == 0o700
        files = sorted(folder.iterdir())
        assert len(files) == 3
        assert [f.stat().st_mode & 0o777 for f in files] == [0o600] * 3


@pytest.mark.parametrize("text", ["a\x00b", "half \ud83d pair", "", "𝔘𝔫𝔦"])
def test_any_text_survives(tmp_path: Path, text: str) -> None:
    sent = order(text)
    question = asked(sent)
    said = answer(question)
    with open_store(tmp_path / "a.db") as store:
        store.save_draft(CHAT, Draft(text=text or "x"))
        store.accept(sent, Intent.QUEUE).wait(BOUND_S)
        assert loaded(store).waiting == ((sent, Intent.QUEUE),)
        store.begin_turn(opening(question))
        store.open_message(said)
        store.append_text(said.id, text, reasoning=False)
        assert loaded(store).tree.messages[question.id].text == text
        assert loaded(store).tree.messages[said.id].text == text


def test_a_character_cut_in_half_between_two_deltas_is_whole_again(tmp_path: Path) -> None:
    question = asked(order("Smile"))
    said = answer(question)
    with open_store(tmp_path / "a.db") as store:
        store.begin_turn(opening(question))
        store.open_message(said)
        store.append_text(said.id, "\ud83d", reasoning=False)
        store.append_text(said.id, "\ude00", reasoning=False)
        assert loaded(store).tree.messages[said.id].text == "😀"
