"""Short lines of our own words: labels, captions, the rule, "continued"."""

from typing import ClassVar

from PySide6.QtCore import QRect

from app.ui.transcript.blocks import Block
from app.ui.transcript.lettering import Side, draw_line, width_of
from app.ui.transcript.look import Look, Tone
from app.ui.transcript.rows.base import FixedRow, Scene
from app.ui.transcript.rows.margins import inner, margins_of, paint_margins


class LineRow(FixedRow):
    """One line of muted text."""

    def __init__(self, words: str, tone: Tone, *, is_right: bool = False) -> None:
        self.words = words
        self.tone = tone
        self._is_right = is_right

    @property
    def text(self) -> str:
        """The line."""
        return self.words

    def room(self, look: Look) -> int:
        """One line."""
        return look.voice(self.tone).line

    def paint(self, scene: Scene, area: QRect) -> None:
        """Paint it, shortened if it must be."""
        voice = scene.look.voice(self.tone)
        side = Side.RIGHT if self._is_right else Side.LEFT
        draw_line(scene.painter, voice, area, self.words, side=side)


class RuleRow(FixedRow):
    """A thematic break."""

    def __init__(self, block: Block) -> None:
        self.block = block
        self.is_open = False

    def become(self, block: Block, *, is_open: bool) -> None:
        """Stay a line."""
        self.block, self.is_open = block, is_open

    def room(self, look: Look) -> int:
        """A hairline with some air."""
        return look.px(17)

    def paint(self, scene: Scene, area: QRect) -> None:
        """Paint the line."""
        margins = margins_of(self.block, scene.look)
        paint_margins(scene.painter, scene.look, margins, area, gap=self.gap, line=area.height())
        box = inner(margins, area)
        line = QRect(box.left(), box.center().y(), box.width(), 1)
        scene.painter.fillRect(line, scene.look.colour("border"))


class ContinuedRow(LineRow):
    """The line below which an answer goes on."""

    can_select: ClassVar[bool] = False

    def __init__(self) -> None:
        super().__init__("continued", Tone.CAPTION)

    def paint(self, scene: Scene, area: QRect) -> None:
        """Paint the word between two hairlines."""
        voice = scene.look.voice(self.tone)
        width = width_of(voice, self.words) + 24
        middle = area.center()
        word = QRect(middle.x() - width // 2, area.top(), width, area.height())
        painter = scene.painter
        draw_line(painter, voice, word, self.words, side=Side.CENTRE)
        border = scene.look.colour("border")
        painter.fillRect(area.left(), middle.y(), word.left() - area.left(), 1, border)
        painter.fillRect(word.right(), middle.y(), area.right() - word.right() + 1, 1, border)
