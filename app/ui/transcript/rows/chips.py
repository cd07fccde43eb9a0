"""Rounded grounds behind inline code and behind what stands for a picture."""

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QPainter

from app.ui.transcript import units
from app.ui.transcript.look import Look
from app.ui.transcript.paper import Paper
from app.ui.transcript.runs import Run, Style


def paint_chips(painter: QPainter, look: Look, grounds: list[QRectF], at: QPointF) -> None:
    """Paint grounds that were found on a paper which stands at a point."""
    if not grounds:
        return
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(look.colour("hover"))
    for ground in grounds:
        painter.drawRoundedRect(ground.translated(at), 4, 4)
    painter.restore()


def grounds_of(paper: Paper, runs: list[Run], start: int = 0) -> list[QRectF]:
    """Find the grounds of the runs that stand on a paper from a place on."""
    found: list[QRectF] = []
    for run in runs:
        end = start + units.length(run.text)
        if run.style & (Style.CODE | Style.CHIP):
            found += _grounds(paper, start, end)
        start = end
    return found


def _grounds(paper: Paper, start: int, end: int) -> list[QRectF]:
    block = paper.findBlock(start)
    layout, first = block.layout(), block.position()
    if not layout.lineCount():
        return []
    found = []
    origin = paper.documentLayout().blockBoundingRect(block).topLeft()
    number = layout.lineForTextPosition(start - first).lineNumber()
    while number < layout.lineCount():
        line = layout.lineAt(number)
        left = max(start - first, line.textStart())
        right = min(end - first, line.textStart() + line.textLength())
        if left >= right:
            break
        edges = sorted(_x(line.cursorToX(one)) for one in (left, right))
        top = line.y() - 0.5
        ground = QRectF(edges[0] - 2, top, edges[1] - edges[0] + 4, line.height() + 1)
        found.append(ground.translated(origin))
        number += 1
    return found


def _x(found: object) -> float:
    # PySide declares cursorToX to give a number; it gives the position back as well.
    return float(found[0]) if isinstance(found, tuple) else float(found)  # type: ignore[arg-type]
