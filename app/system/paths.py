"""Where everything lives: under BELAY_HOME if it is set, else where the platform wants it."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Self

from app.system.files import OWNER_FOLDER, disk_problem

APP_NAME = "belay"
HOME_VARIABLE = "BELAY_HOME"


@dataclass(frozen=True, slots=True, kw_only=True)
class Paths:
    """The folders; `make` creates them."""

    config: Path
    data: Path
    cache: Path
    logs: Path
    attachments: Path
    runtime: Path  # sockets and keys of running processes; beside the data that they speak for

    @classmethod
    def find(cls, environ: Mapping[str, str] = os.environ) -> Self:
        """Decide the folders; touches no disk."""
        home = environ.get(HOME_VARIABLE)
        if home:
            return cls._under(Path(home).expanduser().absolute())
        return cls._of_platform()

    @classmethod
    def _under(cls, home: Path) -> Self:
        return cls._with_data(home / "data", home / "config", home / "cache", home / "logs")

    @classmethod
    def _of_platform(cls) -> Self:
        from platformdirs import PlatformDirs  # noqa: PLC0415 - needless when BELAY_HOME is set

        dirs = PlatformDirs(APP_NAME, appauthor=False)
        return cls._with_data(
            dirs.user_data_path, dirs.user_config_path, dirs.user_cache_path, dirs.user_log_path
        )

    @classmethod
    def _with_data(cls, data: Path, config: Path, cache: Path, logs: Path) -> Self:
        return cls(
            config=config,
            data=data,
            cache=cache,
            logs=logs,
            attachments=data / "attachments",
            runtime=data / "run",
        )

    def make(self) -> None:
        """Create what is missing, for the owner only; raise ProblemError if one cannot be used."""
        for field in fields(self):
            make_folder(getattr(self, field.name))


def make_folder(folder: Path) -> None:
    """Create a folder for the owner only; raise ProblemError if it cannot be written to."""
    try:
        for missing in reversed([p for p in (folder, *folder.parents) if not p.exists()]):
            missing.mkdir(mode=OWNER_FOLDER, exist_ok=True)
        if not folder.is_dir():
            raise NotADirectoryError(f"not a folder: {folder}")
        if folder.stat().st_mode & 0o077:
            folder.chmod(OWNER_FOLDER)
        if not os.access(folder, os.W_OK | os.X_OK):
            raise PermissionError(f"no permission to write: {folder}")
    except OSError as exc:
        raise disk_problem(exc, folder) from exc
