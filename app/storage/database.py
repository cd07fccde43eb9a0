"""Opening the file of conversations: private, checked before it is touched, brought up to date.

`open_database` either gives a connection that is ready, or raises ProblemError and leaves every
byte as it was. The connection belongs to the thread that opened it.
"""

import os
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import apsw

from app.core.errors import ProblemError, ProblemKind, problem
from app.storage.migration import migrate
from app.storage.problems import reading_problem
from app.storage.schema import APPLICATION_ID, STEPS, Step
from app.storage.transactions import snapshot
from app.system.files import OWNER_FILE, sync_folder
from app.system.paths import make_folder

BUSY_TIMEOUT_MS = 200  # the thread waits no longer for another process before it serves others

_OPENING_TIMEOUT_MS = 5_000
_LOOKING_S = 0.25
_MAGIC = b"SQLite format 3\0"
_TABLES = ("conversations", "queue", "turns", "drafts", "edits", "deltas", "unindexed", "messages")

_READ_WRITE = apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_NOMUTEX


def open_database(
    path: Path,
    *,
    others_are_gone: Callable[[], bool],
    steps: Sequence[Step] = STEPS,
    vfs: str | None = None,
) -> apsw.Connection:
    """Open the database at `path`, creating or migrating it as needed."""
    make_folder(path.parent)
    try:
        return _opened(path, others_are_gone, steps, vfs)
    except (apsw.Error, OSError) as exc:
        raise ProblemError(reading_problem(exc, path)) from exc


def _opened(
    path: Path, others_are_gone: Callable[[], bool], steps: Sequence[Step], vfs: str | None
) -> apsw.Connection:
    _refuse_orphaned_log(path)
    _make_private(path)
    _refuse_other_content(path)
    db = apsw.Connection(str(path), flags=_READ_WRITE, vfs=vfs)
    try:
        # Until we know that the file is ours, closing it must not fold its log into it.
        db.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
        db.set_busy_timeout(_OPENING_TIMEOUT_MS)
        _refuse_strangers(db, path, newest=len(steps))
        _configure(db)
        migrate(db, path, steps, others_are_gone=others_are_gone)
        _look_over(db, path)
        db.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 0)
    except BaseException:
        db.close()
        raise
    return db


def _refuse_orphaned_log(path: Path) -> None:
    # SQLite deletes a log whose database is missing or empty; its pages may be all that is left.
    real = path.resolve()  # SQLite puts the log beside the file that a link leads to
    log = real.with_name(real.name + "-wal")
    if _size(log) > 0 and _size(path) == 0:
        raise problem(ProblemKind.STORAGE_CORRUPT, "a log without its database", path=str(path))


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except FileNotFoundError:
        return 0


def _refuse_other_content(path: Path) -> None:
    # SQLite takes a file of one byte for an empty database; on some Macs it writes an S itself.
    with path.open("rb") as file:
        begins = file.read(len(_MAGIC))
    if begins not in (b"", b"S", _MAGIC):
        raise problem(ProblemKind.STORAGE_CORRUPT, f"begins with {begins!r}", path=str(path))


def _make_private(path: Path) -> None:
    is_new = not path.exists()
    fd = os.open(path, os.O_RDONLY | os.O_CREAT, OWNER_FILE)  # SQLite gives its log the same mode
    try:
        if os.name == "posix" and os.fstat(fd).st_mode & 0o077:
            os.fchmod(fd, OWNER_FILE)
    finally:
        os.close(fd)
    if is_new:
        sync_folder(path.parent)


def _refuse_strangers(db: apsw.Connection, path: Path, *, newest: int) -> None:
    if db.readonly("main"):
        raise problem(ProblemKind.STORAGE_READ_ONLY, "opened read-only", path=str(path))
    with snapshot(db):  # another process may just be creating it
        version = db.pragma("user_version")
        has_tables = db.execute("SELECT count(*) FROM sqlite_schema").get
        is_ours = db.pragma("application_id") == APPLICATION_ID and version > 0
    if version > newest:
        raise problem(ProblemKind.STORAGE_NEWER, f"version {version}", path=str(path))
    if has_tables and not is_ours:
        raise problem(ProblemKind.STORAGE_CORRUPT, "another program's database", path=str(path))


def _configure(db: apsw.Connection) -> None:
    _use_log(db)
    # NORMAL loses acknowledged rows in a power cut.
    db.pragma("synchronous", "full")
    if sys.platform == "darwin":  # fsync alone leaves the data in the drive's cache
        db.pragma("fullfsync", 1)
        db.pragma("checkpoint_fullfsync", 1)
    db.pragma("trusted_schema", 0)
    db.pragma("cell_size_check", 1)
    db.pragma("temp_store", "memory")


def _use_log(db: apsw.Connection) -> None:
    # The one thing SQLite refuses at once when another process is at it too, timeout or not.
    give_up_at = time.monotonic() + _OPENING_TIMEOUT_MS / 1000
    while not _has_log(db):
        if time.monotonic() > give_up_at:
            raise apsw.BusyError("the journal mode could not be changed")
        time.sleep(0.01)


def _has_log(db: apsw.Connection) -> bool:
    try:
        return bool(db.pragma("journal_mode", "wal") == "wal")
    except apsw.BusyError:
        return False


def _look_over(db: apsw.Connection, path: Path) -> None:
    """Look for damage, for a moment: writing into a damaged file would make it worse."""
    give_up_at = time.monotonic() + _LOOKING_S
    db.set_progress_handler(lambda: time.monotonic() > give_up_at, 1_000)
    try:
        for table in _tables(db):
            found = db.execute(f"PRAGMA quick_check({table})").get
            if found != "ok":
                raise problem(ProblemKind.STORAGE_CORRUPT, str(found)[:500], path=str(path))
    except apsw.InterruptError:  # a large file; what was seen of it is well
        return
    finally:
        db.set_progress_handler(None)


def _tables(db: apsw.Connection) -> list[str]:
    there = {name for (name,) in db.execute("SELECT name FROM sqlite_schema")}
    return [table for table in _TABLES if table in there]
