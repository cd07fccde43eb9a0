"""Words reach the disk by themselves, together, and are never written twice."""

from dataclasses import replace
from pathlib import Path

import apsw
import pytest

from app.core.messages import Ending, Intent, Message, text_parts
from app.storage.store import SqliteStore
from tests.fakes.stores import BOUND_S, open_store
from tests.unit.storage.disks import FailingDisk
from tests.unit.storage.test_store import loaded
from tests.unit.storage.waiting import wait_until
from tests.unit.storage.words import CHAT, answer, asked, opening, order


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "a.db"


def begin(store: SqliteStore, chat: str = CHAT) -> Message:
    question = asked(order("Hello", chat=chat))
    said = answer(question)
    store.begin_turn(opening(question))
    store.open_message(said)
    return said


def journal(path: Path) -> list[tuple[str, bytes]]:
    rows = apsw.Connection(str(path)).execute("SELECT message_id, text FROM deltas ORDER BY n")
    return [(str(message_id), bytes(text)) for message_id, text in rows]


def test_words_get_to_the_disk_without_anybody_asking(path: Path) -> None:
    with open_store(path) as store:
        said = begin(store)
        store.append_text(said.id, "one", reasoning=False)
        wait_until(lambda: (said.id, b"one") in journal(path), "the words on disk")


def test_the_journal_only_grows(path: Path) -> None:
    with open_store(path) as store:
        said = begin(store)
        seen: list[tuple[str, bytes]] = []
        for word in ("one ", "two ", "three"):
            store.append_text(said.id, word, reasoning=False)
            store.flush().wait(BOUND_S)
            now = journal(path)
            assert now == [*seen, (said.id, word.encode())]
            seen = now


def test_the_words_of_all_conversations_share_a_commit(path: Path) -> None:
    disk = FailingDisk()
    with open_store(path, vfs=disk.name) as store:
        answers = [begin(store, chat=f"chat-{number}") for number in range(20)]
        store.flush().wait(BOUND_S)
        before = disk.log_syncs
        with disk.hanging():  # should the tick come meanwhile, its batch waits and the rest gathers
            for word in ("one ", "two ", "three "):
                for said in answers:
                    store.append_text(said.id, word, reasoning=False)
        store.flush().wait(BOUND_S)
        assert disk.log_syncs - before <= 2
        assert len(journal(path)) <= 40, "the words of an answer became one row in each"
        for number, said in enumerate(answers):
            found = loaded(store, f"chat-{number}").tree.messages[said.id]
            assert found.text == "one two three "


def test_closing_an_answer_takes_its_journal_along(path: Path) -> None:
    with open_store(path) as store:
        said, other = begin(store), begin(store, chat="other")
        store.append_text(said.id, "draft", reasoning=False)
        store.append_text(other.id, "stays", reasoning=False)
        store.flush().wait(BOUND_S)
        final = replace(said, parts=text_parts("final"), ending=Ending.STOPPED)
        store.close_message(final)
        store.flush().wait(BOUND_S)
        assert journal(path) == [(other.id, b"stays")]
        assert loaded(store).tree.messages[said.id] == final


def test_reasoning_and_words_keep_their_order(path: Path) -> None:
    with open_store(path) as store:
        said = begin(store)
        for text, reasoning in [("a", True), ("b", True), ("c", False), ("d", True), ("e", False)]:
            store.append_text(said.id, text, reasoning=reasoning)
        parts = loaded(store).tree.messages[said.id].parts
        assert [(type(p).__name__, p.text) for p in parts if hasattr(p, "text")] == [
            ("ReasoningPart", "ab"),
            ("TextPart", "c"),
            ("ReasoningPart", "d"),
            ("TextPart", "e"),
        ]


def test_a_message_of_ten_megabytes_is_kept(path: Path) -> None:
    text = "Vögel 🐦 " * 800_000
    sent = order(text)
    with open_store(path) as store:
        store.accept(sent, Intent.QUEUE).wait(BOUND_S)
        question = asked(sent)
        said = answer(question)
        store.begin_turn(opening(question))
        store.open_message(said)
        store.append_text(said.id, text, reasoning=False)
        store.close_message(replace(said, parts=text_parts(text), ending=Ending.COMPLETE))
    with open_store(path) as store:
        assert [message.text == text for message in loaded(store).tree.path()] == [True, True]
        assert store.conversations().wait(BOUND_S)[0].title.startswith("Vögel 🐦")


def test_writes_are_carried_out_in_the_order_of_the_calls(path: Path) -> None:
    with open_store(path) as store:
        said = begin(store)
        for number in range(200):
            store.append_text(said.id, f"{number} ", reasoning=False)
            if number % 7 == 0:
                store.flush()
            if number % 11 == 0:
                store.conversations()
        assert loaded(store).tree.messages[said.id].text.split() == [str(n) for n in range(200)]
