"""How large the window is: as it was left, on a screen that may have become smaller."""

from dataclasses import replace

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import QMainWindow

from app.core.settings import Settings

_MOST = 100_000  # more than any screen: Qt refuses what no C++ int can hold
_FRAME = QSize(16, 48)  # what window managers put round it, about


class WindowSize:
    """Gives a window the size it was left with, and says which one it has now."""

    def __init__(self, window: QMainWindow, settings: Settings) -> None:
        self._window = window
        wished = QSize(_sane(settings.window_width), _sane(settings.window_height))
        window.resize(wished.boundedTo(window.screen().availableSize() - _FRAME))
        if settings.window_is_maximized:
            window.setWindowState(window.windowState() | Qt.WindowState.WindowMaximized)
        self._opened_with = (window.size(), settings.window_is_maximized)

    def noted(self, settings: Settings) -> Settings:
        """Put the size into the settings, if the person changed it."""
        size, is_maximized = self._window.normalGeometry().size(), self._window.isMaximized()
        if (size, is_maximized) == self._opened_with:
            return settings
        return replace(
            settings,
            window_width=size.width(),
            window_height=size.height(),
            window_is_maximized=is_maximized,
        )


def _sane(pixels: int) -> int:
    return max(1, min(pixels, _MOST))
