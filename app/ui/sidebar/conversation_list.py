"""The list of conversations: open with a click or Enter, rename with F2, delete with Delete."""

from PySide6.QtCore import QModelIndex, QPoint, Qt, Signal
from PySide6.QtGui import QContextMenuEvent, QFocusEvent, QKeyEvent
from PySide6.QtWidgets import QAbstractItemDelegate, QAbstractItemView, QListView, QMenu, QWidget

from app.core.ids import ConversationId
from app.core.messages import Conversation
from app.core.ports import Clock
from app.ui.sidebar.conversation_model import ConversationModel
from app.ui.sidebar.row_painter import RowPainter
from app.ui.theme import Theme


class ConversationList(QListView):
    """Shows the rows; says which conversation the person wants opened or gone."""

    open_wished = Signal(str)
    delete_wished = Signal(str)
    rename_ended = Signal()

    def __init__(self, *, clock: Clock, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName("Conversations")
        self.rows = ConversationModel(clock=clock, parent=self)
        self._painter = RowPainter(theme, self)
        self._scrolled_to = 0
        self._news: tuple[Conversation, ...] | None = None
        self.setModel(self.rows)
        self.setItemDelegate(self._painter)
        self.setMouseTracking(True)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setEditTriggers(QAbstractItemView.EditTrigger.EditKeyPressed)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.clicked.connect(self._on_clicked)
        self.rows.modelAboutToBeReset.connect(self._on_resetting)
        self.rows.modelReset.connect(self._on_reset)

    @property
    def is_renaming(self) -> bool:
        """Say whether a title is being edited."""
        return self.state() == QAbstractItemView.State.EditingState

    def set_theme(self, theme: Theme) -> None:
        """Repaint in other colours and sizes."""
        self._painter.theme = theme
        self.scheduleDelayedItemsLayout()  # which paints it all anew

    def show_conversations(self, conversations: tuple[Conversation, ...]) -> None:
        """Take the list as it is now; an open rename is not disturbed by it."""
        if self.is_renaming:
            self._news = conversations
        else:
            self.rows.show(conversations)

    def show_open(self, conversation_id: ConversationId) -> None:
        """Mark the conversation that is on the page."""
        self._painter.open_id = conversation_id
        self.setCurrentIndex(self.rows.index_of(conversation_id))
        self.viewport().update()

    def rename(self, conversation_id: ConversationId) -> None:
        """Let the person edit a title in place."""
        index = self.rows.index_of(conversation_id)
        if index.isValid():
            self.setCurrentIndex(index)
            self.scrollTo(index)
            self.edit(index)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Take Enter and Delete; arrows and letters are Qt's."""
        if self.is_renaming:
            return  # what the title's editor leaves is not meant for the list
        conversation = self.rows.conversation_at(self.currentIndex())
        if conversation and event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.open_wished.emit(conversation.id)
        elif conversation and event.key() in (Qt.Key.Key_Delete, Qt.Key.Key_Backspace):
            self.delete_wished.emit(conversation.id)
        else:
            super().keyPressEvent(event)

    def closeEditor(self, editor: QWidget, hint: QAbstractItemDelegate.EndEditHint) -> None:
        """End a rename, then catch up with the news."""
        super().closeEditor(editor, hint)
        news, self._news = self._news, None
        if news is not None:
            self.rows.show(news)
        self.rename_ended.emit()

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Begin at the open conversation, or at the top."""
        super().focusInEvent(event)
        if not self.currentIndex().isValid():
            self.setCurrentIndex(self.rows.first())

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """Offer what can be done with a conversation."""
        by_key = event.reason() == QContextMenuEvent.Reason.Keyboard
        index = self.currentIndex() if by_key else self.indexAt(event.pos())
        if self.rows.conversation_at(index):
            where = self.visualRect(index).center() if by_key else event.pos()
            self._offer(index, self.viewport().mapToGlobal(where))

    def _offer(self, index: QModelIndex, where: QPoint) -> None:
        conversation = self.rows.conversation_at(index)
        if conversation is None:
            return
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.addAction("Open").triggered.connect(lambda: self.open_wished.emit(conversation.id))
        menu.addAction("Rename").triggered.connect(lambda: self.rename(conversation.id))
        menu.addSeparator()
        menu.addAction("Delete").triggered.connect(lambda: self.delete_wished.emit(conversation.id))
        menu.popup(where)

    def _on_clicked(self, index: QModelIndex) -> None:
        conversation = self.rows.conversation_at(index)
        if conversation:
            self.open_wished.emit(conversation.id)

    def _on_resetting(self) -> None:
        self._scrolled_to = self.verticalScrollBar().value()

    def _on_reset(self) -> None:
        """Stay where the person has scrolled to; news of the list is no reason to jump."""
        self.setAutoScroll(False)
        self.setCurrentIndex(self.rows.index_of(self._painter.open_id))
        self.setAutoScroll(True)
        self.executeDelayedItemsLayout()
        self.verticalScrollBar().setValue(self._scrolled_to)
