"""What waits in one conversation: the orders behind the turn machine's ids, in memory and on disk.

The machine decides about ids; this book knows what they say, keeps what was discarded for Undo,
and writes the queue to disk whenever it is not what the disk already has.
"""

from collections.abc import Iterable
from dataclasses import replace

from app.agent.machine.vocabulary import Entry
from app.core.ids import ConversationId, MessageId
from app.core.messages import Intent, Order, TextPart, Waiting, text_parts
from app.core.ports import Store

Queue = tuple[tuple[Order, Intent], ...]


class OrderBook:
    """The orders of one conversation's queue."""

    def __init__(self, conversation_id: ConversationId, store: Store) -> None:
        self._conversation_id = conversation_id
        self._store = store
        self._orders: dict[MessageId, Order] = {}
        self._discarded: dict[MessageId, tuple[Order, Intent, int]] = {}
        self._on_disk: Queue = ()

    def __contains__(self, order_id: MessageId) -> bool:
        return order_id in self._orders

    def __getitem__(self, order_id: MessageId) -> Order:
        return self._orders[order_id]

    def __len__(self) -> int:
        return len(self._orders)

    def add(self, order: Order) -> None:
        """Take in a new order."""
        self._orders[order.id] = order

    def add_stored(self, order: Order, intent: Intent) -> None:
        """Take in an order that the disk has already."""
        self.add(order)
        self._on_disk = (*self._on_disk, (order, intent))

    def accepted(self, order_id: MessageId, intent: Intent) -> None:
        """Note that an order is on its way to the disk."""
        self._on_disk = (*self._on_disk, (self._orders[order_id], intent))

    def began(self, order_ids: Iterable[MessageId]) -> None:
        """Note that orders left the queue on disk with the turn they began."""
        gone = set(order_ids)
        self._on_disk = tuple(each for each in self._on_disk if each[0].id not in gone)

    def revise(self, order_id: MessageId, text: str) -> None:
        """Give an order other words; its attachments stay."""
        order = self._orders[order_id]
        others = tuple(part for part in order.parts if not isinstance(part, TextPart))
        self._orders[order_id] = replace(order, parts=(*text_parts(text), *others))

    def discard(self, entries: tuple[Entry, ...], order_ids: tuple[MessageId, ...]) -> None:
        """Remember what these orders were and where they stood."""
        for index, entry in enumerate(entries):
            if entry.id in order_ids:
                self._discarded[entry.id] = (self._orders[entry.id], entry.intent, index)

    def restore(self, order_id: MessageId) -> tuple[Intent, int] | None:
        """Take a discarded order in again; says what it was for and where it stood."""
        found = self._discarded.pop(order_id, None)
        if found is None:
            return None
        order, intent, index = found
        self.add(order)
        return intent, index

    def follow(self, entries: tuple[Entry, ...]) -> None:
        """Forget what the machine no longer has, and make the disk agree."""
        self._orders = {entry.id: self._orders[entry.id] for entry in entries}
        queue: Queue = tuple((self._orders[entry.id], entry.intent) for entry in entries)
        if queue != self._on_disk:
            self._on_disk = queue
            self._store.save_queue(self._conversation_id, queue)

    def waiting(self, entries: tuple[Entry, ...]) -> tuple[Waiting, ...]:
        """Describe the queue as its chips show it."""
        return tuple(
            Waiting(order=self._orders[entry.id], intent=entry.intent, state=entry.wait_state)
            for entry in entries
        )
