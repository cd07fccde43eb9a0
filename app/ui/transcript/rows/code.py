"""Code in a box: a header with the language and Copy, coloured lines that never wrap.

A long block is cut into rows of a hundred lines that look like one box. Its height follows from
the number of lines; only what is seen is laid out. While it is being written, only new whole
lines are read and coloured.
"""

from typing import ClassVar

from PySide6.QtCore import QPoint, QPointF, QRect, QRectF, Qt
from PySide6.QtGui import QFontMetricsF, QPainter, QPen

from app.ui.transcript import sanitise
from app.ui.transcript.blocks import Block, Joint, Kind
from app.ui.transcript.highlight import START, State, highlight
from app.ui.transcript.lettering import draw_line
from app.ui.transcript.look import Look, Tone
from app.ui.transcript.marking import selections
from app.ui.transcript.paper import Paper, Papers
from app.ui.transcript.rows.actions import button_width
from app.ui.transcript.rows.base import Deed, Row, Scene, Spot
from app.ui.transcript.rows.codesheet import CodeSheet, broken, columns, positions, write_lines
from app.ui.transcript.rows.margins import inner, margins_of, paint_margins
from app.ui.transcript.shelf import BAR, Shelf

_HEADER = 34
_PADDING = 12
_RADIUS = 8
_MAX_LANGUAGE = 40


class CodeRow(Row):
    """A stretch of a code block."""

    can_select: ClassVar[bool] = True

    def __init__(self, block: Block, *, title: str = "") -> None:
        self.block = block
        self.is_open = False
        self.above: CodeRow | None = None  # the stretch that this one goes on from
        self.below: CodeRow | None = None
        self.shelf: Shelf = Shelf()
        self._title = title
        self._after: State | None = None  # where the lexer stands after these lines

    def join(self, above: "CodeRow | None") -> None:
        """Go on from another stretch, or stand alone."""
        self.below = None
        self.above = above
        if above is not None:
            self.shelf = above.shelf
            if above.below is not self:
                above.touch()
            above.below = self

    @property
    def language(self) -> str:
        """What the fence says it is."""
        if self.block.kind is Kind.MATH:
            return "math"
        words = sanitise.prose(self.block.info).split()
        return words[0].strip("{}.,")[:_MAX_LANGUAGE] if words else ""

    @property
    def is_head(self) -> bool:
        """Say whether the box begins with it."""
        return self.block.joint is Joint.NONE

    @property
    def text(self) -> str:
        """The code, as it is shown."""
        return sanitise.code(self.block.text)

    @property
    def is_read(self) -> bool:
        """Say whether its lines were read by the lexer."""
        return self._after is not None

    def become(self, block: Block, *, is_open: bool) -> None:
        """Take the block as it is now: more lines, or closed."""
        if (block.text, is_open) != (self.block.text, self.is_open):
            self.touch()
            self._after = None
        self.block, self.is_open = block, is_open

    def lines(self) -> list[str]:
        """The lines as they are shown: endless ones are broken."""
        return [piece for line in self.text.split("\n") for piece in broken(line)]

    def estimate(self, look: Look, width: int) -> int:  # noqa: ARG002
        """Count the lines."""
        count = self.block.text.count("\n") + 1
        return count * look.voice(Tone.CODE).line + self._top(look) + self._bottom(look)

    def measure(self, look: Look, width: int, papers: Papers) -> int:  # noqa: ARG002
        """Count the lines; the width they need is known from the longest."""
        lines = self.lines()
        advance = QFontMetricsF(look.voice(Tone.CODE).font).horizontalAdvance("0")
        widest = max((columns(line) for line in lines), default=0)
        self.shelf.widen(round(widest * advance) + 2 * look.px(_PADDING))
        self.shelf.fit(width - margins_of(self.block, look).indent - 2)
        return len(lines) * look.voice(Tone.CODE).line + self._top(look) + self._bottom(look)

    def paint(self, scene: Scene, area: QRect) -> None:
        """Paint the box, its header, the lines and the bar beneath them."""
        look, painter = scene.look, scene.painter
        margins = margins_of(self.block, look)
        line = look.voice(Tone.CODE).line
        paint_margins(painter, look, margins, area, gap=self.gap, line=line)
        box = inner(margins, area)
        self._paint_box(painter, look, box)
        sheet = self._sheet(look, scene.papers)
        clip = QRectF(box.adjusted(1, 0, -1, 0)).intersected(QRectF(scene.clip))
        marks = selections(sheet.paper, scene.marks, look, positions(self.text))
        sheet.paper.draw(painter, self._origin(look, box), clip, marks)
        if (track := self.track(look, area)) is not None:
            self.shelf.paint(painter, look, track)

    def track(self, look: Look, area: QRect) -> QRectF | None:
        """Say where the bar for moving sideways runs, if it has one."""
        if self.below is not None or not self.shelf.limit:
            return None
        box = QRectF(inner(margins_of(self.block, look), area))
        return QRectF(box.left() + 8, box.bottom() - BAR - 3, box.width() - 16, BAR)

    def spots(self, look: Look, area: QRect) -> list[Spot]:
        """Offer Copy in the header."""
        if not self.is_head:
            return []
        box = inner(margins_of(self.block, look), area)
        width, height = button_width(look, "Copied"), look.px(26)
        place = QRect(box.right() - width - 4, box.top() + 4, width, height)
        what = self._title or (f"{self.language} code" if self.language else "code")
        return [Spot(Deed.COPY_CODE, "Copy", place, f"Copy {what}")]

    def position_at(self, look: Look, papers: Papers, at: QPoint, area: QRect) -> int:
        """Find the character nearest to a point."""
        box = inner(margins_of(self.block, look), area)
        point = QPointF(at) - self._origin(look, box)
        layout = self._sheet(look, papers).paper.documentLayout()
        place = layout.hitTest(point, Qt.HitTestAccuracy.FuzzyHit)
        where = positions(self.text)
        return max(0, place) if where is None else where.to_text(place)

    def span_of(self, look: Look, papers: Papers, position: int) -> tuple[int, int]:
        """Say in which line a position stands."""
        paper = self._sheet(look, papers).paper
        where = positions(self.text)
        place = position if where is None else where.to_paper(position)
        number = paper.findBlock(place).blockNumber()
        line = look.voice(Tone.CODE).line
        top = self._top(look) + max(0, number) * line
        return top, top + line

    def state_after(self) -> State:
        """Say where the lexer stands after these lines."""
        if self._after is None:
            state = self._state_before()
            for line in self.text.split("\n"):
                _, state = highlight(self.language, line, state)
            self._after = state
        return self._after

    def _state_before(self) -> State:
        chain: list[CodeRow] = []
        row = self.above
        while row is not None and not row.is_read:
            chain.append(row)
            row = row.above
        for one in reversed(chain):
            one.state_after()
        return self.above.state_after() if self.above else START

    def _top(self, look: Look) -> int:
        return look.px(_HEADER) + 1 + look.px(_PADDING) if self.is_head else 0

    def _bottom(self, look: Look) -> int:
        return look.px(_PADDING) + 1 if self.below is None else 0

    def _origin(self, look: Look, box: QRect) -> QPointF:
        voice = look.voice(Tone.CODE)
        left = box.left() + 1 + look.px(_PADDING) - self.shelf.offset
        return QPointF(left, box.top() + self._top(look) - voice.shift)

    def _paint_box(self, painter: QPainter, look: Look, box: QRect) -> None:
        frame = QRectF(box).adjusted(0.5, 0.5, -0.5, -0.5)
        if not self.is_head:
            frame.setTop(frame.top() - 2 * _RADIUS)
        if self.below is not None:
            frame.setBottom(frame.bottom() + 2 * _RADIUS)
        painter.save()
        painter.setClipRect(box, Qt.ClipOperation.IntersectClip)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(look.colour("border"), 1))
        painter.setBrush(look.colour("code_background"))
        painter.drawRoundedRect(frame, _RADIUS, _RADIUS)
        if self.is_head:
            self._paint_header(painter, look, box)
        painter.restore()

    def _paint_header(self, painter: QPainter, look: Look, box: QRect) -> None:
        edge = box.top() + look.px(_HEADER)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, on=False)
        painter.drawLine(box.left() + 1, edge, box.right() - 1, edge)
        place = QRect(
            box.left() + 1 + look.px(_PADDING), box.top(), box.width() // 2, edge - box.top()
        )
        words = self._title or self.language or "code"
        draw_line(painter, look.voice(Tone.CAPTION), place, words)

    def _sheet(self, look: Look, papers: Papers) -> CodeSheet:
        sheet = papers.find(self, CodeSheet)
        if sheet is None:
            sheet = CodeSheet(Paper(look.option(wraps=False)), [], state=self._state_before())
            sheet.paper.setDefaultFont(look.voice(Tone.CODE).font)
            papers.keep(self, sheet)
        self._write(sheet, look)
        return sheet

    def _write(self, sheet: CodeSheet, look: Look) -> None:
        wanted = self.lines()
        if wanted == sheet.lines and (self.is_open or sheet.settled == len(wanted)):
            return
        if wanted[: sheet.settled] != sheet.lines[: sheet.settled]:
            sheet.lines, sheet.settled, sheet.state = [], 0, self._state_before()
        write_lines(sheet, wanted, look, self.language, is_open=self.is_open)
        if not self.is_open:
            self._after = sheet.state


def code_of(row: CodeRow) -> str:
    """Put the stretches of a code block together, as they are shown."""
    while row.above is not None:
        row = row.above
    found = [row.text]
    at = row.below
    while at is not None:
        found.append(("\n" if at.block.joint is Joint.LINE else "") + at.text)
        at = at.below
    return "".join(found)
