"""The composer's outline: a rounded panel, ringed when the keyboard brought the focus here."""

from PySide6.QtCore import QRectF
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QWidget

from app.ui.theme import Theme

_RADIUS = 16


class ComposerFrame(QWidget):
    """Paints itself: a style sheet's radius is not smooth enough at this size."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._is_ringed = False

    def set_theme(self, theme: Theme) -> None:
        """Repaint in other colours."""
        self._theme = theme
        self.update()

    def set_ringed(self, ringed: bool) -> None:
        """Show or hide the focus ring."""
        if ringed != self._is_ringed:
            self._is_ringed = ringed
            self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw the panel and its edge."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        width = 2.0 if self._is_ringed else 1.0
        color = self._theme.accent if self._is_ringed else self._theme.border
        inset = width / 2
        edge = QRectF(self.rect()).adjusted(inset, inset, -inset, -inset)
        painter.setPen(QPen(QColor(color), width))
        painter.setBrush(QColor(self._theme.panel))
        painter.drawRoundedRect(edge, _RADIUS, _RADIUS)
