"""What SQLite and the operating system complain about, as problems a person can act on."""

import errno
from dataclasses import replace
from pathlib import Path

import apsw

from app.core.errors import Problem, ProblemKind

_BY_ERRNO = {
    errno.ENOSPC: ProblemKind.STORAGE_FULL,
    errno.EDQUOT: ProblemKind.STORAGE_FULL,
    errno.EFBIG: ProblemKind.STORAGE_FULL,
    errno.EACCES: ProblemKind.STORAGE_READ_ONLY,
    errno.EPERM: ProblemKind.STORAGE_READ_ONLY,
    errno.EROFS: ProblemKind.STORAGE_READ_ONLY,
    errno.ENOENT: ProblemKind.STORAGE_LOST,
    errno.ENOTDIR: ProblemKind.STORAGE_LOST,
}

_PASSING: dict[type[apsw.Error], ProblemKind] = {
    apsw.BusyError: ProblemKind.STORAGE_LOCKED,
    apsw.LockedError: ProblemKind.STORAGE_LOCKED,
    apsw.ProtocolError: ProblemKind.STORAGE_LOCKED,  # too many processes began to read at once
    apsw.ReadOnlyError: ProblemKind.STORAGE_READ_ONLY,
    apsw.PermissionsError: ProblemKind.STORAGE_READ_ONLY,
    apsw.FullError: ProblemKind.STORAGE_FULL,
    apsw.IOError: ProblemKind.STORAGE_FAILING,
}
_DAMAGE: dict[type[apsw.Error], ProblemKind] = {
    apsw.CorruptError: ProblemKind.STORAGE_CORRUPT,
    apsw.NotADBError: ProblemKind.STORAGE_CORRUPT,
    apsw.FormatError: ProblemKind.STORAGE_CORRUPT,
}
_SENSELESS = (ValueError, TypeError, LookupError, AttributeError, ArithmeticError)
_IMPOSSIBLE = (apsw.ConstraintError, apsw.MismatchError, apsw.TooBigError, apsw.BindingsError)


def storage_problem(error: Exception, path: Path) -> Problem:
    """Say what an error means for the file at `path`."""
    kind = _kind(error, path)
    about = path.parent if kind is ProblemKind.STORAGE_LOST else path  # it is the folder that went
    return Problem(kind=kind, params={"path": str(about)}, detail=repr(error))


def reading_problem(error: Exception, path: Path) -> Problem:
    """Say what an error means that came while reading: rows that make no sense are damage."""
    found = storage_problem(error, path)
    is_damage = isinstance(error, _SENSELESS) or found.kind is ProblemKind.INTERNAL
    return replace(found, kind=ProblemKind.STORAGE_CORRUPT) if is_damage else found


def may_pass(error: Exception) -> bool:
    """Say whether the database is whole and only cannot be written now."""
    return isinstance(error, (*_PASSING, apsw.CantOpenError, apsw.InterruptError))


def is_hopeless(error: Exception) -> bool:
    """Say whether it lies in what was to be written, so that it could never be."""
    return isinstance(error, (*_IMPOSSIBLE, *_SENSELESS))


def _kind(error: Exception, path: Path) -> ProblemKind:
    if isinstance(error, OSError):
        return _BY_ERRNO.get(error.errno or 0, ProblemKind.STORAGE_FAILING)
    if isinstance(error, apsw.CantOpenError):
        gone = not path.parent.is_dir()
        return ProblemKind.STORAGE_LOST if gone else ProblemKind.STORAGE_READ_ONLY
    for known, kind in {**_PASSING, **_DAMAGE}.items():
        if isinstance(error, known):
            return kind
    return ProblemKind.INTERNAL
