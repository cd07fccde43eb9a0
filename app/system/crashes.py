"""What a crash leaves behind: the stacks of all threads, in a file that the next start reads.

Started before anything else. Python's own stacks name files and lines, never values, so the file
holds no secrets and no messages. One open file per process, kept open to its end: faulthandler
writes to it when nothing else works any more.
"""

import faulthandler
import logging
import os
import sys
import threading
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import IO

from app.system.files import OWNER_FILE

CRASH_NAME = "crash.log"

_log = logging.getLogger(__name__)
_LONGEST_FILE = 200_000
_HEADER = "=== process {pid} "
_open_file: IO[bytes] | None = None


def start_crash_log(folder: Path) -> IO[bytes]:
    """Write every thread's stack to the crash file when the process dies of a fatal signal."""
    global _open_file  # noqa: PLW0603 - faulthandler keeps only the descriptor; this keeps it open
    path = folder / CRASH_NAME
    _shorten(path)
    fd = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, OWNER_FILE)
    _open_file = os.fdopen(fd, "ab", buffering=0)
    now = datetime.now(UTC).isoformat(timespec="seconds")
    _open_file.write(f"{_HEADER.format(pid=os.getpid())}{now} ===\n".encode())
    faulthandler.enable(_open_file, all_threads=True)
    return _open_file


def crash_file() -> IO[bytes] | None:
    """Give the open crash file, if it was started."""
    return _open_file


def crash_report(folder: Path, pid: int) -> str:
    """Read what the last process of that id left; empty if it left nothing."""
    path = folder / CRASH_NAME
    if not path.exists():
        return ""
    text = path.read_text("utf-8", errors="replace")
    _, found, rest = text.rpartition(_HEADER.format(pid=pid))
    if not found:
        return ""
    body = rest.partition("\n")[2]
    return body.split(_HEADER.split("{", maxsplit=1)[0], maxsplit=1)[0].strip()


def log_unhandled_exceptions() -> None:
    """Put exceptions that nobody caught into the log, on any thread."""
    sys.excepthook = _log_uncaught
    threading.excepthook = lambda args: _log_uncaught(
        args.exc_type, args.exc_value, args.exc_traceback
    )


def _log_uncaught(
    kind: type[BaseException], error: BaseException | None, traceback: TracebackType | None
) -> None:
    if issubclass(kind, (KeyboardInterrupt, SystemExit)) or error is None:
        return
    where = threading.current_thread().name
    _log.critical("uncaught on %s", where, exc_info=(kind, error, traceback))


def _shorten(path: Path) -> None:
    if path.exists() and path.stat().st_size > _LONGEST_FILE:
        path.write_bytes(path.read_bytes()[-_LONGEST_FILE // 2 :])
