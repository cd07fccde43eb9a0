"""The desk: which conversation is on the page, what is known of each, and what is asked for.

It turns wishes into commands and events into states; it has no widgets. GUI thread only.
"""

from collections.abc import Callable
from dataclasses import replace

from PySide6.QtCore import QObject, Signal

from app.core.commands import (
    BeginListening,
    BeginRevision,
    Command,
    CreateConversation,
    DeleteConversation,
    DiscardWaiting,
    EndListening,
    EndRevision,
    MoveWaiting,
    OpenConversation,
    PromoteWaiting,
    RenameConversation,
    RestoreConversation,
    RestoreWaiting,
    SaveDraft,
    SaveEdit,
    SelectBranch,
    SendHeld,
    StopTurn,
    Submit,
)
from app.core.events import ConversationEvent, ConversationOpened
from app.core.ids import ConversationId, MessageId, new_conversation_id, new_message_id
from app.core.messages import Draft, Intent, Order, OrderKind, Origin, Part, text_parts
from app.core.ports import Clock
from app.core.voice import VoiceHeard
from app.ui.conversation_state import (
    ConversationState,
    applied,
    discarded,
    next_to_run,
    stop_asked,
    submitted,
    waited,
    will_start,
)

Change = Callable[[ConversationState], ConversationState]


class Desk(QObject):
    """Everything the window does to conversations, on the visible one unless it names another."""

    command_issued = Signal(object)  # a core Command
    switched = Signal(object)  # the ConversationState that is on the page now
    state_changed = Signal(object, object)  # the visible state before and after
    draft_restored = Signal(object)  # a Draft that arrived for the visible conversation
    edits_restored = Signal(object)  # what its messages were being changed to, by their ids

    def __init__(self, *, clock: Clock, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._clock = clock
        self._states: dict[ConversationId, ConversationState] = {}
        self._titles: dict[ConversationId, str] = {}
        self._deleted: set[ConversationId] = set()
        self._current = new_conversation_id()
        self._state_of(self._current)

    @property
    def state(self) -> ConversationState:
        """The visible conversation."""
        return self._states[self._current]

    def new(self) -> None:
        """Put an empty conversation on the page."""
        fresh = new_conversation_id()
        self._states[fresh] = ConversationState(id=fresh, is_open=True)
        self._issue(CreateConversation(conversation_id=fresh))
        self._show(fresh)

    def open(self, conversation_id: ConversationId) -> None:
        """Put a conversation on the page."""
        self._issue(OpenConversation(conversation_id=conversation_id))
        self._show(conversation_id)

    def rename(self, conversation_id: ConversationId, title: str) -> None:
        """Give a conversation a title."""
        self._issue(RenameConversation(conversation_id=conversation_id, title=title))

    def delete(self, conversation_id: ConversationId) -> None:
        """Take a conversation away; the page turns to a new one if it was on it."""
        self._deleted.add(conversation_id)
        self._issue(DeleteConversation(conversation_id=conversation_id))
        if conversation_id == self._current:
            self.new()

    def restore(self, conversation_id: ConversationId) -> None:
        """Undo a deletion and show what came back."""
        self._deleted.discard(conversation_id)
        self._issue(RestoreConversation(conversation_id=conversation_id))
        self.open(conversation_id)

    def send(self, text: str, intent: Intent) -> None:
        """Send a message."""
        self.note_draft(Draft())
        self._submit(OrderKind.SEND, text_parts(text), None, intent)

    def send_spoken(self, heard: VoiceHeard, intent: Intent) -> None:
        """Send spoken words to the conversation they were spoken to, under their clip's id."""
        order = Order(
            id=heard.clip_id,
            conversation_id=heard.conversation_id,
            parts=text_parts(heard.text),
            origin=Origin.SPOKEN,
            created_at=self._clock.now(),
        )
        self._submit_order(order, intent)

    def fix(self, message_id: MessageId, text: str) -> None:
        """Say in other words what was just said, whether it still waits or is being answered."""
        if any(waiting.order.id == message_id for waiting in self.state.queue):
            self.begin_revision(message_id)
            self.end_revision(message_id, text)
        else:
            self.edit(message_id, text)

    def note_titles(self, titles: dict[ConversationId, str]) -> None:
        """Know what the conversations are called."""
        self._titles = titles

    def title_of(self, conversation_id: ConversationId) -> str:
        """Say what a conversation is called; empty if it has no name yet."""
        return self._titles.get(conversation_id, "")

    def is_gone(self, conversation_id: ConversationId) -> bool:
        """Say whether nobody could turn to a conversation: deleted, or lost before it was kept."""
        is_known = conversation_id in self._states or conversation_id in self._titles
        return conversation_id in self._deleted or not is_known

    def begin_listening(self, conversation_id: ConversationId) -> None:
        """Have nothing that waits start while the person speaks to a conversation."""
        self._issue(BeginListening(conversation_id=conversation_id))

    def end_listening(self, conversation_id: ConversationId) -> None:
        """Let what waits go on."""
        self._issue(EndListening(conversation_id=conversation_id))

    def has_draft(self, conversation_id: ConversationId) -> bool:
        """Say whether words stand unsent in a conversation."""
        return bool(self._state_of(conversation_id).draft.text.strip())

    def add_to_draft(self, conversation_id: ConversationId, text: str) -> None:
        """Put words behind the draft of a conversation that is not on the page."""
        state = self._state_of(conversation_id)
        joined = f"{state.draft.text} {text}".strip()
        draft = Draft(text=joined, cursor=len(joined))
        self._states[conversation_id] = replace(state, draft=draft)
        self._issue(SaveDraft(conversation_id=conversation_id, draft=draft))

    def edit(self, message_id: MessageId, text: str) -> None:
        """Say a message again in other words, on a branch of its own."""
        self._submit(OrderKind.EDIT, text_parts(text), message_id, Intent.REDIRECT)

    def retry(self, message_id: MessageId | None = None) -> None:
        """Have something answered again; without an id, the last thing on the page."""
        target = message_id or self.state.tree.leaf
        if target is not None:
            self._submit(OrderKind.RETRY, (), target, Intent.REDIRECT)

    def go_on(self, message_id: MessageId) -> None:
        """Have an answer continued."""
        self._submit(OrderKind.CONTINUE, (), message_id, Intent.REDIRECT)

    def _submit(
        self, kind: OrderKind, parts: tuple[Part, ...], target: MessageId | None, intent: Intent
    ) -> None:
        order = Order(
            id=new_message_id(),
            conversation_id=self._current,
            kind=kind,
            parts=parts,
            target=target,
            created_at=self._clock.now(),
        )
        self._submit_order(order, intent)

    def _submit_order(self, order: Order, intent: Intent) -> None:
        where = order.conversation_id
        self._issue(Submit(conversation_id=where, order=order, intent=intent))
        now = self._clock.monotonic()
        self._change(where, lambda state: submitted(state, order, intent, now))

    def stop(self, conversation_id: ConversationId | None = None) -> None:
        """Stop a turn, the visible one unless another is named, or what is about to become one."""
        where = conversation_id or self._current
        stopped = self._state_of(where)
        if not stopped.status.phase.can_stop:
            return
        self._issue(StopTurn(conversation_id=where, epoch=stopped.horizon))
        now = self._clock.monotonic()
        self._change(where, lambda state: stop_asked(state, now))

    def send_held(self) -> None:
        """Release everything that is held."""
        first = next_to_run(self.state.held)
        self._issue(SendHeld(conversation_id=self._current))
        if not self.state.is_busy:
            self._start(first)

    def promote(self, message_id: MessageId) -> None:
        """Have a waiting order run now."""
        self._issue(PromoteWaiting(conversation_id=self._current, message_id=message_id))
        self._start((message_id,))

    def _start(self, ids: tuple[MessageId, ...]) -> None:
        now = self._clock.monotonic()
        self._change(self._current, lambda state: will_start(state, ids, now))

    def discard(self, ids: tuple[MessageId, ...]) -> None:
        """Take waiting orders out of the queue."""
        self._issue(DiscardWaiting(conversation_id=self._current, message_ids=ids))
        now = self._clock.monotonic()
        self._change(self._current, lambda state: discarded(state, frozenset(ids), now))

    def put_back(self, ids: tuple[MessageId, ...]) -> None:
        """Undo `discard`."""
        for message_id in ids:
            self._issue(RestoreWaiting(conversation_id=self._current, message_id=message_id))

    def begin_revision(self, message_id: MessageId) -> None:
        """Keep an order from starting while it is edited."""
        self._issue(BeginRevision(conversation_id=self._current, message_id=message_id))

    def end_revision(self, message_id: MessageId, text: str | None) -> None:
        """Let it go again, changed or not."""
        command = EndRevision(conversation_id=self._current, message_id=message_id, text=text)
        self._issue(command)

    def move(self, message_id: MessageId, index: int) -> None:
        """Put a waiting order at another place."""
        command = MoveWaiting(conversation_id=self._current, message_id=message_id, index=index)
        self._issue(command)

    def select_branch(self, message_id: MessageId) -> None:
        """Show another branch."""
        self._issue(SelectBranch(conversation_id=self._current, message_id=message_id))

    def save_draft(self, draft: Draft) -> None:
        """Keep what stands in the composer."""
        self.note_draft(draft)
        self._issue(SaveDraft(conversation_id=self._current, draft=draft))

    def save_edit(self, message_id: MessageId, text: str) -> None:
        """Keep what a message or a waiting order is being changed to."""
        command = SaveEdit(conversation_id=self._current, message_id=message_id, text=text)
        self._issue(command)

    def note_draft(self, draft: Draft) -> None:
        """Know what stands in the composer, before it is worth saving."""
        self._states[self._current] = replace(self.state, draft=draft)

    def apply(self, event: ConversationEvent) -> None:
        """Take an event of any conversation into account."""
        is_arriving = not self._state_of(event.conversation_id).is_open
        now = self._clock.monotonic()
        self._change(event.conversation_id, lambda state: applied(state, event, now))
        if event.conversation_id == self._current and is_arriving and self.state.is_open:
            self.draft_restored.emit(self.state.draft)
            if isinstance(event, ConversationOpened):
                self.edits_restored.emit(event.edits)

    def tick(self) -> None:
        """Let time pass for the visible conversation."""
        now = self._clock.monotonic()
        if waited(self.state, now) is not self.state:
            self._change(self._current, lambda state: waited(state, now))

    def _state_of(self, conversation_id: ConversationId) -> ConversationState:
        return self._states.setdefault(conversation_id, ConversationState(id=conversation_id))

    def _change(self, conversation_id: ConversationId, change: Change) -> None:
        before = self._state_of(conversation_id)
        after = change(before)
        self._states[conversation_id] = after
        if conversation_id == self._current:
            self.state_changed.emit(before, after)

    def _show(self, conversation_id: ConversationId) -> None:
        self._current = conversation_id
        self.switched.emit(self._state_of(conversation_id))

    def _issue(self, command: Command) -> None:
        self.command_issued.emit(command)
