"""A problem, inline: one sentence in a danger-coloured box, with what to do about it."""

from math import ceil
from typing import ClassVar

from PySide6.QtCore import QPointF, QRect, QRectF
from PySide6.QtGui import QColor, QPainter, QPen

from app.ui.icons import pixmap
from app.ui.transcript import inline
from app.ui.transcript.blocks import Block, Kind
from app.ui.transcript.look import Look, Tone
from app.ui.transcript.palette import mixed
from app.ui.transcript.paper import Papers
from app.ui.transcript.rows.actions import Offer, button_width
from app.ui.transcript.rows.base import Scene, Spot
from app.ui.transcript.rows.text import TextRow
from app.ui.transcript.runs import Run

_PAD = 12
_ICON = 18
_BUTTON = 30


class NoticeRow(TextRow):
    """A sentence and the buttons that stand beside it."""

    can_select: ClassVar[bool] = True

    def __init__(self, words: str, offers: tuple[Offer, ...], *, is_problem: bool) -> None:
        super().__init__(Block(kind=Kind.PARAGRAPH, text=words), {}, Tone.BODY)
        self._offers = offers
        self._is_problem = is_problem

    def runs(self) -> list[Run]:
        """The sentence as it is; it may carry a server's words."""
        return inline.plain_runs(self.block.text)

    def estimate(self, look: Look, width: int) -> int:
        """The sentence, the buttons and the box around them."""
        return super().estimate(look, width) + self._frame(look)

    def measure(self, look: Look, width: int, papers: Papers) -> int:
        """Lay the sentence out."""
        paper = self._sheet(look, papers).paper
        paper.fit(self._fit_width(look, width))
        return ceil(paper.height) + self._frame(look)

    def spots(self, look: Look, area: QRect) -> list[Spot]:
        """Lay the buttons out beneath the sentence."""
        x = area.left() + self._left(look)
        top = area.bottom() - look.px(_PAD) - look.px(_BUTTON) + 1
        placed = []
        for offer in self._offers:
            width = button_width(look, offer.label) + (look.px(8) if offer.is_loud else 0)
            place = QRect(x, top, width, look.px(_BUTTON))
            placed.append(Spot(offer.deed, offer.label, place, is_loud=offer.is_loud))
            x += width + look.px(6)
        return placed

    def paint(self, scene: Scene, area: QRect) -> None:
        """Paint the box and the sentence."""
        look, painter = scene.look, scene.painter
        colour = look.theme.danger if self._is_problem else look.theme.muted
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(QColor(mixed(colour, look.theme.background, 0.4)), 1))
        painter.setBrush(QColor(ground(look, is_problem=self._is_problem)))
        painter.drawRoundedRect(QRectF(area).adjusted(0.5, 0.5, -0.5, -0.5), 8, 8)
        painter.restore()
        if self._is_problem:
            top = area.top() + look.px(_PAD) + (look.voice(Tone.BODY).line - _ICON) // 2
            painter.drawPixmap(area.left() + look.px(_PAD), top, pixmap("alert", colour, _ICON))
        super().paint(scene, area)

    def _left(self, look: Look) -> int:
        return look.px(_PAD) + (_ICON + look.px(10) if self._is_problem else 0)

    def _frame(self, look: Look) -> int:
        buttons = look.px(_BUTTON) + look.px(8) if self._offers else 0
        return 2 * look.px(_PAD) + buttons

    def _fit_width(self, look: Look, width: int) -> int:
        return max(40, width - self._left(look) - look.px(_PAD))

    def _origin(self, look: Look, area: QRect) -> QPointF:
        left, top = area.left() + self._left(look), area.top() + look.px(_PAD)
        return QPointF(left, top - look.voice(Tone.BODY).shift)


def ground(look: Look, *, is_problem: bool) -> str:
    """Choose the colour behind a notice."""
    base = look.theme.danger if is_problem else look.theme.muted
    return mixed(base, look.theme.background, 0.06)
