"""Bringing an older file up to date: a backup first, then all missing steps in one transaction."""

import os
from collections.abc import Callable, Sequence
from pathlib import Path

import apsw

from app.core.errors import ProblemKind, problem
from app.storage.schema import Step
from app.system.files import OWNER_FILE, sync_folder


def migrate(
    db: apsw.Connection, path: Path, steps: Sequence[Step], *, others_are_gone: Callable[[], bool]
) -> None:
    """Take the steps that a database lacks; a failure leaves it as it was."""
    version = db.pragma("user_version")
    if version == len(steps):
        return
    if version > 0:
        if not others_are_gone():
            raise problem(ProblemKind.STORAGE_BUSY, f"version {version}", path=str(path))
        back_up(db, path, version)
    db.execute("BEGIN EXCLUSIVE")
    try:
        # Another process may have taken the same steps while we waited for the lock.
        for step in steps[db.pragma("user_version") :]:
            step.run(db)
        db.pragma("user_version", len(steps))
        db.execute("COMMIT")
    except BaseException:
        if db.in_transaction:
            db.execute("ROLLBACK")
        raise


def back_up(db: apsw.Connection, path: Path, version: int) -> Path:
    """Copy the database beside itself, whole and on disk, and give the copy's path."""
    copy, fd = _new_file(path, version)
    try:
        db.execute("VACUUM INTO ?", (str(copy),))
        os.fsync(fd)
    except BaseException:
        copy.unlink()
        raise
    finally:
        os.close(fd)
    sync_folder(copy.parent)
    return copy


def _new_file(path: Path, version: int) -> tuple[Path, int]:
    number = 0
    while True:
        suffix = f"-{number}" if number else ""
        copy = path.with_name(f"{path.name}.v{version}{suffix}.bak")
        try:
            return copy, os.open(copy, os.O_RDWR | os.O_CREAT | os.O_EXCL, OWNER_FILE)
        except FileExistsError:  # an earlier backup is never overwritten
            number += 1
