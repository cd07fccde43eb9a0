"""Files that are whole or absent after a power cut, and readable by their owner only.

Every function here blocks on the disk: call them from a daemon thread or the storage thread.
They raise OSError; `disk_problem` turns one into what a person can be told.
"""

import contextlib
import errno
import os
import secrets
import sys
from pathlib import Path

from app.core.errors import ProblemError, ProblemKind, problem

OWNER_FILE = 0o600
OWNER_FOLDER = 0o700

_KINDS = {
    errno.ENOSPC: ProblemKind.STORAGE_FULL,
    errno.EDQUOT: ProblemKind.STORAGE_FULL,
    errno.ENOENT: ProblemKind.STORAGE_LOST,
    errno.ESTALE: ProblemKind.STORAGE_LOST,
}


def disk_problem(error: OSError, path: Path) -> ProblemError:
    """Say what a failed disk operation means to a person."""
    kind = _KINDS.get(error.errno or 0, ProblemKind.STORAGE_READ_ONLY)
    return problem(kind, detail=str(error), path=str(path))


def write_atomically(path: Path, data: bytes | str, *, survives_power_cut: bool = True) -> None:
    """Replace a file's whole content; a reader sees the old or the new, never a mixture."""
    target = path.resolve()  # a link to a file kept elsewhere stays a link
    fresh = target.with_name(f".{target.name}.{secrets.token_hex(6)}.new")
    try:
        _write_new(fresh, data, is_synced=survives_power_cut)
        fresh.replace(target)
    except BaseException:
        with contextlib.suppress(FileNotFoundError):
            fresh.unlink()
        raise
    if survives_power_cut:
        sync_folder(target.parent)


def append_durably(path: Path, data: bytes | str) -> None:
    """Add to a file's end; on disk when it returns."""
    is_new = not path.exists()
    fd = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | _binary(), OWNER_FILE)
    try:
        _write_all(fd, data)
        _sync(fd)
    finally:
        os.close(fd)
    if is_new:
        sync_folder(path.parent)


def sync_folder(folder: Path) -> None:
    """Put a folder's entries on disk; Windows has no such call and needs none."""
    if sys.platform == "win32":
        return
    fd = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)


def _write_new(path: Path, data: bytes | str, *, is_synced: bool) -> None:
    fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _binary(), OWNER_FILE)
    try:
        _write_all(fd, data)
        if is_synced:
            _sync(fd)
    finally:
        os.close(fd)


def _write_all(fd: int, data: bytes | str) -> None:
    rest = memoryview(data.encode() if isinstance(data, str) else data)
    while rest:
        rest = rest[os.write(fd, rest) :]


def _sync(fd: int) -> None:
    if sys.platform == "darwin":
        import fcntl  # noqa: PLC0415 - Unix only

        fcntl.fcntl(fd, fcntl.F_FULLFSYNC)  # fsync alone leaves the data in the drive's cache
    else:
        os.fsync(fd)


def _binary() -> int:
    return int(getattr(os, "O_BINARY", 0))
