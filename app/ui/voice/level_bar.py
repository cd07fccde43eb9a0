"""How loud the microphone is, as a bar that a screen reader can read too."""

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QPalette
from PySide6.QtWidgets import QProgressBar

_HEIGHT = 8
QUIETEST_DB = 60


class LevelBar(QProgressBar):
    """Empty at silence, full when it can be no louder; drawn in the theme's accent."""

    def __init__(self) -> None:
        super().__init__()
        self.setRange(0, QUIETEST_DB)
        self.setTextVisible(False)
        self.setAccessibleName("Level")

    def sizeHint(self) -> QSize:
        """Wide enough to see a whisper, no taller than it need be."""
        return QSize(180, _HEIGHT)

    def show_level(self, dbfs: float) -> None:
        """Show how loud it is."""
        self.setValue(max(0, round(QUIETEST_DB + dbfs)))

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw a round track and how far it is filled."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        track = QRectF(0, (self.height() - _HEIGHT) / 2, self.width(), _HEIGHT)
        painter.setBrush(self.palette().color(QPalette.ColorRole.Mid))
        painter.drawRoundedRect(track, _HEIGHT / 2, _HEIGHT / 2)
        if self.value() > 0:
            track.setWidth(max(_HEIGHT, self.width() * self.value() / QUIETEST_DB))
            painter.setBrush(self.palette().color(QPalette.ColorRole.Accent))
            painter.drawRoundedRect(track, _HEIGHT / 2, _HEIGHT / 2)
