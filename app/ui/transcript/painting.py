"""Painting the page: the rows that are seen, each with what is marked in it."""

from collections.abc import Callable, Sequence

from PySide6.QtCore import QRect
from PySide6.QtGui import QPainter

from app.ui.transcript import units
from app.ui.transcript.marks import Marks
from app.ui.transcript.page import Page, Seen
from app.ui.transcript.rows.base import OVERHANG, Scene
from app.ui.transcript.selection import Selection

Hits = Callable[[int, int], Marks | None]


def paint_page(
    painter: QPainter,
    page: Page,
    seen: Sequence[Seen],
    clip: QRect,
    *,
    selection: Selection | None,
    hits: Hits,
) -> None:
    """Paint what is within `clip`."""
    painter.fillRect(clip, page.stage.look.colour("background"))
    for one in seen:
        whole = QRect(clip.left(), one.placed.top, clip.width(), one.placed.extent)
        whole.adjust(0, -OVERHANG, 0, OVERHANG)
        if whole.intersects(clip):
            marks = _marks(one, selection, hits)
            scene = Scene(painter, page.stage.look, page.stage.papers, clip, marks)
            one.row.paint(scene, one.area)


def _marks(one: Seen, selection: Selection | None, hits: Hits) -> Marks:
    item, row = one.placed.item, one.placed.row
    marks = hits(item, row) or Marks()
    if selection is not None and one.row.can_select:
        is_ended = (item, row) == (selection.end.item, selection.end.row)
        length = 0 if is_ended else units.length(one.row.text)
        marks.selected = selection.within(item, row, length)
    return marks
