"""Turning from one conversation to another: what the sidebar wishes, done on the desk.

Whatever stands in the composer is saved before the page turns.
"""

from PySide6.QtCore import QObject, Signal

from app.core.ids import ConversationId
from app.core.messages import Conversation
from app.ui.desk import Desk
from app.ui.pane import ConversationPane
from app.ui.side_by_side import SideBySide
from app.ui.sidebar.conversation_model import UNTITLED, Rename
from app.ui.sidebar.sidebar import Sidebar


class Navigation(QObject):
    """Keeps sidebar, header and page in step with the desk."""

    title_changed = Signal(str)

    def __init__(
        self, *, desk: Desk, sidebar: Sidebar, pane: ConversationPane, parent: QObject
    ) -> None:
        super().__init__(parent)
        self.frame = SideBySide(sidebar, pane)
        self._desk = desk
        self._sidebar = sidebar
        self._pane = pane
        self._has_begun = False  # to choose: the first list no longer leads anywhere
        self._was_led = False  # to the page that is shown, by the first list
        self._connect()

    def _connect(self) -> None:
        self._desk.switched.connect(self._on_switched)
        self._sidebar.new_wished.connect(self.new)
        self._sidebar.open_wished.connect(self.open)
        self._sidebar.delete_wished.connect(self._on_delete)
        self._sidebar.restore_wished.connect(self._on_restore)
        self._sidebar.rename_wished.connect(self._on_rename)
        self._sidebar.list.rename_ended.connect(self._pane.focus_message)
        self._pane.header.sidebar_toggled.connect(self.toggle_sidebar)
        self._pane.header.new_wished.connect(self.new)
        self._pane.talking.open_wished.connect(self.open)
        self.frame.side_shown.connect(self._pane.header.show_sidebar_state)

    def new(self) -> None:
        """Turn to an empty conversation; the one that is on the page will do if it is empty."""
        self._begin()
        self._pane.flush_drafts()
        if self._is_untouched:
            self._pane.focus_message()
        else:
            self._desk.new()

    def open(self, conversation_id: ConversationId) -> None:
        """Turn to a conversation."""
        self._begin()
        self._pane.flush_drafts()
        if conversation_id != self._desk.state.id:
            self._desk.open(conversation_id)
        self._pane.focus_message()

    def rename(self) -> None:
        """Let the person give the open conversation another title."""
        self.frame.show_side(shown=True)
        self._sidebar.list.rename(self._desk.state.id)

    def toggle_sidebar(self) -> None:
        """Hide the sidebar, or show it again."""
        self.frame.show_side(shown=not self.frame.is_side_shown)

    def show_list(self, conversations: tuple[Conversation, ...]) -> None:
        """Take the list as it is now; the first one leads back to where the person left off."""
        self._sidebar.show_conversations(conversations)
        self._desk.note_titles({each.id: each.title for each in conversations})
        if conversations and not self._has_begun:
            self._has_begun = True
            if self._is_untouched:
                self._was_led = True
                self._desk.open(conversations[0].id)
        self.show_title()

    def resume(self, conversation_id: ConversationId) -> None:
        """Lead back to words that were written and never sent, unless the person has begun."""
        can_lead = self._is_untouched and not self._has_begun
        if can_lead or (self._was_led and not self._pane.composer.draft.text):
            self.open(conversation_id)

    def show_title(self) -> None:
        """Say which conversation is on the page."""
        title = self._sidebar.list.rows.title_of(self._desk.state.id) or UNTITLED
        self._pane.header.title.setText(title)
        self.title_changed.emit(title)

    def _begin(self) -> None:
        self._has_begun, self._was_led = True, False

    @property
    def _is_untouched(self) -> bool:
        return self._desk.state.is_empty and not self._pane.composer.draft.text

    def _on_switched(self) -> None:
        self._sidebar.show_open(self._desk.state.id)
        self.frame.make_way()
        self.show_title()

    def _on_delete(self, conversation_id: ConversationId) -> None:
        self._pane.flush_drafts()
        self._desk.delete(conversation_id)

    def _on_restore(self, conversation_id: ConversationId) -> None:
        self._pane.flush_drafts()
        self._desk.restore(conversation_id)

    def _on_rename(self, rename: Rename) -> None:
        self._desk.rename(rename.id, rename.title)
