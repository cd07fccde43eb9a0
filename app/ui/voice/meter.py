"""The level meter: bars that follow the voice, beside the microphone."""

from collections import deque

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from app.ui.theme import Theme

_BARS = 8
_QUIETEST_DBFS = -60.0


class LevelMeter(QWidget):
    """Shows the last levels, newest at the right; says nothing to a screen reader."""

    def __init__(self, *, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._levels: deque[float] = deque([0.0] * _BARS, maxlen=_BARS)
        self._color = QColor(theme.accent)
        self.setFixedSize(self.sizeHint())
        self.hide()

    def sizeHint(self) -> QSize:
        """As wide as its bars."""
        return QSize(_BARS * 4 - 1, 20)

    def set_theme(self, theme: Theme) -> None:
        """Repaint in another colour."""
        self._color = QColor(theme.accent)
        self.update()

    def add(self, dbfs: float) -> None:
        """Show another level."""
        self._levels.append(max(0.0, min(1.0, 1 - dbfs / _QUIETEST_DBFS)))
        self.update()

    def clear(self) -> None:
        """Fall flat."""
        self._levels.extend([0.0] * _BARS)
        self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw the bars, round and centred."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(self._color)
        for index, level in enumerate(self._levels):
            height = 3 + level * (self.height() - 3)
            top = (self.height() - height) / 2
            painter.drawRoundedRect(QRectF(index * 4, top, 3, height), 1.5, 1.5)
