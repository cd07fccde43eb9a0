"""The list behind the model chip: found by typing, chosen with Enter or a click.

A popup, not a dialog: Esc or a click elsewhere closes it and changes nothing.
"""

from PySide6.QtCore import (
    QEvent,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QRect,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import QFont, QFontMetrics, QKeyEvent, QPainter
from PySide6.QtWidgets import (
    QFrame,
    QLineEdit,
    QListWidget,
    QListWidgetItem,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QVBoxLayout,
    QWidget,
)

from app.ui.buttons import text_button
from app.ui.composer.model_rows import ModelRow

_WIDTH, _ROWS = 460, 7
_INSET, _GAP = 12, 2
_ROW = Qt.ItemDataRole.UserRole
_LIST_KEYS = (Qt.Key.Key_Up, Qt.Key.Key_Down, Qt.Key.Key_PageUp, Qt.Key.Key_PageDown)
Index = QModelIndex | QPersistentModelIndex


class ModelPicker(QFrame):
    """Shows rows; says which was picked."""

    picked = Signal(object)  # an Endpoint
    setup_wished = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent, Qt.WindowType.Popup)
        self.setObjectName("picker")
        self._rows: tuple[ModelRow, ...] = ()
        self.search = QLineEdit()
        self.search.setPlaceholderText("Search models")
        self.search.setAccessibleName("Search models")
        self.list = QListWidget()
        self.list.setObjectName("picks")
        self.list.setAccessibleName("Models")
        self.list.setItemDelegate(_TwoLines(self.list))
        self.list.setFocusPolicy(Qt.FocusPolicy.NoFocus)  # the keys come from the search
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setup = text_button("Set up models…")
        self._lay_out()
        self.search.installEventFilter(self)
        self.search.textChanged.connect(self._show_rows)
        self.list.itemClicked.connect(self._on_item)
        self.setup.clicked.connect(self._on_setup)

    def _lay_out(self) -> None:
        column = QVBoxLayout(self)
        column.setContentsMargins(8, 8, 8, 8)
        column.setSpacing(6)
        for widget in (self.search, self.list, self.setup):
            column.addWidget(widget)
        self.setFixedWidth(_WIDTH)

    def offer(self, rows: tuple[ModelRow, ...]) -> None:
        """Show these, keeping what was typed and pointed at."""
        self._rows = rows
        self._show_rows()

    def open_above(self, button: QWidget) -> None:
        """Open over a button, with an empty search."""
        self.search.clear()
        self.adjustSize()
        corner = button.mapToGlobal(button.rect().topLeft())
        self.move(corner.x(), max(0, corner.y() - self.height() - 6))
        self.show()
        self.search.setFocus()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Let the arrows and Enter work on the list while the person types."""
        if watched is self.search and isinstance(event, QKeyEvent):
            if event.type() == QEvent.Type.KeyPress and event.key() in _LIST_KEYS:
                self.list.keyPressEvent(event)
                return True
            is_enter = event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter)
            if event.type() == QEvent.Type.KeyPress and is_enter:
                self._on_item(self.list.currentItem())
                return True
        return super().eventFilter(watched, event)

    def _show_rows(self) -> None:
        pointed: QListWidgetItem | None = self.list.currentItem()
        before = pointed.data(_ROW).endpoint if pointed else None
        self.list.clear()
        shown = [row for row in self._rows if row.matches(self.search.text())]
        for index, row in enumerate(shown):
            self.list.addItem(_item(row))
            is_kept = row.endpoint == before if before is not None else row.is_current
            if index == 0 or is_kept:
                self.list.setCurrentRow(index)
        height = self.list.sizeHintForRow(0) if shown else 0
        self.list.setFixedHeight(height * min(len(shown), _ROWS) + 4)
        self._keep_its_foot()

    def _keep_its_foot(self) -> None:
        """Grow and shrink upwards: the chip is below."""
        foot = self.geometry().bottom()
        self.adjustSize()
        if self.isVisible():
            self.move(self.x(), max(0, foot - self.height() + 1))

    def _on_item(self, item: QListWidgetItem | None) -> None:
        if item is not None:
            self.hide()
            self.picked.emit(item.data(_ROW).endpoint)

    def _on_setup(self) -> None:
        self.hide()
        self.setup_wished.emit()


def _item(row: ModelRow) -> QListWidgetItem:
    item = QListWidgetItem()
    item.setData(_ROW, row)
    said = f"{row.name}, {row.about}{', answers here' if row.is_current else ''}"
    item.setData(Qt.ItemDataRole.AccessibleTextRole, said)
    item.setToolTip(row.endpoint.base_url)
    return item


class _TwoLines(QStyledItemDelegate):
    """Draws a name, and beneath it, muted, what is said about it."""

    def sizeHint(self, option: QStyleOptionViewItem, _index: Index) -> QSize:
        """Ask for two lines."""
        return QSize(100, _height(option) + 14)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        """Draw the background as the style does, then both lines."""
        row: ModelRow = index.data(_ROW)
        self.initStyleOption(option, index)
        style, palette = option.widget.style(), option.palette
        style.drawPrimitive(
            QStyle.PrimitiveElement.PE_PanelItemViewItem, option, painter, option.widget
        )
        box = option.rect.adjusted(_INSET, 7, -_INSET, -7)
        lines = option.fontMetrics.height()
        painter.save()
        painter.setFont(option.font)
        painter.setPen(palette.text().color())
        name = f"✓ {row.name}" if row.is_current else row.name
        _line(painter, QRect(box.x(), box.y(), box.width(), lines), name)
        painter.setFont(_small(option))
        painter.setPen(palette.placeholderText().color())
        below = QRect(box.x(), box.y() + lines + _GAP, box.width(), lines)
        _line(painter, below, row.about)
        painter.restore()


def _line(painter: QPainter, rect: QRect, text: str) -> None:
    shown = painter.fontMetrics().elidedText(text, Qt.TextElideMode.ElideRight, rect.width())
    painter.drawText(rect, int(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter), shown)


def _small(option: QStyleOptionViewItem) -> QFont:
    font = option.font
    font.setPixelSize(max(9, round(font.pixelSize() * 0.87)))
    return font


def _height(option: QStyleOptionViewItem) -> int:
    return 2 * QFontMetrics(option.font).height() + _GAP
