"""The desktop's own ways: the session ends; on a Mac the last window closes and the app stays.

The end of a session comes from the session manager here and from the system itself on Windows and
macOS. What concerns those two is written from their documentation and has not been run there.
"""

import sys

from PySide6.QtCore import QObject, Qt
from PySide6.QtGui import QGuiApplication

from app.ui.main_window import MainWindow


class Desktop(QObject):
    """Tells the window what the desktop wants of it; GUI thread."""

    def __init__(
        self, app: QGuiApplication, main: MainWindow, *, platform: str = sys.platform
    ) -> None:
        super().__init__(main)
        self._main = main
        app.commitDataRequest.connect(self.on_session_end)
        if platform == "darwin":
            main.stays_when_closed = True
            app.applicationStateChanged.connect(self.on_state_changed)

    def on_session_end(self) -> None:
        """Quit: the desktop is going, and ends what is still there by force."""
        self._main.quit()

    def on_state_changed(self, state: Qt.ApplicationState) -> None:
        """Show the window again when somebody turns to the app."""
        if state == Qt.ApplicationState.ApplicationActive and not self._main.isVisible():
            self._main.show()
