"""The person's words, as they were typed, on a quiet ground at the right."""

from math import ceil

from PySide6.QtCore import QPoint, QPointF, QRect, QRectF, Qt

from app.ui.icons import pixmap
from app.ui.transcript import inline
from app.ui.transcript.blocks import Block, Joint, Kind
from app.ui.transcript.look import Look, Tone
from app.ui.transcript.marking import selections
from app.ui.transcript.paper import Papers
from app.ui.transcript.rows.base import Scene
from app.ui.transcript.rows.text import TextRow
from app.ui.transcript.runs import Run

_PAD_X = 14
_PAD_Y = 9
_RADIUS = 12
_SHARE = 0.8


class BubbleRow(TextRow):
    """A stretch of what the person wrote; a long message is cut into several that look like one."""

    def __init__(self, text: str, joint: Joint, *, is_last: bool, is_spoken: bool = False) -> None:
        super().__init__(Block(kind=Kind.PARAGRAPH, text=text, joint=joint), {}, Tone.BODY)
        self._is_first = joint is Joint.NONE
        self._is_last = is_last
        self._is_spoken = is_spoken
        self._width = 0

    @property
    def markdown(self) -> str | None:
        """What the person wrote."""
        return self.block.text

    def runs(self) -> list[Run]:
        """The words as they are: the person's Markdown is not interpreted."""
        return inline.plain_runs(self.block.text)

    def estimate(self, look: Look, width: int) -> int:
        """Guess from the number of characters and lines."""
        breaks = self.block.text.count("\n")
        line = look.voice(Tone.BODY).line
        return (
            super().estimate(look, round(width * _SHARE)) + breaks * line // 2 + self._frame(look)
        )

    def measure(self, look: Look, width: int, papers: Papers) -> int:
        """Lay the words out; a short message is only as wide as it needs."""
        paper = self._sheet(look, papers).paper
        most = round(width * _SHARE) - 2 * look.px(_PAD_X)
        paper.fit(most)
        is_whole = self._is_first and self._is_last
        self._width = min(most, ceil(paper.idealWidth())) if is_whole else most
        paper.fit(self._width)
        return ceil(paper.height) + self._frame(look)

    def ground(self, look: Look, area: QRect) -> QRect:
        """Say where the bubble is."""
        width = self._width + 2 * look.px(_PAD_X)
        return QRect(area.right() + 1 - width, area.top(), width, area.height())

    def is_over_text(self, at: QPoint, area: QRect) -> bool:
        """Only the bubble itself can be selected."""
        return area.contains(at) and at.x() >= area.right() - self._width - 2 * _PAD_X

    def paint(self, scene: Scene, area: QRect) -> None:
        """Paint the ground and the words."""
        look, painter = scene.look, scene.painter
        sheet = self._fitted(look, scene.papers, area)
        ground = self.ground(look, area)
        frame = QRectF(ground)
        if not self._is_first:
            frame.setTop(frame.top() - 2 * _RADIUS)
        if not self._is_last:
            frame.setBottom(frame.bottom() + 2 * _RADIUS)
        painter.save()
        painter.setClipRect(area, Qt.ClipOperation.IntersectClip)
        painter.setRenderHint(painter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(look.colour("own_message"))
        painter.drawRoundedRect(frame, _RADIUS, _RADIUS)
        painter.restore()
        if self._is_spoken and self._is_first:
            mic = pixmap("mic", look.theme.muted, 16)
            painter.drawPixmap(ground.left() - 24, ground.top() + look.px(_PAD_Y) + 4, mic)
        marks = selections(sheet.paper, scene.marks, look)
        clip = QRectF(scene.clip).intersected(QRectF(ground))
        sheet.paper.draw(painter, self._origin(look, area), clip, marks)

    def span_of(self, look: Look, papers: Papers, position: int) -> tuple[int, int]:
        """Say in which line a position stands."""
        top, bottom = super().span_of(look, papers, position)
        pad = look.px(_PAD_Y) if self._is_first else 0
        return top + pad, bottom + pad

    def _frame(self, look: Look) -> int:
        return look.px(_PAD_Y) * (int(self._is_first) + int(self._is_last))

    def _fit_width(self, look: Look, width: int) -> int:  # noqa: ARG002
        return self._width

    def _origin(self, look: Look, area: QRect) -> QPointF:
        ground = self.ground(look, area)
        top = ground.top() + (look.px(_PAD_Y) if self._is_first else 0)
        return QPointF(ground.left() + look.px(_PAD_X), top - look.voice(Tone.BODY).shift)
