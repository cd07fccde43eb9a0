"""The words of a waiting order, open for change inside their chip."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QWidget

from app.ui.growing_text import GrowingText

_ENTER = (Qt.Key.Key_Return, Qt.Key.Key_Enter)


class ChipEditor(GrowingText):
    """Enter keeps the change, Esc leaves it; Shift+Enter and Alt+Enter break the line."""

    kept = Signal(str)
    left = Signal()

    def __init__(self, text: str, parent: QWidget | None = None) -> None:
        super().__init__(max_lines=4, parent=parent)
        self.setAccessibleName("Edit waiting message")
        self.set_text(text, len(text))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Take Enter and Esc, unless an input method is composing."""
        breaks = Qt.KeyboardModifier.ShiftModifier | Qt.KeyboardModifier.AltModifier
        if self.composing:
            event.accept()
        elif event.key() in _ENTER and event.modifiers() & breaks:
            self.insertPlainText("\n")
        elif event.key() in _ENTER:
            # Nothing left is no message: as it was, and the chip has a button to remove it.
            self.kept.emit(self.toPlainText()) if self.has_words() else self.left.emit()
        elif event.key() == Qt.Key.Key_Escape:
            self.left.emit()
        else:
            super().keyPressEvent(event)
