"""What stands beside a block: the bars of quotes, the markers of list items.

Pure geometry first, then the painting. Right-to-left blocks have it all mirrored.
"""

from dataclasses import dataclass
from unicodedata import bidirectional

from PySide6.QtCore import QPointF, QRect, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPen, QPolygonF

from app.ui.transcript.blocks import Block, Item, Quote
from app.ui.transcript.look import Look, Tone

_QUOTE = 16
_BULLET = 24
_NUMBER = 27
_DIGIT = 9


@dataclass(frozen=True, slots=True)
class Margins:
    """How far a block is indented and where its containers' marks stand."""

    indent: int
    bars: tuple[tuple[int, bool], ...]  # where, and whether it goes on from the row above
    markers: tuple[tuple[int, Item, int], ...]  # the right edge, the item, its depth
    is_mirrored: bool


def margins_of(block: Block, look: Look) -> Margins:
    """Work out what stands beside a block."""
    at = depth = 0
    bars: list[tuple[int, bool]] = []
    markers: list[tuple[int, Item, int]] = []
    for index, container in enumerate(block.containers):
        if isinstance(container, Quote):
            bars.append((at, index < block.opens))
            at += look.px(_QUOTE)
        else:
            at += look.px(_width(container))
            if index >= block.opens:
                markers.append((at, container, depth))
            depth += 1
    return Margins(at, tuple(bars), tuple(markers), is_right_to_left(block.text))


def _width(item: Item) -> int:
    if item.number is None:
        return _BULLET
    return _NUMBER + _DIGIT * max(0, len(str(item.number)) - 2)


def is_right_to_left(text: str) -> bool:
    """Say whether the first letter with a direction goes from right to left."""
    for char in text[:200]:
        direction = bidirectional(char)
        if direction in ("L", "R", "AL"):
            return direction != "L"
    return False


def inner(margins: Margins, area: QRect) -> QRect:
    """Take the margins off a row's area."""
    if margins.is_mirrored:
        return area.adjusted(0, 0, -margins.indent, 0)
    return area.adjusted(margins.indent, 0, 0, 0)


def paint_margins(
    painter: QPainter, look: Look, margins: Margins, area: QRect, *, gap: int, line: int
) -> None:
    """Paint bars and markers beside a row; `line` is the height of its first line."""
    for at, goes_on in margins.bars:
        top = area.top() - (gap if goes_on else 0)
        bar = QRect(_x(margins, area, at, 3), top, 3, area.bottom() + 1 - top)
        painter.fillRect(bar, look.colour("border"))
    for edge, item, depth in margins.markers:
        width = look.px(_width(item))
        box = QRectF(_x(margins, area, edge - width, width), area.top(), width, line)
        _paint_marker(painter, look, item, depth, box, is_mirrored=margins.is_mirrored)


def _x(margins: Margins, area: QRect, at: int, width: int) -> int:
    return area.right() + 1 - at - width if margins.is_mirrored else area.left() + at


def _paint_marker(
    painter: QPainter, look: Look, item: Item, depth: int, box: QRectF, *, is_mirrored: bool
) -> None:
    if item.task is not None:
        _paint_task(painter, look, box, is_done=item.task)
    elif item.number is not None:
        _paint_number(painter, look, item.number, box, is_mirrored=is_mirrored)
    else:
        _paint_bullet(painter, look, depth, box)


def _paint_number(
    painter: QPainter, look: Look, number: int, box: QRectF, *, is_mirrored: bool
) -> None:
    voice = look.voice(Tone.BODY)
    painter.setFont(voice.font)
    painter.setPen(look.colour("muted"))
    text = f"{number}."
    width = QFontMetricsF(voice.font).horizontalAdvance(text)
    x = box.left() + look.px(6) if is_mirrored else box.right() - look.px(6) - width
    painter.drawText(QPointF(x, box.top() + voice.baseline), text)


def _paint_bullet(painter: QPainter, look: Look, depth: int, box: QRectF) -> None:
    size = look.px(5)
    middle = QPointF(box.center().x() + look.px(1), box.center().y() + 0.5)
    dot = QRectF(middle.x() - size / 2, middle.y() - size / 2, size, size)
    colour = look.colour("muted")
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(QPen(colour, 1.2) if depth == 1 else Qt.PenStyle.NoPen)
    painter.setBrush(Qt.BrushStyle.NoBrush if depth == 1 else colour)
    if depth >= 2:
        painter.drawRect(dot.adjusted(0.5, 0.5, -0.5, -0.5))
    else:
        painter.drawEllipse(dot)
    painter.restore()


def _paint_task(painter: QPainter, look: Look, box: QRectF, *, is_done: bool) -> None:
    size = look.px(15)
    square = QRectF(0, 0, size, size)
    square.moveCenter(QPointF(box.center().x() - look.px(2), box.center().y() + 0.5))
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(QPen(look.colour("accent" if is_done else "muted"), 1.3))
    painter.setBrush(look.colour("accent") if is_done else Qt.BrushStyle.NoBrush)
    painter.drawRoundedRect(square, 4, 4)
    if is_done:
        _paint_tick(painter, look.colour("on_accent"), square)
    painter.restore()


def _paint_tick(painter: QPainter, colour: QColor, square: QRectF) -> None:
    pen = QPen(colour, square.width() / 8, c=Qt.PenCapStyle.RoundCap, j=Qt.PenJoinStyle.RoundJoin)
    painter.setPen(pen)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    at, size = square.topLeft(), square.width()
    points = [(0.25, 0.53), (0.43, 0.70), (0.75, 0.32)]
    painter.drawPolyline(QPolygonF([at + QPointF(x * size, y * size) for x, y in points]))
