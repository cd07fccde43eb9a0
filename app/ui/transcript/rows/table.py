"""Tables: a head on a quiet ground, hairlines between the rows, wide ones move sideways."""

from collections.abc import Mapping
from math import ceil
from typing import ClassVar

from PySide6.QtCore import QPoint, QPointF, QRect, QRectF, Qt
from PySide6.QtGui import QPainter

from app.ui.transcript import inline, tables
from app.ui.transcript.blocks import Block, Joint
from app.ui.transcript.look import Look, Tone
from app.ui.transcript.marking import selections
from app.ui.transcript.mend import mend
from app.ui.transcript.paper import Paper, Papers
from app.ui.transcript.rows.base import Row, Scene
from app.ui.transcript.rows.chips import paint_chips
from app.ui.transcript.rows.margins import inner, margins_of, paint_margins
from app.ui.transcript.rows.tablesheet import (
    PAD_Y,
    Cells,
    TableSheet,
    cell_grounds,
    needs,
    positions,
    set_widths,
    text_of_table,
    write_table,
)
from app.ui.transcript.runs import href_at
from app.ui.transcript.shelf import BAR, Shelf


class TableRow(Row):
    """A table, or a stretch of a long one."""

    can_select: ClassVar[bool] = True

    def __init__(self, block: Block, references: Mapping[str, str]) -> None:
        self.block = block
        self.is_open = False
        self.above: TableRow | None = None  # the stretch that this one goes on from
        self.below: TableRow | None = None
        self.head: TableRow | None = None  # the stretch that begins the table, if not this one
        self.shelf: Shelf = Shelf()
        self._references = references
        self._parsed: list[Cells] = []
        self._needs: tuple[list[int], list[int]] = ([], [])
        self._grid: tables.Grid | None = None

    def join(self, above: "TableRow | None") -> None:
        """Go on from another stretch, or stand alone."""
        self.below = None
        self.above = above
        self.head = None if above is None else above.head or above
        if above is not None:
            self.shelf = above.shelf
            if above.below is not self:
                above.touch()
            above.below = self

    @property
    def text(self) -> str:
        """Its cells, as text."""
        return text_of_table(self.cells())

    def become(self, block: Block, *, is_open: bool) -> None:
        """Take the block as it is now: more rows, or closed."""
        if (block.text, is_open) != (self.block.text, self.is_open):
            self.touch()
            self._grid = None
        self.block, self.is_open = block, is_open

    def grid(self) -> tables.Grid:
        """Its cells, as source."""
        if self._grid is None:
            self._grid = tables.read(self.block.text, self.head.grid() if self.head else None)
        return self._grid

    def cells(self) -> list[Cells]:
        """Its cells, styled; those that cannot change any more are read once."""
        sources = self.grid().rows
        settled = len(sources) - 1 if self.is_open else len(sources)
        del self._parsed[settled:]
        for row in sources[len(self._parsed) : settled]:
            self._parsed.append([inline.runs(cell, self._references) for cell in row])
        if settled == len(sources):
            return list(self._parsed)
        last = [inline.runs(mend(cell), self._references) for cell in sources[-1]]
        return [*self._parsed, last]

    def estimate(self, look: Look, width: int) -> int:  # noqa: ARG002
        """Count the rows."""
        rows = self.block.text.count("\n") + (1 if self.block.joint is not Joint.NONE else 0)
        return max(1, rows) * (look.voice(Tone.BODY).line + 2 * PAD_Y)

    def measure(self, look: Look, width: int, papers: Papers) -> int:
        """Lay the cells out."""
        sheet = self._fitted(look, papers, width)
        return ceil(sheet.frame.height()) + (BAR + 4 if self._has_bar else 0)

    def paint(self, scene: Scene, area: QRect) -> None:
        """Paint the head's ground, the hairlines and the cells."""
        look, painter = scene.look, scene.painter
        margins = margins_of(self.block, look)
        line = look.voice(Tone.BODY).line
        paint_margins(painter, look, margins, area, gap=self.gap, line=line)
        box = inner(margins, area)
        sheet = self._fitted(look, scene.papers, area.width())
        at = QPointF(box.left() - self.shelf.offset, box.top())
        clip = QRectF(box).intersected(QRectF(scene.clip))
        painter.save()
        painter.setClipRect(clip)
        self._paint_lines(painter, look, sheet, at)
        painter.restore()
        marks = selections(sheet.paper, scene.marks, look, positions(sheet))
        shifted = at - QPointF(0, look.voice(Tone.BODY).shift)
        painter.save()
        painter.setClipRect(clip)
        paint_chips(painter, look, cell_grounds(sheet), shifted)
        painter.restore()
        sheet.paper.draw(painter, shifted, clip, marks)
        if (track := self.track(look, area)) is not None:
            self.shelf.paint(painter, look, track)

    def track(self, look: Look, area: QRect) -> QRectF | None:
        """Say where the bar for moving sideways runs, if it has one."""
        if not self._has_bar:
            return None
        box = QRectF(inner(margins_of(self.block, look), area))
        return QRectF(box.left(), box.bottom() - BAR, box.width(), BAR)

    def position_at(self, look: Look, papers: Papers, at: QPoint, area: QRect) -> int:
        """Find the character nearest to a point."""
        sheet = self._fitted(look, papers, area.width())
        point = self._on_paper(look, at, area)
        place = sheet.paper.documentLayout().hitTest(point, Qt.HitTestAccuracy.FuzzyHit)
        return positions(sheet).to_text(max(0, place))

    def span_of(self, look: Look, papers: Papers, position: int) -> tuple[int, int]:
        """Say in which row of the table a position stands."""
        sheet = self._sheet(look, papers)
        place = positions(sheet).to_paper(position)
        block = sheet.paper.findBlock(place)
        found = sheet.paper.documentLayout().blockBoundingRect(block)
        return round(found.top()), round(found.bottom())

    def link_at(self, look: Look, papers: Papers, at: QPoint, area: QRect) -> str:
        """Give the address under a point."""
        sheet = self._fitted(look, papers, area.width())
        point = self._on_paper(look, at, area)
        place = sheet.paper.documentLayout().hitTest(point, Qt.HitTestAccuracy.ExactHit)
        cell = sheet.table.cellAt(place) if place >= 0 and sheet.table else None
        if cell is None or not cell.isValid():
            return ""
        inside = place - cell.firstPosition()
        return href_at(sheet.rows[cell.row()][cell.column()], inside)

    @property
    def _has_bar(self) -> bool:
        return self.below is None and self.shelf.limit > 0

    def _on_paper(self, look: Look, at: QPoint, area: QRect) -> QPointF:
        box = inner(margins_of(self.block, look), area)
        shift = look.voice(Tone.BODY).shift
        return QPointF(at.x() - box.left() + self.shelf.offset, at.y() - box.top() + shift)

    def _fitted(self, look: Look, papers: Papers, width: int) -> TableSheet:
        sheet = self._sheet(look, papers)
        room = max(40, width - margins_of(self.block, look).indent)
        widths = tables.share_out(room, *self._column_needs(sheet, look))
        self.shelf.content = sum(widths)
        self.shelf.fit(room)
        set_widths(sheet, widths)
        sheet.paper.fit(max(room, sum(widths)))
        return sheet

    def _column_needs(self, sheet: TableSheet, look: Look) -> tuple[list[int], list[int]]:
        if self.head is not None:
            return self.head.column_needs()
        natural, least = [0] * len(self.grid().aligns), [0] * len(self.grid().aligns)
        for number, row in enumerate(sheet.rows):
            tone = Tone.HEAD if number == 0 else Tone.BODY
            wish, must = needs(row, look, tone)
            natural = [max(pair) for pair in zip(natural, wish, strict=True)]
            least = [max(pair) for pair in zip(least, must, strict=True)]
        self._needs = (natural, least)
        return self._needs

    def column_needs(self) -> tuple[list[int], list[int]]:
        """Say how wide the columns would like to be and must be; cut-off rows follow the head."""
        columns = len(self.grid().aligns)
        return self._needs if self._needs[0] else ([100] * columns, [40] * columns)

    def _sheet(self, look: Look, papers: Papers) -> TableSheet:
        sheet = papers.find(self, TableSheet)
        columns = len(self.grid().aligns)
        is_new = sheet is None or (sheet.table is not None and sheet.table.columns() != columns)
        if sheet is None or is_new:
            sheet = TableSheet(Paper(look.option(wraps=True)))
            papers.keep(self, sheet)
        if is_new or not self.is_measured:
            grid = self.grid()
            write_table(sheet, self.cells(), grid.aligns, look, has_head=grid.has_head)
        return sheet

    def _paint_lines(self, painter: QPainter, look: Look, sheet: TableSheet, at: QPointF) -> None:
        edges = sheet.edges()
        width = max(self.shelf.content, self.shelf.window)
        if self.grid().has_head and edges:
            head = QRectF(at.x(), at.y(), width, edges[0])
            painter.fillRect(head, look.colour("panel"))
        for edge in edges:
            line = QRectF(at.x(), round(at.y() + edge - 1), width, 1)
            painter.fillRect(line, look.colour("border"))
