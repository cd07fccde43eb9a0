"""The sidebar: search, New, the conversations, Settings."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLineEdit, QToolButton, QVBoxLayout, QWidget

from app.core.ids import ConversationId
from app.core.messages import Conversation
from app.core.ports import Clock
from app.ui.buttons import IconButton
from app.ui.icons import icon
from app.ui.labels import plain
from app.ui.sidebar.conversation_list import ConversationList
from app.ui.theme import Theme
from app.ui.undo_bar import UndoBar

WIDTH = 264


class Sidebar(QFrame):
    """Shows the conversations and says what the person wants with them."""

    new_wished = Signal()
    settings_wished = Signal()
    open_wished = Signal(str)
    delete_wished = Signal(str)
    restore_wished = Signal(str)
    rename_wished = Signal(object)  # a Rename

    def __init__(self, *, clock: Clock, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("sidebar")
        self.search = QLineEdit()
        self._search_icon = QAction(self)
        self.new = IconButton("new", "New conversation", hint="New conversation · Ctrl+N")
        self.list = ConversationList(clock=clock, theme=theme)
        self.nothing = plain(name="muted")
        self.undo_bar = UndoBar()
        self.settings = QToolButton()
        self._deleted: str | None = None
        self._prepare()
        self._lay_out()
        self._connect()
        self.set_theme(theme)

    def _prepare(self) -> None:
        self.search.setPlaceholderText("Search conversations")
        self.search.setAccessibleName("Search conversations")
        self.search.setClearButtonEnabled(True)
        self.search.addAction(self._search_icon, QLineEdit.ActionPosition.LeadingPosition)
        self.settings.setText(" Settings")  # room between icon and word
        self.settings.setAccessibleName("Settings")
        self.settings.setToolTip("Settings · Ctrl+,")
        self.settings.setObjectName("wide")
        self.settings.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.settings.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.nothing.setWordWrap(True)
        self.nothing.setContentsMargins(21, 12, 21, 0)

    def _lay_out(self) -> None:
        top = QHBoxLayout()
        top.setContentsMargins(11, 10, 8, 6)
        top.setSpacing(4)
        top.addWidget(self.search, 1)
        top.addWidget(self.new)
        foot = QHBoxLayout()
        foot.setContentsMargins(9, 4, 9, 8)
        foot.addWidget(self.settings)
        foot.addStretch(1)
        rows = QVBoxLayout(self)
        rows.setContentsMargins(0, 0, 0, 0)
        rows.setSpacing(0)
        rows.addLayout(top)
        rows.addWidget(self.nothing)
        rows.addWidget(self.list, 1)
        rows.addWidget(self.undo_bar)
        rows.addLayout(foot)
        self._show_nothing()

    def _connect(self) -> None:
        self.search.textChanged.connect(self._on_search)
        self.search.returnPressed.connect(self._on_search_entered)
        self.new.clicked.connect(self.new_wished)
        self.settings.clicked.connect(self.settings_wished)
        self.list.open_wished.connect(self.open_wished)
        self.list.delete_wished.connect(self._on_delete)
        self.list.rows.rename_wished.connect(self.rename_wished)
        self.undo_bar.undo_wished.connect(self._on_undo)

    def set_theme(self, theme: Theme) -> None:
        """Repaint in other colours and sizes."""
        self.setFixedWidth(theme.px(WIDTH))
        self.new.set_theme(theme, color=theme.text)
        self.list.set_theme(theme)
        self.settings.setIcon(icon("settings", theme, color=theme.muted))
        self._search_icon.setIcon(icon("search", theme, color=theme.muted))

    def show_conversations(self, conversations: tuple[Conversation, ...]) -> None:
        """Take the list as it is now."""
        self.list.show_conversations(conversations)
        self._show_nothing()

    def show_open(self, conversation_id: ConversationId) -> None:
        """Mark the conversation that is on the page."""
        self.list.show_open(conversation_id)

    def _show_nothing(self) -> None:
        empty = self.list.rows.rowCount() == 0
        searching = bool(self.search.text().strip())
        self.nothing.setText("Nothing found." if searching else "Conversations appear here.")
        self.nothing.setVisible(empty)

    def _on_search(self, needle: str) -> None:
        self.list.rows.filter(needle)
        self._show_nothing()

    def _on_search_entered(self) -> None:
        first = self.list.rows.conversation_at(self.list.rows.first())
        if first:
            self.open_wished.emit(first.id)

    def _on_delete(self, conversation_id: str) -> None:
        self._deleted = conversation_id
        self.undo_bar.offer("Deleted")
        self.delete_wished.emit(conversation_id)

    def _on_undo(self) -> None:
        if self._deleted is not None:
            self.restore_wished.emit(self._deleted)
