"""The line over the page: the sidebar's switch and the conversation's title."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QWidget

from app.ui.buttons import IconButton
from app.ui.labels import ElidedLabel
from app.ui.theme import Theme


class Header(QWidget):
    """Shows the title; says when the sidebar should come or go."""

    sidebar_toggled = Signal()
    new_wished = Signal()

    def __init__(self, *, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.toggle = IconButton("sidebar", "Hide the sidebar")
        self.new = IconButton("new", "New conversation", hint="New conversation · Ctrl+N")
        self.title = ElidedLabel(name="heading")
        self.toggle.clicked.connect(self.sidebar_toggled)
        self.new.clicked.connect(self.new_wished)
        row = QHBoxLayout(self)
        row.setContentsMargins(14, 9, 16, 7)
        row.setSpacing(2)
        row.addWidget(self.toggle)
        row.addWidget(self.new)
        row.addWidget(self.title, 1)
        self.new.hide()
        self.set_theme(theme)

    def set_theme(self, theme: Theme) -> None:
        """Repaint in other colours."""
        self.toggle.set_theme(theme)
        self.new.set_theme(theme)

    def show_sidebar_state(self, shown: bool) -> None:
        """Name the switch for what it does next; a hidden sidebar lends its New button."""
        name = "Hide the sidebar" if shown else "Show the sidebar"
        self.toggle.setAccessibleName(name)
        self.toggle.setToolTip(name)
        self.new.setVisible(not shown)
