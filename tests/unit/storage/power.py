"""A disk that remembers every write and sync, and can say what a power cut would have left.

Before a sync nothing is promised: of the writes since then any may be there, in part or not at
all, in any order. That is what `image` builds.
"""

import random
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path

import apsw

SECTOR = 512  # what a drive writes as a whole
_numbers = count()


@dataclass(frozen=True, slots=True)
class Wrote:
    """Bytes at an offset."""

    file: str
    offset: int
    data: bytes


@dataclass(frozen=True, slots=True)
class Cut:
    """A file truncated."""

    file: str
    size: int


@dataclass(frozen=True, slots=True)
class Synced:
    """Everything so far of a file is on the platter."""

    file: str


@dataclass(frozen=True, slots=True)
class Deleted:
    """A file unlinked."""

    file: str


@dataclass(frozen=True, slots=True)
class Acknowledged:
    """The store promised something."""

    promise: str


Entry = Wrote | Cut | Synced | Deleted | Acknowledged


class RecordingDisk(apsw.VFS):
    """Passes everything through and keeps a record."""

    def __init__(self) -> None:
        self.name = f"recording-{next(_numbers)}"
        self.record: list[Entry] = []
        super().__init__(self.name, "")

    def acknowledge(self, promise: str) -> None:
        """Note a promise at this point of the record."""
        self.record.append(Acknowledged(promise))

    def xOpen(self, name: str | apsw.URIFilename | None, flags: list[int]) -> apsw.VFSFile:
        """Open a file whose writes are recorded."""
        path = name.filename() if isinstance(name, apsw.URIFilename) else name
        return _File(self.record.append, Path(path or "temporary").name, name, flags)

    def xDelete(self, filename: str, syncdir: bool) -> None:
        """Delete a file."""
        self.record.append(Deleted(Path(filename).name))
        super().xDelete(filename, syncdir)


class _File(apsw.VFSFile):
    def __init__(
        self,
        note: Callable[[Entry], None],
        file: str,
        name: str | apsw.URIFilename | None,
        flags: list[int],
    ) -> None:
        self._note = note
        self._file = file
        super().__init__("", name, flags)

    def xWrite(self, data: bytes, offset: int) -> None:
        """Write and note it."""
        self._note(Wrote(self._file, offset, bytes(data)))
        super().xWrite(data, offset)

    def xTruncate(self, newsize: int) -> None:
        """Truncate and note it."""
        self._note(Cut(self._file, newsize))
        super().xTruncate(newsize)

    def xSync(self, flags: int) -> None:
        """Sync, and note it only once it is true."""
        super().xSync(flags)
        self._note(Synced(self._file))


@dataclass(slots=True)
class _Contents:
    durable: bytearray = field(default_factory=bytearray)
    pending: list[Wrote | Cut] = field(default_factory=list)


class Platter:
    """Plays a record forward and builds the image that a cut at this point could leave."""

    def __init__(self) -> None:
        self.promises: list[str] = []
        self._files: dict[str, _Contents] = {}

    def play(self, entry: Entry) -> None:
        """Take in what happened next."""
        match entry:
            case Wrote(file=file) | Cut(file=file):
                self._files.setdefault(file, _Contents()).pending.append(entry)
            case Synced(file=file):
                contents = self._files.setdefault(file, _Contents())
                for change in contents.pending:
                    _apply(contents.durable, change)
                contents.pending.clear()
            case Deleted(file=file):
                self._files.pop(file, None)
            case Acknowledged(promise=promise):
                self.promises.append(promise)

    def image(self, folder: Path, chance: random.Random) -> None:
        """Write the files as a cut could leave them, some unsynced writes torn."""
        for name, contents in self._files.items():
            data = bytearray(contents.durable)
            changes = list(contents.pending)
            if chance.random() < 0.5:
                chance.shuffle(changes)
            for change in changes:
                for torn in _torn(change, chance):
                    _apply(data, torn)
            (folder / name).write_bytes(data)


def _torn(change: Wrote | Cut, chance: random.Random) -> list[Wrote | Cut]:
    if chance.random() < 0.3:
        return []
    if isinstance(change, Cut) or chance.random() < 0.5:
        return [change]
    sectors: list[Wrote | Cut] = []
    for start in range(0, len(change.data), SECTOR):
        if chance.random() < 0.5:
            piece = change.data[start : start + SECTOR]
            sectors.append(Wrote(change.file, change.offset + start, piece))
    return sectors


def _apply(data: bytearray, change: Wrote | Cut) -> None:
    if isinstance(change, Cut):
        del data[change.size :]
        return
    end = change.offset + len(change.data)
    if len(data) < end:
        data.extend(bytes(end - len(data)))
    data[change.offset : end] = change.data
