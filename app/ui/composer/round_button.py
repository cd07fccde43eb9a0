"""The round button: Send, and Stop in its place while a turn runs.

A press that was meant for the other face must do nothing. The second press of a double-click is
not a press, and for a moment after Stop has become Send nothing is sent: a Stop that came late
would send the draft.
"""

from enum import Enum
from typing import Final

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QAbstractButton, QWidget

from app.core.ports import Clock
from app.ui.icons import pixmap
from app.ui.theme import Theme

LATE_STOP_S: Final = 0.4
_RING = 3  # room for the focus ring
_ICON = 18


class Face(Enum):
    """What the button is now."""

    SEND = "Send"
    STOP = "Stop"


class RoundButton(QAbstractButton):
    """Shows a face; tells which was pressed."""

    send_pressed = Signal()
    stop_pressed = Signal()

    def __init__(self, *, clock: Clock, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._clock = clock
        self._theme = theme
        self._face = Face.SEND
        self._send_since = float("-inf")
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self._name()
        self.clicked.connect(self._on_clicked)

    @property
    def face(self) -> Face:
        """Which button it is now."""
        return self._face

    def show_face(self, face: Face, *, enabled: bool) -> None:
        """Become Send or Stop."""
        if face is not self._face:
            if face is Face.SEND:
                self._send_since = self._clock.monotonic()
            self._face = face
            self.setDown(False)
            self._name()
        self.setEnabled(enabled)
        self.update()

    def set_theme(self, theme: Theme) -> None:
        """Repaint in other colours."""
        self._theme = theme
        self.setFixedSize(self.sizeHint())
        self.update()

    def sizeHint(self) -> QSize:
        """A circle, and room for its ring."""
        side = self._theme.px(34) + 2 * _RING
        return QSize(side, side)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """Ignore the second press of a double-click."""
        event.accept()

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw the disc, its sign, and the ring when it has the focus."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        disc = QRectF(self.rect()).adjusted(_RING, _RING, -_RING, -_RING)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(self._disc_color()))
        painter.drawEllipse(disc)
        size = self._theme.px(_ICON)
        sign = pixmap(self._face.name.lower(), self._sign_color(), size)
        corner = disc.center()
        painter.drawPixmap(int(corner.x() - size / 2), int(corner.y() - size / 2), sign)
        if self.hasFocus():
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(QColor(self._theme.accent), 2))
            painter.drawEllipse(QRectF(self.rect()).adjusted(1, 1, -1, -1))

    def _disc_color(self) -> str:
        if not self.isEnabled():
            return self._theme.selected
        return self._theme.link if self.underMouse() or self.isDown() else self._theme.accent

    def _sign_color(self) -> str:
        return self._theme.on_accent if self.isEnabled() else self._theme.muted

    def _name(self) -> None:
        self.setAccessibleName(self._face.value)
        self.setToolTip("Stop · Esc" if self._face is Face.STOP else "Send · Enter")

    def _on_clicked(self) -> None:
        if self._face is Face.STOP:
            self.stop_pressed.emit()
        elif self._clock.monotonic() - self._send_since >= LATE_STOP_S:
            self.send_pressed.emit()
