"""Icons: our own SVGs in the colours of a theme, sharp at every scale."""

from functools import cache

from PySide6.QtCore import QByteArray, QRectF, Qt
from PySide6.QtGui import QGuiApplication, QIcon, QPainter, QPixmap
from PySide6.QtSvg import QSvgRenderer

from app.ui.resources import read
from app.ui.theme import Theme

_SCALES = (1, 2, 3)


def icon(name: str, theme: Theme, *, color: str = "") -> QIcon:
    """Give an icon in the theme's text colour, or another; disabled ones are muted."""
    return _icon(name, color or theme.text, theme.muted)


def pixmap(name: str, color: str, size: int) -> QPixmap:
    """Give one picture of an icon, for the sharpest screen."""
    screens = QGuiApplication.screens()
    scale = max((screen.devicePixelRatio() for screen in screens), default=1.0)
    return _pixmap(name, color, size, scale)


@cache
def _icon(name: str, color: str, disabled: str) -> QIcon:
    result = QIcon()
    for scale in _SCALES:
        result.addPixmap(_pixmap(name, color, 20, scale), QIcon.Mode.Normal)
        result.addPixmap(_pixmap(name, disabled, 20, scale), QIcon.Mode.Disabled)
    return result


@cache
def _pixmap(name: str, color: str, size: int, scale: float) -> QPixmap:
    source = read(f"icons/{name}.svg").replace("currentColor", color)
    renderer = QSvgRenderer(QByteArray(source.encode()))
    picture = QPixmap(round(size * scale), round(size * scale))
    picture.setDevicePixelRatio(scale)
    picture.fill(Qt.GlobalColor.transparent)
    painter = QPainter(picture)
    renderer.render(painter, QRectF(0, 0, size, size))
    painter.end()
    return picture
