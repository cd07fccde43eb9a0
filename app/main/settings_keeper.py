"""Keeps the settings on disk: in the background, and always the newest last."""

import threading
from pathlib import Path

from app.core.settings import Settings
from app.storage.settings_file import save
from app.system.threads import spawn_thread


class SettingsKeeper:
    """Writes what was chosen; several changes in a row may become one write."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._writing = threading.Lock()
        self._newest: Settings | None = None

    def keep(self, settings: Settings) -> None:
        """Have the settings written; never blocks."""
        self._newest = settings
        spawn_thread("belay-settings", self._write)

    def _write(self) -> None:
        with self._writing:
            settings, self._newest = self._newest, None
            if settings is not None:
                save(self._path, settings)
