""" "Deleted · Undo": a line that can take something back for a few seconds."""

from PySide6.QtCore import QTimer, Signal
from PySide6.QtWidgets import QHBoxLayout, QWidget

from app.ui.buttons import text_button
from app.ui.labels import plain

UNDO_MS = 6000


class UndoBar(QWidget):
    """Shows what was done and one button; goes by itself."""

    undo_wished = Signal()
    expired = Signal()

    def __init__(self, *, lasts_ms: int = UNDO_MS, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._label = plain(name="muted")
        self.undo = text_button("Undo")
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(lasts_ms)
        self._timer.timeout.connect(self._on_timeout)
        self.undo.clicked.connect(self._on_undo)
        row = QHBoxLayout(self)
        row.setContentsMargins(16, 2, 8, 2)
        row.setSpacing(2)
        row.addWidget(self._label)
        row.addWidget(self.undo)
        row.addStretch(1)
        self.hide()

    def offer(self, done: str) -> None:
        """Say what was done, and offer to undo it for a while."""
        self._label.setText(f"{done} ·")
        self.undo.setAccessibleName(f"Undo: {done}")
        self._timer.start()
        self.show()

    def _on_undo(self) -> None:
        self._timer.stop()
        self.hide()
        self.undo_wished.emit()

    def _on_timeout(self) -> None:
        self.hide()
        self.expired.emit()
