"""A picture that the person attached; a chip with its name until it is here, or if it cannot be."""

import re
from dataclasses import dataclass
from pathlib import PurePath

from PySide6.QtCore import QRect, QRectF, QSize, Qt
from PySide6.QtGui import QImage, QPainter, QPainterPath, QPen, QPixmap

from app.ui.transcript import sanitise
from app.ui.transcript.album import Album
from app.ui.transcript.lettering import draw_line, width_of
from app.ui.transcript.look import Look, Tone
from app.ui.transcript.paper import Papers
from app.ui.transcript.rows.base import Row, Scene

_CHIP = 34
_WIDEST, _HIGHEST = 400, 300
_RADIUS = 12
_SHARE = 0.8
_DIGEST = re.compile(r"[0-9a-f]{32,}")


@dataclass(slots=True)
class Print:
    """A picture as large as it is painted."""

    pixmap: QPixmap


class PictureRow(Row):
    """An attached picture, at the right like the words it came with."""

    def __init__(self, name: str, album: Album) -> None:
        self.name = name
        self._album = album

    @property
    def text(self) -> str:
        """What was attached."""
        return f"Attached picture {self._title}".rstrip()

    @property
    def _title(self) -> str:
        path = PurePath(self.name)
        return "" if _DIGEST.fullmatch(path.stem) else sanitise.prose(path.name)

    def estimate(self, look: Look, width: int) -> int:
        """Know it, if the picture was here before."""
        return self._shown_size(look, width).height() or look.px(_CHIP)

    def measure(self, look: Look, width: int, papers: Papers) -> int:  # noqa: ARG002
        """Say how high the picture is, or the chip."""
        return self.estimate(look, width)

    def paint(self, scene: Scene, area: QRect) -> None:
        """Paint the picture, or what there is of it."""
        size = self._shown_size(scene.look, area.width())
        picture = self._album.find(self.name)
        if size.isEmpty():
            self._paint_chip(scene, area)
            return
        frame = QRectF(area.right() + 1 - size.width(), area.top(), size.width(), size.height())
        outline = QPainterPath()
        outline.addRoundedRect(frame.adjusted(0.5, 0.5, -0.5, -0.5), _RADIUS, _RADIUS)
        painter = scene.painter
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.fillPath(outline, scene.look.colour("own_message"))
        if picture is not None:
            painter.setClipPath(outline, Qt.ClipOperation.IntersectClip)
            painter.drawPixmap(frame.topLeft(), self._print(scene, picture, size))
            painter.setClipping(False)
        painter.setPen(QPen(scene.look.colour("border"), 1))
        painter.drawPath(outline)
        painter.restore()

    def _shown_size(self, look: Look, width: int) -> QSize:
        natural = self._album.size_of(self.name)
        if natural is None or natural.isEmpty():
            return QSize(0, 0)
        most = QSize(min(look.px(_WIDEST), round(width * _SHARE)), look.px(_HIGHEST))
        if natural.width() > most.width() or natural.height() > most.height():
            natural = natural.scaled(most, Qt.AspectRatioMode.KeepAspectRatio)
        return natural.expandedTo(QSize(2 * _RADIUS, 2 * _RADIUS))

    def _print(self, scene: Scene, picture: QImage, size: QSize) -> QPixmap:
        ratio = scene.painter.device().devicePixelRatioF()
        pixels = size * ratio
        kept = scene.papers.find(self, Print)
        if kept is None or kept.pixmap.size() != pixels:
            mode = Qt.AspectRatioMode.IgnoreAspectRatio
            smooth = Qt.TransformationMode.SmoothTransformation
            kept = Print(QPixmap.fromImage(picture.scaled(pixels, mode, smooth)))
            kept.pixmap.setDevicePixelRatio(ratio)
            scene.papers.keep(self, kept)
        return kept.pixmap

    def _paint_chip(self, scene: Scene, area: QRect) -> None:
        look, painter = scene.look, scene.painter
        voice = look.voice(Tone.CAPTION)
        is_lost = self._album.size_of(self.name) is not None
        words = f"🖼\ufe0f  {self._title or 'Picture'}{' (cannot be shown)' if is_lost else ''}"
        most = round(area.width() * _SHARE)
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
