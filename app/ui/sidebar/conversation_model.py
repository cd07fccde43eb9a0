"""The list of conversations as rows: headings and conversations, filtered by title."""

from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import (
    QAbstractListModel,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    Qt,
    Signal,
)

from app.core.ids import ConversationId
from app.core.messages import Conversation, Mark
from app.core.ports import Clock
from app.ui.sidebar.days import Day, grouped

Index = QModelIndex | QPersistentModelIndex
Row = Day | Conversation

UNTITLED = "New conversation"


@dataclass(frozen=True, slots=True)
class Rename:
    """The person gave a conversation another title."""

    id: ConversationId
    title: str


class ConversationModel(QAbstractListModel):
    """Rows for the view; a rename is a wish, the list changes when it is told so."""

    rename_wished = Signal(object)  # a Rename

    def __init__(self, *, clock: Clock, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._clock = clock
        self._all: tuple[Conversation, ...] = ()
        self._needle = ""
        self._rows: list[Row] = []

    def show(self, conversations: tuple[Conversation, ...]) -> None:
        """Take the list as it is now."""
        self._all = conversations
        self._arrange()

    def filter(self, needle: str) -> None:
        """Show only titles with this in them, in any case."""
        self._needle = needle.strip().casefold()
        self._arrange()

    @property
    def has_conversations(self) -> bool:
        """Say whether there is anything to list at all."""
        return bool(self._all)

    def row_at(self, index: Index) -> Row | None:
        """Give what a row shows."""
        return self._rows[index.row()] if index.isValid() else None

    def conversation_at(self, index: Index) -> Conversation | None:
        """Give the conversation of a row; None for a heading."""
        row = self.row_at(index)
        return row if isinstance(row, Conversation) else None

    def index_of(self, conversation_id: ConversationId | None) -> QModelIndex:
        """Find a conversation's row; invalid if it is not listed."""
        for number, row in enumerate(self._rows):
            if isinstance(row, Conversation) and row.id == conversation_id:
                return self.index(number)
        return QModelIndex()

    def title_of(self, conversation_id: ConversationId) -> str | None:
        """Give a conversation's title, listed or filtered out."""
        return next((c.title for c in self._all if c.id == conversation_id), None)

    def first(self) -> QModelIndex:
        """Give the topmost conversation; invalid if there is none."""
        for number, row in enumerate(self._rows):
            if isinstance(row, Conversation):
                return self.index(number)
        return QModelIndex()

    def _arrange(self) -> None:
        found = [c for c in self._all if self._needle in c.title.casefold()]
        rows: list[Row] = []
        for day, members in grouped(found, self._clock.now()):
            rows += [day, *members]
        if [_key(row) for row in rows] == [_key(row) for row in self._rows]:
            self._repaint(rows)
            return
        self.beginResetModel()
        self._rows = rows
        self.endResetModel()

    def _repaint(self, rows: list[Row]) -> None:
        """Take new titles and marks in the same places."""
        before, self._rows = self._rows, rows
        for number, row in enumerate(rows):
            if row != before[number]:
                self.dataChanged.emit(self.index(number), self.index(number))

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's own default
        """Count the rows."""
        return 0 if parent.isValid() else len(self._rows)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Give a row's words, for the eye and for the screen reader."""
        row = self.row_at(index)
        if row is None:
            return None
        if isinstance(row, Day):
            return row.value if role in _WORDS else None
        return _conversation_data(row, role)

    def flags(self, index: Index) -> Qt.ItemFlag:
        """Headings can be read, not chosen."""
        if self.conversation_at(index) is None:
            return Qt.ItemFlag.NoItemFlags
        flag = Qt.ItemFlag
        return flag.ItemIsEnabled | flag.ItemIsSelectable | flag.ItemIsEditable

    def setData(self, index: Index, value: Any, role: int = Qt.ItemDataRole.EditRole) -> bool:
        """Pass a rename on; an empty or unchanged title is none."""
        conversation = self.conversation_at(index)
        title = " ".join(str(value).split())
        if conversation is None or role != Qt.ItemDataRole.EditRole:
            return False
        if title and title != conversation.title:
            self.rename_wished.emit(Rename(conversation.id, title))
        return True


def _key(row: Row) -> str:
    return row.value if isinstance(row, Day) else row.id


_WORDS = (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole)


def _conversation_data(conversation: Conversation, role: int) -> str | None:
    title = conversation.title or UNTITLED
    match role:
        case Qt.ItemDataRole.DisplayRole | Qt.ItemDataRole.EditRole:
            return title
        case Qt.ItemDataRole.ToolTipRole:
            return f"{title} · {conversation.mark.value}" if conversation.mark else title
        case Qt.ItemDataRole.AccessibleTextRole:
            return (
                title if conversation.mark is Mark.NONE else f"{title}, {conversation.mark.value}"
            )
        case _:
            return None
