"""Content wider than the column: how far it is moved sideways, and the bar that shows it."""

from dataclasses import dataclass

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QPainter

from app.ui.transcript.look import Look

BAR = 6


@dataclass(slots=True)
class Shelf:
    """Shared by the rows that a long code block or table is cut into."""

    content: int = 0
    window: int = 0
    offset: int = 0

    @property
    def limit(self) -> int:
        """How far it can be moved."""
        return max(0, self.content - self.window)

    def widen(self, content: int) -> None:
        """Make room for content of this width."""
        self.content = max(self.content, content)

    def fit(self, window: int) -> None:
        """Take the width that is seen."""
        self.window = window
        self.offset = min(self.offset, self.limit)

    def move(self, distance: int) -> bool:
        """Move sideways; say whether anything moved."""
        before = self.offset
        self.offset = min(max(0, self.offset + distance), self.limit)
        return self.offset != before

    def handle(self, track: QRectF) -> QRectF:
        """Say where the bar's handle is on its track."""
        share = self.window / max(1, self.content)
        width = max(24.0, track.width() * share)
        room = track.width() - width
        left = track.left() + room * self.offset / max(1, self.limit)
        return QRectF(left, track.top(), width, track.height())

    def drag(self, track: QRectF, distance: float) -> bool:
        """Move as far as dragging the handle by this much means."""
        room = track.width() - self.handle(track).width()
        return room > 0 and self.move(round(distance * self.limit / room))

    def paint(self, painter: QPainter, look: Look, track: QRectF) -> None:
        """Paint the bar, if there is something to be seen beyond the edge."""
        if not self.limit:
            return
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(look.colour("handle"))
        painter.drawRoundedRect(self.handle(track), track.height() / 2, track.height() / 2)
        painter.restore()
