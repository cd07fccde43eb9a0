"""The arrow that says whether something is unfolded."""

from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QPainter, QPen, QPolygonF

from app.ui.transcript.look import Look


def paint_chevron(painter: QPainter, look: Look, middle: QPointF, *, is_open: bool) -> None:
    """Paint the arrow that says whether something is unfolded."""
    reach = look.px(4)
    painter.setPen(QPen(look.colour("muted"), 1.5, c=Qt.PenCapStyle.RoundCap))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    shape = [(-1, -0.5), (0, 0.5), (1, -0.5)] if is_open else [(-0.5, -1), (0.5, 0), (-0.5, 1)]
    painter.drawPolyline(QPolygonF([middle + QPointF(x * reach, y * reach) for x, y in shape]))
