"""What floats over the transcript: the way back to the latest words, and where a link leads."""

from PySide6.QtCore import QEvent, QRect, QRectF, Qt
from PySide6.QtGui import QEnterEvent, QFontMetricsF, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QLabel, QToolButton, QWidget

from app.ui.transcript.links import shown_target
from app.ui.transcript.look import Look, Tone


class JumpButton(QToolButton):
    """A pill: "↓ Jump to latest"."""

    def __init__(self, parent: QWidget, look: Look) -> None:
        super().__init__(parent)
        self._look = look
        self.setText("↓  Jump to latest")
        self.setAccessibleName("Jump to latest")
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.hide()

    def set_look(self, look: Look) -> None:
        """Take another look."""
        self._look = look
        self.update()

    def stand_in(self, window: QRect) -> None:
        """Stand above the lower edge, in the middle."""
        metrics = QFontMetricsF(self._look.voice(Tone.CAPTION).font)
        width = round(metrics.horizontalAdvance(self.text())) + self._look.px(36)
        height = self._look.px(32)
        left = window.left() + (window.width() - width) // 2
        self.setGeometry(left, window.bottom() - height - 12, width, height)

    def enterEvent(self, event: QEnterEvent) -> None:
        """Show the tint."""
        super().enterEvent(event)
        self.update()

    def leaveEvent(self, event: QEvent) -> None:
        """Take the tint away."""
        super().leaveEvent(event)
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: ARG002
        """Paint the pill; a radius past half the height would go square in a style sheet."""
        look = self._look
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        inset = 1.0 if self.hasFocus() else 0.5
        frame = QRectF(self.rect()).adjusted(inset, inset, -inset, -inset)
        ring = QPen(look.colour("accent"), 2) if self.hasFocus() else QPen(look.colour("border"), 1)
        painter.setPen(ring)
        painter.setBrush(look.colour("hover" if self.underMouse() else "raised"))
        painter.drawRoundedRect(frame, frame.height() / 2, frame.height() / 2)
        painter.setFont(look.voice(Tone.CAPTION).font)
        painter.setPen(look.colour("text"))
        painter.drawText(self.rect(), Qt.AlignmentFlag.AlignCenter, self.text())
        painter.end()


class LinkHint(QLabel):
    """Where the link under the pointer really leads, in a corner."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.hide()

    def show_target(self, address: str, look: Look, window: QRect) -> None:
        """Show an address, or nothing."""
        self.setVisible(bool(address))
        if not address:
            return
        theme = look.theme
        self.setStyleSheet(
            f"background: {theme.raised}; color: {theme.text}; border: 1px solid {theme.border};"
            "border-radius: 6px; padding: 4px 8px;"
        )
        self.setFont(look.voice(Tone.CAPTION).font)
        metrics = QFontMetricsF(self.font())
        room = window.width() - 60
        words = shown_target(address)
        self.setText(metrics.elidedText(words, Qt.TextElideMode.ElideRight, room))
        self.adjustSize()
        self.move(window.left() + 8, window.bottom() - self.height() - 8)
        self.raise_()
