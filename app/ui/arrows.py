"""The small arrow of things that drop down: a style sheet takes Qt's own away."""

from PySide6.QtCore import Qt
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QWidget

from app.ui.icons import pixmap

_SIZE = 14


def paint_arrow(widget: QWidget, *, inset: int) -> None:
    """Draw the arrow over a widget, at its far edge."""
    arrow = pixmap("down", widget.palette().placeholderText().color().name(), _SIZE)
    rtl = widget.layoutDirection() == Qt.LayoutDirection.RightToLeft
    x = inset if rtl else widget.width() - inset - _SIZE
    painter = QPainter(widget)
    painter.drawPixmap(x, (widget.height() - _SIZE) // 2, arrow)
