"""Words: paragraphs, headings, list items, quotes, captions."""

from collections.abc import Mapping
from dataclasses import dataclass
from math import ceil
from typing import ClassVar

from PySide6.QtCore import QPoint, QPointF, QRect, QRectF, Qt

from app.ui.transcript import inline
from app.ui.transcript.blocks import Block, Kind, Quote
from app.ui.transcript.look import Look, Tone
from app.ui.transcript.marking import selections
from app.ui.transcript.mend import mend
from app.ui.transcript.paper import Paper, Papers
from app.ui.transcript.render import write
from app.ui.transcript.rows.base import OVERHANG, Row, Scene
from app.ui.transcript.rows.chips import grounds_of, paint_chips
from app.ui.transcript.rows.margins import Margins, inner, margins_of, paint_margins
from app.ui.transcript.runs import BREAK, Run, href_at, text_of

_HEADINGS = {1: Tone.H1, 2: Tone.H2, 3: Tone.H3}


@dataclass(slots=True)
class Sheet:
    """A row's words on paper."""

    paper: Paper
    runs: list[Run]


class TextRow(Row):
    """A paragraph or a heading, with its margins."""

    can_select: ClassVar[bool] = True

    def __init__(
        self, block: Block, references: Mapping[str, str], tone: Tone | None = None
    ) -> None:
        self.block = block
        self.is_open = False  # still being written: what is half there is mended
        self._references = references
        self._own_tone = tone

    @property
    def tone(self) -> Tone:
        """In which voice it is set."""
        if self._own_tone is not None:
            return self._own_tone
        if self.block.kind is Kind.HEADING:
            return _HEADINGS.get(self.block.level, Tone.H4)
        is_quoted = any(isinstance(one, Quote) for one in self.block.containers)
        return Tone.QUOTE if is_quoted else Tone.BODY

    @property
    def text(self) -> str:
        """What it says."""
        return text_of(self.runs()).replace(BREAK, "\n")

    def runs(self) -> list[Run]:
        """Its styled text."""
        source = mend(self.block.text) if self.is_open else self.block.text
        return inline.runs(source, self._references)

    def become(self, block: Block, *, is_open: bool) -> None:
        """Say something else, usually more of the same."""
        if (block.text, is_open) != (self.block.text, self.is_open):
            self.touch()
        self.block, self.is_open = block, is_open

    def estimate(self, look: Look, width: int) -> int:
        """Guess from the number of characters."""
        line = look.voice(self.tone).line
        letters = max(1.0, width * 2.1 / look.voice(self.tone).font.pixelSize())
        return line * ceil(max(1.0, len(self.block.text) / letters))

    def measure(self, look: Look, width: int, papers: Papers) -> int:
        """Lay the words out."""
        sheet = self._sheet(look, papers)
        sheet.paper.fit(self._fit_width(look, width))
        return ceil(sheet.paper.height)

    def margins(self, look: Look) -> Margins:
        """Say what stands beside it."""
        return margins_of(self.block, look)

    def paint(self, scene: Scene, area: QRect) -> None:
        """Paint the margins, what is behind inline code, and the words."""
        look, margins = scene.look, self.margins(scene.look)
        voice = look.voice(self.tone)
        paint_margins(scene.painter, look, margins, area, gap=self.gap, line=voice.line)
        sheet = self._fitted(look, scene.papers, area)
        at = self._origin(look, area)
        paint_chips(scene.painter, look, grounds_of(sheet.paper, sheet.runs), at)
        marks = selections(sheet.paper, scene.marks, look)
        clip = QRectF(scene.clip).intersected(
            QRectF(area.adjusted(-OVERHANG, -OVERHANG, OVERHANG, OVERHANG))
        )
        sheet.paper.draw(scene.painter, at, clip, marks)

    def position_at(self, look: Look, papers: Papers, at: QPoint, area: QRect) -> int:
        """Find the character nearest to a point."""
        paper = self._fitted(look, papers, area).paper
        point = QPointF(at) - self._origin(look, area)
        return max(0, paper.documentLayout().hitTest(point, Qt.HitTestAccuracy.FuzzyHit))

    def span_of(self, look: Look, papers: Papers, position: int) -> tuple[int, int]:
        """Say in which line a position stands."""
        sheet = self._sheet(look, papers)
        layout = sheet.paper.firstBlock().layout()
        if not layout.lineCount():
            return 0, self.height
        line = layout.lineForTextPosition(min(position, sheet.paper.characterCount() - 1))
        height = look.voice(self.tone).line
        number = line.lineNumber() if line.isValid() else 0
        return number * height, (number + 1) * height

    def link_at(self, look: Look, papers: Papers, at: QPoint, area: QRect) -> str:
        """Give the address under a point."""
        sheet = self._fitted(look, papers, area)
        point = QPointF(at) - self._origin(look, area)
        place = sheet.paper.documentLayout().hitTest(point, Qt.HitTestAccuracy.ExactHit)
        return href_at(sheet.runs, place) if place >= 0 else ""

    def _fitted(self, look: Look, papers: Papers, area: QRect) -> Sheet:
        sheet = self._sheet(look, papers)
        sheet.paper.fit(self._fit_width(look, area.width()))
        return sheet

    def _fit_width(self, look: Look, width: int) -> int:
        return max(40, width - self.margins(look).indent)

    def _origin(self, look: Look, area: QRect) -> QPointF:
        place = QPointF(inner(self.margins(look), area).topLeft())
        return place - QPointF(0, look.voice(self.tone).shift)

    def _sheet(self, look: Look, papers: Papers) -> Sheet:
        sheet = papers.find(self, Sheet)
        if sheet is None:
            sheet = Sheet(Paper(look.option(wraps=True)), [])
            papers.keep(self, sheet)
            self._write(sheet, look)
        elif not self.is_measured:
            self._write(sheet, look)
        return sheet

    def _write(self, sheet: Sheet, look: Look) -> None:
        runs = self.runs()
        if runs != sheet.runs or not runs:
            write(sheet.paper, sheet.runs, runs, look, self.tone)
            sheet.runs = runs
