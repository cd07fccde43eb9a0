"""Keeps things in the reading column: centred, never wider than comfortable."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from app.ui.theme import Theme

READING_WIDTH = 640  # at a base of 15 px: 70 to 80 characters
OUTDENT = 16  # the composer's padding, so that its words stand under the transcript's
_MARGIN = 8  # with the outdent, 24 px beside the words
_SCROLL_BAR = 10  # the transcript's: what is centred beside it is centred here


class Column(QWidget):
    """A stack of widgets as wide as the transcript's column and its outdent."""

    def __init__(self, *, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._inner = QWidget()
        self._stack = QVBoxLayout(self._inner)
        self._stack.setContentsMargins(0, 0, 0, 0)
        self._stack.setSpacing(4)
        row = QHBoxLayout(self)
        row.setContentsMargins(_MARGIN, 0, _MARGIN, 0)
        row.setSpacing(0)
        row.addStretch(1)
        row.addWidget(self._inner, 1000)
        row.addStretch(1)
        row.addSpacing(_SCROLL_BAR)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.set_theme(theme)

    def set_theme(self, theme: Theme) -> None:
        """Follow the base size."""
        self._inner.setMaximumWidth(theme.px(READING_WIDTH) + 2 * OUTDENT)

    def add(self, widget: QWidget) -> None:
        """Add a widget below the others."""
        self._stack.addWidget(widget)
