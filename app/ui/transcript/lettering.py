"""One line of our own words in a box, on a whole pixel.

`QPainter.drawText` centres in halves of pixels and rounds them by their sign, so that a line that
is scrolled past the window's edge would be painted one pixel away from where it was.
"""

from enum import Enum

from PySide6.QtCore import QPointF, QRect, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter

from app.ui.transcript.look import Voice

ELIDE_END = Qt.TextElideMode.ElideRight


class Side(Enum):
    """Where in its box a line stands."""

    LEFT = 0.0
    CENTRE = 0.5
    RIGHT = 1.0


def width_of(voice: Voice, words: str) -> int:
    """Say how wide a line is."""
    return round(QFontMetricsF(voice.font).horizontalAdvance(words))


def draw_line(
    painter: QPainter,
    voice: Voice,
    box: QRect,
    words: str,
    *,
    colour: QColor | None = None,
    side: Side = Side.LEFT,
    elide: Qt.TextElideMode = ELIDE_END,
) -> None:
    """Paint words in the middle of a box's height, shortened if they must be."""
    metrics = QFontMetricsF(voice.font)
    shown = metrics.elidedText(words, elide, box.width() + 1)
    free = max(0.0, box.width() - metrics.horizontalAdvance(shown))
    painter.setFont(voice.font)
    painter.setPen(QColor(voice.colour) if colour is None else colour)
    baseline = box.top() + (box.height() - voice.line) // 2 + voice.baseline
    painter.drawText(QPointF(box.left() + round(free * side.value), baseline), shown)
