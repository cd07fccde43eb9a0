"""Leases: a locked file per running process, so that each knows which others still live.

Open turns and queues name the lease of the process that works on them. The operating system
frees the lock however that process ends, so recovery touches exactly what the dead have left.
A lease is born empty and filled once it is locked: an empty file is not a dead one.
"""

import contextlib
import json
import os
import secrets
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from app.system.files import disk_problem
from app.system.locks import FileLock
from app.system.paths import make_folder

_SUFFIX = ".lease"
_BIRTH_S = 60.0  # longer than any process takes from creating its lease to locking it


@dataclass(frozen=True, slots=True, kw_only=True)
class LeaseNote:
    """What a process says of itself in its lease."""

    id: str
    pid: int
    role: str
    since: float


class Lease:
    """This process's own lease; held until `release` or the end of the process."""

    def __init__(self, lease_id: str, lock: FileLock) -> None:
        self.id = lease_id
        self._lock = lock

    def release(self) -> None:
        """End it: nothing is left to recover."""
        self._lock.path.unlink(missing_ok=True)
        self._lock.release()


class Leases:
    """All leases on one data folder."""

    def __init__(self, data_folder: Path) -> None:
        self._folder = data_folder / "leases"

    def take(self, role: str) -> Lease:
        """Take a new lease for this process; raise ProblemError if the folder is unusable."""
        make_folder(self._folder)
        lease_id = f"{os.getpid()}-{secrets.token_hex(4)}"
        try:
            return Lease(lease_id, self._lock_new(lease_id, role))
        except OSError as exc:
            raise disk_problem(exc, self._folder) from exc

    def living(self) -> frozenset[str]:
        """List the leases of processes that run, including this one."""
        return frozenset(path.stem for path in self._files() if not _is_dead(path))

    def dead(self) -> frozenset[str]:
        """List the leases that nobody holds any more."""
        return frozenset(path.stem for path in self._files() if _is_dead(path))

    def note(self, lease_id: str) -> LeaseNote | None:
        """Read what a process said of itself; None if there is no such lease."""
        try:
            return LeaseNote(id=lease_id, **json.loads(self._path(lease_id).read_bytes()))
        except (FileNotFoundError, ValueError, TypeError):
            return None

    def bury(self, lease_id: str) -> bool:
        """Remove a dead lease once its work is recovered; False if it lives or is gone."""
        path = self._path(lease_id)
        try:
            if not _is_dead(path):
                return False
            path.unlink()
        except FileNotFoundError:
            return False
        return True

    def _lock_new(self, lease_id: str, role: str) -> FileLock:
        lock = FileLock.try_take(self._path(lease_id))
        assert lock is not None, "a new name cannot be locked by anybody else"
        note = {"pid": os.getpid(), "role": role, "since": time.time()}
        lock.write(json.dumps(note).encode())
        return lock

    def _path(self, lease_id: str) -> Path:
        return self._folder / f"{lease_id}{_SUFFIX}"

    def _files(self) -> Iterator[Path]:
        with contextlib.suppress(FileNotFoundError):
            yield from [path for path in self._folder.iterdir() if path.suffix == _SUFFIX]


def _is_dead(path: Path) -> bool:
    try:
        lock = FileLock.try_share(path)
        if lock is None:
            return False
        lock.release()
        found = path.stat()
    except FileNotFoundError:
        return False
    return found.st_size > 0 or time.time() - found.st_mtime > _BIRTH_S
