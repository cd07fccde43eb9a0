"""A held key that the window system releases and presses again by itself.

X11 repeats a held key as release and press within 0.2 ms, not always marked as a repeat. A
release counts only when no press of the same key follows within the grace.
"""

from PySide6.QtCore import QObject, QTimer, Signal

GRACE_MS = 50


class KeyGrace(QObject):
    """Turns raw key events into presses and releases that a person made."""

    went_down = Signal()
    came_up = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._is_down = False
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(GRACE_MS)
        self._timer.timeout.connect(self._on_released)

    @property
    def is_down(self) -> bool:
        """Say whether the person holds the key."""
        return self._is_down

    def press(self) -> None:
        """Take a raw press."""
        self._timer.stop()
        if not self._is_down:
            self._is_down = True
            self.went_down.emit()

    def release(self) -> None:
        """Take a raw release."""
        if self._is_down:
            self._timer.start()

    def let_go(self) -> None:
        """Forget the key: the release will never come, for the window lost the focus."""
        self._timer.stop()
        if self._is_down:
            self._is_down = False
            self.came_up.emit()

    def _on_released(self) -> None:
        self._is_down = False
        self.came_up.emit()
