"""Locks on files, held by a process and freed by the operating system when it dies.

`flock` rather than `lockf`: closing any other descriptor of the same file would free the latter.
The Windows half has not been run on Windows yet.
"""

import os
import sys
from pathlib import Path
from typing import Self

from app.system.files import OWNER_FILE

if sys.platform == "win32":
    import msvcrt

    _BYTE = 1 << 30  # Windows locks bar reading: lock a byte that nobody reads

    def _try_lock(fd: int, *, shared: bool) -> bool:  # noqa: ARG001 - Windows has one kind
        os.lseek(fd, _BYTE, os.SEEK_SET)
        try:
            msvcrt.locking(fd, msvcrt.LK_NBLCK, 1)
        except PermissionError:
            return False
        return True
else:
    import fcntl

    def _try_lock(fd: int, *, shared: bool) -> bool:
        kind = fcntl.LOCK_SH if shared else fcntl.LOCK_EX
        try:
            fcntl.flock(fd, kind | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True


class FileLock:
    """A lock that this process holds; use as a context or `release` it."""

    def __init__(self, path: Path, fd: int) -> None:
        self.path = path
        self._fd = fd

    @classmethod
    def try_take(cls, path: Path, *, create: bool = True) -> Self | None:
        """Take the lock, or return None if another process or holder has it."""
        return cls._try(path, os.O_RDWR | (os.O_CREAT if create else 0), shared=False)

    @classmethod
    def try_share(cls, path: Path) -> Self | None:
        """Share an existing file's lock with other sharers, or return None if it is taken."""
        return cls._try(path, os.O_RDWR, shared=True)

    @classmethod
    def _try(cls, path: Path, flags: int, *, shared: bool) -> Self | None:
        fd = os.open(path, flags, OWNER_FILE)
        try:
            taken = _try_lock(fd, shared=shared)
        except BaseException:
            os.close(fd)
            raise
        if taken:
            return cls(path, fd)
        os.close(fd)
        return None

    def write(self, content: bytes) -> None:
        """Write the locked file's content."""
        os.lseek(self._fd, 0, os.SEEK_SET)
        os.write(self._fd, content)

    def release(self) -> None:
        """Give the lock back; safe to call twice."""
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.release()
