"""A picture that the person attached, as a chip with its name."""

from pathlib import PurePath

from PySide6.QtCore import QRect, QRectF, Qt
from PySide6.QtGui import QPainter, QPen

from app.ui.transcript import sanitise
from app.ui.transcript.lettering import draw_line, width_of
from app.ui.transcript.look import Look, Tone
from app.ui.transcript.rows.base import FixedRow, Scene

_HEIGHT = 34


class PictureRow(FixedRow):
    """The name of an attached picture."""

    def __init__(self, path: str) -> None:
        self._name = sanitise.prose(PurePath(path).name)

    @property
    def text(self) -> str:
        """What was attached."""
        return f"Attached picture {self._name}"

    def room(self, look: Look) -> int:
        """One line in a box."""
        return look.px(_HEIGHT)

    def paint(self, scene: Scene, area: QRect) -> None:
        """Paint the chip at the right."""
        look, painter = scene.look, scene.painter
        voice = look.voice(Tone.CAPTION)
        words = f"🖼\ufe0f  {self._name}"
        most = round(area.width() * 0.8)
        width = min(most, width_of(voice, words) + look.px(28))
        chip = QRect(area.right() + 1 - width, area.top(), width, area.height())
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(look.colour("border"), 1))
        painter.setBrush(look.colour("own_message"))
        painter.drawRoundedRect(QRectF(chip).adjusted(0.5, 0.5, -0.5, -0.5), 10, 10)
        painter.restore()
        inside = chip.adjusted(look.px(12), 0, -look.px(12), 0)
        elide = Qt.TextElideMode.ElideMiddle
        draw_line(painter, voice, inside, words, colour=look.colour("text"), elide=elide)
