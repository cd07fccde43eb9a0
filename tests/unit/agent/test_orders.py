"""The book of waiting orders keeps the disk in step, and writes no more than it must."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from app.agent.machine.vocabulary import Entry
from app.agent.orders import OrderBook
from app.core.ids import MessageId
from app.core.messages import ImagePart, Intent, Order, WaitState, text_parts
from app.storage.store import SqliteStore
from tests.fakes.stores import BOUND_S, open_store
from tests.unit.agent.stage import CHAT

PICTURE = ImagePart(path="p.png", media_type="image/png")


@pytest.fixture
def store(tmp_path: Path) -> Iterator[SqliteStore]:
    with open_store(tmp_path / "a.db") as opened:
        yield opened


@pytest.fixture
def book(store: SqliteStore) -> OrderBook:
    made = OrderBook(CHAT, store)
    for name in "abc":
        made.add(order(name))
        made.accepted(MessageId(name), Intent.QUEUE)
        store.accept(order(name), Intent.QUEUE)
    return made


def order(name: str) -> Order:
    return Order(id=MessageId(name), conversation_id=CHAT, parts=text_parts(name), created_at=1.0)


def entries(names: str, **flags: bool) -> tuple[Entry, ...]:
    return tuple(
        Entry(id=MessageId(n), intent=Intent.QUEUE, committed=True, **flags) for n in names
    )


def on_disk(store: SqliteStore) -> str:
    found = store.load(CHAT).wait(BOUND_S)
    assert found is not None
    return "".join(waiting.text for waiting, _ in found.waiting)


def test_what_leaves_the_queue_leaves_the_disk(book: OrderBook, store: SqliteStore) -> None:
    book.follow(entries("ac"))
    assert on_disk(store) == "ac"
    assert MessageId("b") not in book
    assert len(book) == 2


def test_another_order_is_another_order_on_disk(book: OrderBook, store: SqliteStore) -> None:
    book.follow(entries("cab"))
    assert on_disk(store) == "cab"


def test_new_words_reach_the_disk_and_attachments_stay(book: OrderBook, store: SqliteStore) -> None:
    book.add(Order(id=MessageId("a"), conversation_id=CHAT, parts=(*text_parts("a"), PICTURE)))
    book.revise(MessageId("a"), "A")
    book.follow(entries("abc"))
    assert on_disk(store) == "Abc"
    assert book[MessageId("a")].parts == (*text_parts("A"), PICTURE)


def test_a_discarded_order_is_remembered_with_its_place(book: OrderBook) -> None:
    book.discard(entries("abc"), (MessageId("b"),))
    book.follow(entries("ac"))
    assert book.restore(MessageId("b")) == (Intent.QUEUE, 1)
    assert book[MessageId("b")] == order("b")
    assert book.restore(MessageId("b")) is None, "once"


def test_holding_is_no_matter_for_the_disk(
    book: OrderBook, store: SqliteStore, caplog: pytest.LogCaptureFixture
) -> None:
    assert store.close(BOUND_S)  # a write would now be refused, and logged
    book.follow(entries("abc", held=True))
    assert caplog.records == []
    assert [w.state for w in book.waiting(entries("abc", held=True))] == [WaitState.HELD] * 3


def test_what_began_is_off_the_disk_already(
    book: OrderBook, store: SqliteStore, caplog: pytest.LogCaptureFixture
) -> None:
    assert store.close(BOUND_S)
    book.began([MessageId("a")])
    book.follow(entries("bc"))
    assert caplog.records == []
