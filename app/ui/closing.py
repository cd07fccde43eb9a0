"""The dialog while Belay closes: what it waits for, and a way not to wait."""

import math

from PySide6.QtCore import QTimer, Signal
from PySide6.QtWidgets import QDialog, QHBoxLayout, QVBoxLayout, QWidget

from app.core.events import ShutdownPhase
from app.ui.buttons import push_button
from app.ui.labels import plain

SHOWN_AFTER_MS = 150  # a quick end shows nothing: no flash


class ClosingDialog(QDialog):
    """Says which phase is waited for; Esc does nothing, Quit now ends the wait."""

    quit_now_wished = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle("Closing Belay")
        self._waiting = plain()
        self._saved = plain("Saving…", name="muted")
        self.quit_now = push_button("Quit now")
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(SHOWN_AFTER_MS)
        self._timer.timeout.connect(self.open)
        self.quit_now.clicked.connect(self.quit_now_wished)
        self._lay_out()

    def _lay_out(self) -> None:
        foot = QHBoxLayout()
        foot.addStretch(1)
        foot.addWidget(self.quit_now)
        column = QVBoxLayout(self)
        column.setContentsMargins(24, 22, 24, 18)
        column.setSpacing(10)
        column.addWidget(plain("Closing Belay", name="heading"))
        column.addWidget(self._waiting)
        column.addWidget(self._saved)
        column.addSpacing(6)
        column.addLayout(foot)
        self._waiting.hide()
        self.setMinimumWidth(380)

    @property
    def words(self) -> tuple[str, str]:
        """What it waits for, and whether all is saved."""
        return self._waiting.text(), self._saved.text()

    def begin(self) -> None:
        """Show it soon, unless the end comes first."""
        self._timer.start()

    def apply(self, phase: ShutdownPhase) -> None:
        """Say what is waited for now."""
        seconds = math.ceil(phase.deadline_s)
        self._waiting.setText(f"Waiting for {phase.name}, at most {seconds} s.")
        self._waiting.show()
        self._saved.setText("Everything you wrote is saved." if phase.saved else "Saving…")

    def reject(self) -> None:
        """Stay: Esc and the close button do not undo Quit."""
