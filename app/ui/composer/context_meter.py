"""The meter beside the model: how much is used of how much it can read."""

from PySide6.QtCore import Qt
from PySide6.QtGui import QPaintEvent
from PySide6.QtWidgets import (
    QStyle,
    QStyleOptionToolButton,
    QStylePainter,
    QToolButton,
    QWidget,
)

from app.ui.composer.context_use import Use


class ContextMeter(QToolButton):
    """Shows a `Use`; a click asks to choose what is left out."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("meter")
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setAccessibleName("Context")
        self._use = Use()
        self.hide()

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Say less where there is less room, rather than half of it."""
        option = QStyleOptionToolButton()
        self.initStyleOption(option)
        if self.width() < self.sizeHint().width():
            option.text = self._use.shortest
        QStylePainter(self).drawComplexControl(QStyle.ComplexControl.CC_ToolButton, option)

    def show_use(self, use: Use) -> None:
        """Show another use."""
        if use == self._use:
            return
        self._use = use
        self.setText(use.short)
        self.setAccessibleDescription(use.sentence)
        self.setToolTip(f"{use.sentence}\nClick to choose what is left out.")
        self.setVisible(bool(use.short))
        if self.property("tight") != use.is_tight:
            self.setProperty("tight", use.is_tight)
            self.style().unpolish(self)
            self.style().polish(self)
