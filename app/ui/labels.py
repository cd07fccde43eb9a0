"""Labels that stay in their place: elided when long, never taken for rich text."""

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QLabel, QSizePolicy, QStyle, QStyleOption, QWidget


def plain(text: str = "", *, name: str = "", parent: QWidget | None = None) -> QLabel:
    """Make a label that shows exactly these characters."""
    label = QLabel(text, parent)
    label.setTextFormat(Qt.TextFormat.PlainText)
    label.setObjectName(name)
    return label


class ElidedLabel(QLabel):
    """One line that ends in … when there is no room; the whole text is its tooltip then."""

    def __init__(self, text: str = "", *, name: str = "", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName(name)
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self.setText(text)

    def setText(self, text: str) -> None:
        """Show a text on one line."""
        super().setText(" ".join(text.split()))
        self._update_tooltip()

    def minimumSizeHint(self) -> QSize:
        """Ask for the height alone."""
        return QSize(0, super().minimumSizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Offer the tooltip only while something is cut off."""
        super().resizeEvent(event)
        self._update_tooltip()

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw as much as there is room for."""
        option = QStyleOption()
        option.initFrom(self)
        painter = QPainter(self)
        style = self.style()
        style.drawPrimitive(QStyle.PrimitiveElement.PE_Widget, option, painter, self)
        side = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeading
        shown = self._elided()
        rect = self.contentsRect()
        painter.setPen(self.palette().color(self.foregroundRole()))
        painter.drawText(rect, int(style.visualAlignment(self.layoutDirection(), side)), shown)

    def _elided(self) -> str:
        metrics = self.fontMetrics()
        return metrics.elidedText(
            self.text(), Qt.TextElideMode.ElideRight, self.contentsRect().width()
        )

    def _update_tooltip(self) -> None:
        self.setToolTip(self.text() if self._elided() != self.text() else "")
