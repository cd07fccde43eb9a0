"""The settings dialog: a page for each subject, every change applied at once.

Opened with `open()`, never `exec()`: the window goes on. Pages are added from outside, so a new
subject is a new page and nothing here changes.
"""

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QDialog,
    QHBoxLayout,
    QListWidget,
    QStackedWidget,
    QWidget,
)

from app.core.settings import Settings
from app.ui.settings.page import Page


class SettingsDialog(QDialog):
    """Shows the pages; tells every change as the whole new Settings."""

    settings_changed = Signal(object)  # Settings

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle("Settings")
        self._settings = Settings()
        self._pages: list[Page] = []
        self.names = QListWidget()
        self._stack = QStackedWidget()
        self.names.setObjectName("pages")
        self.names.setAccessibleName("Subjects")
        self.names.setFixedWidth(160)
        self.names.currentRowChanged.connect(self._stack.setCurrentIndex)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(0)
        row.addWidget(self.names)
        row.addWidget(self._stack, 1)
        self.resize(760, 620)

    def add(self, page: Page) -> None:
        """Add a page at the end."""
        self._pages.append(page)
        self.names.addItem(page.title)
        self._stack.addWidget(page)
        page.show_settings(self._settings)
        page.changed.connect(self._on_changed)
        if len(self._pages) == 1:
            self.names.setCurrentRow(0)

    def show_settings(self, settings: Settings) -> None:
        """Show what is chosen now on every page."""
        self._settings = settings
        for page in self._pages:
            page.show_settings(settings)

    def open_at(self, title: str) -> None:
        """Open at one page."""
        found = self.names.findItems(title, Qt.MatchFlag.MatchExactly)
        if found:
            self.names.setCurrentItem(found[0])
        self.open()

    def _on_changed(self, settings: Settings) -> None:
        self._settings = settings
        for page in self._pages:
            if page is not self.sender():
                page.show_settings(settings)
        self.settings_changed.emit(settings)
