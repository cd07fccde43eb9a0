"""Buttons as the whole window has them: named for the eye and the screen reader alike."""

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import QPushButton, QToolButton, QWidget

from app.ui.icons import icon
from app.ui.theme import Theme


class IconButton(QToolButton):
    """A button that is only an icon; its name is its tooltip and its accessible name."""

    def __init__(self, icon_name: str, name: str, *, hint: str = "", size: int = 20) -> None:
        super().__init__()
        self._icon_name = icon_name
        self.setAccessibleName(name)
        self.setToolTip(hint or name)
        self.setIconSize(QSize(size, size))
        self.setAutoRaise(True)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)

    def set_theme(self, theme: Theme, *, color: str = "") -> None:
        """Recolour the icon."""
        self.setIcon(icon(self._icon_name, theme, color=color or theme.muted))


def text_button(text: str, *, style: str = "link", parent: QWidget | None = None) -> QToolButton:
    """Make a small button of words: "link" asks for attention, "quiet" does not."""
    button = QToolButton(parent)
    button.setText(text)
    button.setObjectName(style)
    button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
    return button


def push_button(text: str, *, primary: bool = False) -> QPushButton:
    """Make a button of a dialog or a card."""
    button = QPushButton(text)
    button.setObjectName("primary" if primary else "secondary")
    button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
    button.setAutoDefault(False)
    return button
