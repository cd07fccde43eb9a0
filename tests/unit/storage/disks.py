"""Disks that fail on demand, beneath a real SQLite."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count

import apsw

_numbers = count()


class FailingDisk(apsw.VFS):
    """A disk whose writes or syncs raise what they are told to, while they are told to."""

    def __init__(self) -> None:
        self.name = f"failing-{next(_numbers)}"
        self.error: type[Exception] | None = None
        self.refusals = 0
        self.log_syncs = 0  # one for each commit, as long as nothing is checkpointed
        self.open_gate = threading.Event()
        self.open_gate.set()
        super().__init__(self.name, "")

    def xOpen(self, name: str | apsw.URIFilename | None, flags: list[int]) -> apsw.VFSFile:
        """Open a file whose writes pass through here."""
        return _File(self, name, flags)

    def check(self) -> None:
        """Wait while the disk hangs, and fail while it should."""
        self.open_gate.wait()
        if self.error is not None:
            self.refusals += 1
            raise self.error("as the test wanted")

    @contextmanager
    def failing(self, error: type[Exception]) -> Iterator[None]:
        """Fail for the length of a `with` block."""
        self.error = error
        try:
            yield
        finally:
            self.error = None

    @contextmanager
    def hanging(self) -> Iterator[None]:
        """Answer nothing for the length of a `with` block."""
        self.open_gate.clear()
        try:
            yield
        finally:
            self.open_gate.set()


class _File(apsw.VFSFile):
    def __init__(
        self, disk: FailingDisk, name: str | apsw.URIFilename | None, flags: list[int]
    ) -> None:
        self._disk = disk
        self._is_log = bool(flags[0] & apsw.SQLITE_OPEN_WAL)
        super().__init__("", name, flags)

    def xWrite(self, data: bytes, offset: int) -> None:
        """Write, unless the disk is failing."""
        self._disk.check()
        super().xWrite(data, offset)

    def xSync(self, flags: int) -> None:
        """Sync, unless the disk is failing."""
        self._disk.check()
        self._disk.log_syncs += self._is_log
        super().xSync(flags)
