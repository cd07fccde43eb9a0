"""The models in the order they are asked: add, remove with Undo, move by button or Alt+↑/↓."""

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import (
    QHBoxLayout,
    QListWidget,
    QListWidgetItem,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from app.core.settings import Endpoint
from app.ui.buttons import push_button
from app.ui.model_names import model_name, server_name
from app.ui.settings.model_words import rank
from app.ui.undo_bar import UndoBar

Endpoints = tuple[Endpoint, ...]
_ROWS = 4


class _Rows(QListWidget):
    """The list; Alt with an arrow moves a row, Delete removes it."""

    move_wished = Signal(int)
    remove_wished = Signal()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Take the keys that change the list."""
        alt = event.modifiers() & Qt.KeyboardModifier.AltModifier
        match event.key():
            case Qt.Key.Key_Up if alt:
                self.move_wished.emit(-1)
            case Qt.Key.Key_Down if alt:
                self.move_wished.emit(1)
            case Qt.Key.Key_Delete:
                self.remove_wished.emit()
            case _:
                super().keyPressEvent(event)


class EndpointList(QWidget):
    """Shows endpoints; says what the order should be, and which one is chosen."""

    changed = Signal(object)  # the endpoints in their new order
    chosen = Signal(int)  # the row to show, or -1

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._endpoints: Endpoints = ()
        self._before: Endpoints = ()
        self.rows = _Rows()
        self.rows.setObjectName("models")
        self.rows.setAccessibleName("Models, in the order they are asked")
        self.add = push_button("Add…", primary=True)
        self.up = push_button("Move up")
        self.down = push_button("Move down")
        self.remove = push_button("Remove")
        self.undo_bar = UndoBar()
        self._lay_out()
        self._connect()
        self.show_endpoints(())

    def _lay_out(self) -> None:
        buttons = QHBoxLayout()
        buttons.setSpacing(6)
        for button in (self.add, self.up, self.down, self.remove):
            buttons.addWidget(button)
        buttons.addStretch(1)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(8)
        column.addWidget(self.rows)
        column.addLayout(buttons)
        column.addWidget(self.undo_bar)

    def _connect(self) -> None:
        self.rows.currentRowChanged.connect(self._on_row)
        self.rows.move_wished.connect(self._move)
        self.rows.remove_wished.connect(self._remove)
        self.up.clicked.connect(self._on_up)
        self.down.clicked.connect(self._on_down)
        self.remove.clicked.connect(self._remove)
        self.undo_bar.undo_wished.connect(self._on_undo)

    @property
    def row(self) -> int:
        """The row that is chosen, or -1."""
        return self.rows.currentRow() if self._endpoints else -1

    def show_endpoints(self, endpoints: Endpoints, *, row: int | None = None) -> None:
        """Show these, keeping the choice where it was."""
        wanted = self.rows.currentRow() if row is None else row
        self._endpoints = endpoints
        with QSignalBlocker(self.rows):  # rebuilding is no choice of the person's
            self.rows.clear()
            for index, endpoint in enumerate(endpoints):
                self.rows.addItem(_item(index, endpoint))
            self.rows.setCurrentRow(min(max(wanted, 0), len(endpoints) - 1))
        self.rows.setVisible(bool(endpoints))
        height = self.rows.sizeHintForRow(0) if endpoints else 0
        self.rows.setFixedHeight(height * min(_ROWS, max(1, len(endpoints))) + 10)
        self._show_buttons()

    def _show_buttons(self) -> None:
        several = len(self._endpoints) > 1
        for button, is_possible in (
            (self.up, self.row > 0),
            (self.down, 0 <= self.row < len(self._endpoints) - 1),
        ):
            button.setVisible(several)
            _enable(button, is_possible)
        self.remove.setVisible(bool(self._endpoints))

    def _on_row(self, row: int) -> None:
        self._show_buttons()
        self.chosen.emit(row)

    def _on_up(self) -> None:
        self._move(-1)

    def _on_down(self) -> None:
        self._move(1)

    def _move(self, by: int) -> None:
        at, to = self.row, self.row + by
        if at < 0 or not 0 <= to < len(self._endpoints):
            return
        moved = list(self._endpoints)
        moved.insert(to, moved.pop(at))
        self.show_endpoints(tuple(moved), row=to)
        self.changed.emit(self._endpoints)

    def _remove(self) -> None:
        if self.row < 0:
            return
        self._before = self._endpoints
        gone = self._endpoints[self.row]
        rest = tuple(each for index, each in enumerate(self._endpoints) if index != self.row)
        self.show_endpoints(rest)
        self.undo_bar.offer(f"Removed {model_name(gone)}")
        self.changed.emit(rest)
        self.chosen.emit(self.row)

    def _on_undo(self) -> None:
        self.show_endpoints(self._before)
        self.changed.emit(self._before)
        self.chosen.emit(self.row)


def _enable(button: QPushButton, is_possible: bool) -> None:
    following = button.nextInFocusChain()
    if button.hasFocus() and not is_possible and following is not None:
        following.setFocus()
    button.setEnabled(is_possible)


def _item(index: int, endpoint: Endpoint) -> QListWidgetItem:
    item = QListWidgetItem(
        f"{index + 1}.  {model_name(endpoint)} · {server_name(endpoint)} · {rank(index)}"
    )
    item.setToolTip(endpoint.base_url)
    return item
