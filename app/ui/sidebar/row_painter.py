"""Paints the rows of the conversation list: headings, titles, marks."""

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFont, QPainter, QPen
from PySide6.QtWidgets import QLineEdit, QStyle, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from app.core.ids import ConversationId
from app.core.messages import Conversation, Mark
from app.ui.sidebar.conversation_model import ConversationModel, Index
from app.ui.sidebar.days import Day
from app.ui.style import font
from app.ui.theme import Theme

_MARGIN = 8  # beside the row
_PADDING = 13  # inside it
_MARK = 4  # radius


class RowPainter(QStyledItemDelegate):
    """Draws from the theme, so that the list looks the same under every style."""

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self.theme = theme
        self.open_id: ConversationId | None = None

    def sizeHint(self, _option: QStyleOptionViewItem, index: Index) -> QSize:
        """Headings stand off from what is above them."""
        if isinstance(_row(index), Day):
            return QSize(0, self.theme.px(30 if index.row() == 0 else 46))
        return QSize(0, self.theme.px(33))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        """Draw one row."""
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setLayoutDirection(Qt.LayoutDirection.LayoutDirectionAuto)  # the title's own
        row = _row(index)
        if isinstance(row, Day):
            self._heading(painter, option, row)
        elif row is not None:
            self._conversation(painter, option, row)
        painter.restore()

    def _heading(self, painter: QPainter, option: QStyleOptionViewItem, day: Day) -> None:
        painter.setFont(font(self.theme.px(12), weight=QFont.Weight.DemiBold))
        painter.setPen(QColor(self.theme.muted))
        inner = option.rect.adjusted(_MARGIN + _PADDING, 0, -_MARGIN - _PADDING, -5)
        side = _near(option.direction)
        painter.drawText(inner, int(side | Qt.AlignmentFlag.AlignBottom), day.value)

    def _conversation(
        self, painter: QPainter, option: QStyleOptionViewItem, row: Conversation
    ) -> None:
        body = QRectF(option.rect.adjusted(_MARGIN, 1, -_MARGIN, -1))
        self._background(painter, body, option.state, is_open=row.id == self.open_id)
        inner = body.toRect().adjusted(_PADDING, 0, -_PADDING, 0)
        rtl = option.direction == Qt.LayoutDirection.RightToLeft
        if row.mark is not Mark.NONE:
            x = inner.left() + _MARK if rtl else inner.right() - _MARK
            self._mark(painter, QPointF(x, body.center().y()), row.mark)
            room = 4 * _MARK
            inner = inner.adjusted(room if rtl else 0, 0, 0 if rtl else -room, 0)
        painter.setFont(font(self.theme.px(14)))
        painter.setPen(QColor(self.theme.text))
        metrics = painter.fontMetrics()
        title = " ".join(row.title.split()) or "New conversation"
        shown = metrics.elidedText(title, Qt.TextElideMode.ElideRight, inner.width())
        side = _near(option.direction)
        painter.drawText(inner, int(side | Qt.AlignmentFlag.AlignVCenter), shown)

    def _background(
        self, painter: QPainter, body: QRectF, state: QStyle.StateFlag, *, is_open: bool
    ) -> None:
        flag = QStyle.StateFlag
        painter.setPen(Qt.PenStyle.NoPen)
        if is_open:
            painter.setBrush(QColor(self.theme.selected))
            painter.drawRoundedRect(body, 8, 8)
        elif state & flag.State_MouseOver:
            painter.setBrush(QColor(self.theme.hover))
            painter.drawRoundedRect(body, 8, 8)
        if state & flag.State_HasFocus:
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(QColor(self.theme.accent), 2))
            painter.drawRoundedRect(body.adjusted(1, 1, -1, -1), 7, 7)

    def _mark(self, painter: QPainter, center: QPointF, mark: Mark) -> None:
        color = QColor(self.theme.danger if mark is Mark.FAILED else self.theme.accent)
        painter.setPen(QPen(color, 1.5))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        match mark:
            case Mark.WORKING:  # an open ring: something is under way
                ring = QRectF(center.x() - _MARK, center.y() - _MARK, 2 * _MARK, 2 * _MARK)
                painter.drawArc(ring, 30 * 16, 280 * 16)
            case Mark.HELD:  # two bars
                painter.setPen(QPen(QColor(self.theme.muted), 2))
                for x in (-2.0, 2.0):
                    painter.drawLine(center + QPointF(x, -3.5), center + QPointF(x, 3.5))
            case Mark.FAILED | Mark.ANSWERED:
                painter.setPen(Qt.PenStyle.NoPen)
                painter.setBrush(color)
                painter.drawEllipse(center, _MARK, _MARK)
            case Mark.NONE:
                pass

    def createEditor(self, parent: QWidget, _option: object, _index: Index) -> QWidget:
        """Rename in place."""
        editor = QLineEdit(parent)
        editor.setAccessibleName("Title")
        editor.setMaxLength(200)
        return editor

    def updateEditorGeometry(
        self, editor: QWidget, option: QStyleOptionViewItem, _index: Index
    ) -> None:
        """Cover the row."""
        editor.setGeometry(option.rect.adjusted(_MARGIN - 1, -1, 1 - _MARGIN, 1))


def _near(direction: Qt.LayoutDirection) -> Qt.AlignmentFlag:
    """Name the side where reading begins, whatever direction the words have."""
    rtl = direction == Qt.LayoutDirection.RightToLeft
    flag = Qt.AlignmentFlag
    return (flag.AlignRight if rtl else flag.AlignLeft) | flag.AlignAbsolute


def _row(index: Index) -> Day | Conversation | None:
    model = index.model()
    assert isinstance(model, ConversationModel)
    return model.row_at(index)
