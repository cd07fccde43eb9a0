"""One conversation's tree while it grows: in memory, in the journal and in events at once.

Lives on the agent loop. A turn writes to an `OpenAnswer`; what was written is exactly what is
shown, journalled and sent back next time, so a Stop at any point keeps the same partial
everywhere. An answer that never got a word leaves no message behind.
"""

from collections.abc import Callable
from dataclasses import replace

from app.core.events import Event, HistoryChanged
from app.core.ids import ConversationId, MessageId, TurnId, new_message_id
from app.core.messages import (
    Ending,
    Message,
    Part,
    ReasoningPart,
    Role,
    TextPart,
    ToolCallPart,
    Tree,
)
from app.core.ports import Clock, Store


class History:
    """The tree, and the answers that are still being written."""

    def __init__(
        self,
        *,
        conversation_id: ConversationId,
        tree: Tree,
        store: Store,
        emit: Callable[[Event], None],
        clock: Clock,
    ) -> None:
        self.conversation_id = conversation_id
        self.tree = tree
        self._store = store
        self._emit = emit
        self._clock = clock
        self._open: dict[MessageId, OpenAnswer] = {}

    def path_to(self, leaf: MessageId | None) -> tuple[Message, ...]:
        """List the messages from the root to a leaf."""
        return replace(self.tree, leaf=leaf).path()

    def knows(self, message_id: MessageId | None) -> bool:
        """Say whether a message is here, whole or still being written."""
        answer = self._open.get(message_id) if message_id else None
        return message_id in self.tree.messages or (answer is not None and answer.begun)

    def snapshot(self) -> Tree:
        """Return the tree with what open answers have so far, as a view shows it."""
        drafts = [answer.message(Ending.OPEN) for answer in self._open.values() if answer.begun]
        leaf = self.tree.leaf
        for draft in drafts:
            leaf = draft.id if draft.parent_id == leaf else leaf
        return self.tree.with_messages(drafts, leaf=leaf)

    def show(self, added: tuple[Message, ...], leaf: MessageId | None) -> None:
        """Take in messages that are on disk already and show the branch they end in."""
        self.tree = self.tree.with_messages(added, leaf=leaf)
        self._tell(added)

    def add(self, message: Message) -> None:
        """Append a whole message behind its parent."""
        self._store.close_message(message)
        self._grow(message)

    def select(self, message_id: MessageId) -> None:
        """Show another branch; one that is being written is shown as it grows."""
        if message_id in self._open:
            self._show(self._open[message_id].parent)
        elif message_id in self.tree.messages:
            self._show(self.tree.latest_leaf(message_id))

    def _show(self, leaf: MessageId | None) -> None:
        self.tree = replace(self.tree, leaf=leaf)
        self._store.select_leaf(self.conversation_id, self.snapshot().leaf)
        self._tell(())

    def settle(self, leaf: MessageId) -> None:
        """Go back to the answer beside, if a turn that began at `leaf` left none of its own."""
        if self.tree.leaf == leaf and self.tree.latest_leaf(leaf) != leaf:
            self.select(leaf)

    def open_answer(
        self, *, parent: MessageId, turn_id: TurnId, model: str, continues: bool = False
    ) -> "OpenAnswer":
        """Begin an answer behind a message."""
        blank = Message(
            id=new_message_id(),
            conversation_id=self.conversation_id,
            parent_id=parent,
            role=Role.ASSISTANT,
            parts=(),
            created_at=self._clock.now(),
            ending=Ending.OPEN,
            model=model,
            turn_id=turn_id,
            continues=continues,
        )
        answer = OpenAnswer(blank, self._store, self._closed)
        self._open[blank.id] = answer
        return answer

    def _closed(self, message_id: MessageId, message: Message | None) -> None:
        del self._open[message_id]
        if message is not None:
            self._grow(message)

    def _grow(self, message: Message) -> None:
        follows = message.parent_id == self.tree.leaf
        self.tree = self.tree.with_messages(
            (message,), leaf=message.id if follows else self.tree.leaf
        )
        # Writing it switched the disk to it, whatever branch is shown.
        self._store.select_leaf(self.conversation_id, self.tree.leaf)
        self._tell((message,))

    def _tell(self, added: tuple[Message, ...]) -> None:
        self._emit(
            HistoryChanged(conversation_id=self.conversation_id, tree=self.snapshot(), added=added)
        )


class OpenAnswer:
    """An answer being written; once closed, late words are ignored."""

    def __init__(
        self,
        blank: Message,
        store: Store,
        closed: Callable[[MessageId, Message | None], None],
    ) -> None:
        self.id = blank.id
        self.begun = False
        self._blank = blank
        self._store = store
        self._on_closed = closed
        self._is_closed = False
        self._text: list[str] = []
        self._reasoning: list[str] = []

    @property
    def parent(self) -> MessageId | None:
        """The message it stands behind."""
        return self._blank.parent_id

    def write(self, text: str) -> bool:
        """Add words; False once it is closed."""
        return self._append(self._text, text, reasoning=False)

    def think(self, text: str) -> bool:
        """Add reasoning; False once it is closed."""
        return self._append(self._reasoning, text, reasoning=True)

    def _append(self, chunks: list[str], text: str, *, reasoning: bool) -> bool:
        if self._is_closed:
            return False
        if not self.begun:
            self.begun = True
            self._store.open_message(self._blank)
        chunks.append(text)
        self._store.append_text(self.id, text, reasoning=reasoning)
        return True

    def message(
        self, ending: Ending, calls: tuple[ToolCallPart, ...] = (), model: str | None = None
    ) -> Message:
        """Make the message as it stands."""
        parts: list[Part] = []
        if self._reasoning:
            parts.append(ReasoningPart(text="".join(self._reasoning)))
        if self._text:
            parts.append(TextPart(text="".join(self._text)))
        model = model or self._blank.model
        return replace(self._blank, parts=(*parts, *calls), ending=ending, model=model)

    def close(
        self, ending: Ending, *, calls: tuple[ToolCallPart, ...] = (), model: str | None = None
    ) -> Message | None:
        """End it; returns the message, or None if nothing was ever written."""
        if self._is_closed:
            return None
        self._is_closed = True
        message = self.message(ending, calls, model) if self.begun or calls else None
        if message is not None:
            self._store.close_message(message)
        self._on_closed(self.id, message)
        return message
