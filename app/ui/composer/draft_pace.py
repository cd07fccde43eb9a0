"""When to save a draft: soon after the last key, and now and then while typing goes on."""

from PySide6.QtCore import QObject, QTimer, Signal

QUIET_MS = 300
AT_MOST_MS = 1000


class DraftPace(QObject):
    """Two timers: one starts anew with every key, the other never waits longer than a second."""

    due = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._quiet = self._timer(QUIET_MS)
        self._at_most = self._timer(AT_MOST_MS)

    def touch(self) -> None:
        """Note a change."""
        self._quiet.start()
        if not self._at_most.isActive():
            self._at_most.start()

    def flush(self) -> None:
        """Save now, if there is a change that was not saved."""
        if self._quiet.isActive():
            self._on_timeout()

    def forget(self) -> None:
        """Leave it: what was typed has gone another way."""
        self._quiet.stop()
        self._at_most.stop()

    def _timer(self, interval_ms: int) -> QTimer:
        timer = QTimer(self)
        timer.setSingleShot(True)
        timer.setInterval(interval_ms)
        timer.timeout.connect(self._on_timeout)
        return timer

    def _on_timeout(self) -> None:
        self.forget()
        self.due.emit()
