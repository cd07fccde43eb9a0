"""Keeps the settings on disk: in the background, and always the newest last."""

import threading
from collections.abc import Callable
from pathlib import Path

from app.core.errors import Problem, ProblemError
from app.core.settings import Settings
from app.storage import settings_file
from app.system.threads import spawn_thread


class SettingsKeeper:
    """Writes what was chosen; several changes in a row may become one write.

    `on_trouble` hears on the writing thread why they could not be written.
    """

    def __init__(self, path: Path, *, on_trouble: Callable[[Problem], None]) -> None:
        self._path = path
        self._on_trouble = on_trouble
        self._lock = threading.Lock()
        self._writing = threading.Lock()
        self._newest: Settings | None = None
        self._under_way = 0

    def is_saved(self) -> bool:
        """Say whether nothing waits to be written; any thread."""
        with self._lock:
            return self._under_way == 0

    def keep(self, settings: Settings) -> None:
        """Have the settings written; never blocks."""
        with self._lock:
            self._newest = settings
            self._under_way += 1
        spawn_thread("belay-settings", self._write)

    def _write(self) -> None:
        try:
            with self._writing:
                self._write_newest()
        finally:
            with self._lock:
                self._under_way -= 1

    def _write_newest(self) -> None:
        with self._lock:
            settings, self._newest = self._newest, None
        if settings is None:
            return  # somebody else has written it meanwhile
        try:
            settings_file.save(self._path, settings)
        except ProblemError as error:
            self._on_trouble(error.problem)
