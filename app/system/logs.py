"""The log: private, rotating, without secrets, and never in anybody's way.

Records are formatted and redacted on the thread that logs; one daemon thread writes them, so a
slow disk never holds the window or a Stop. Other people's libraries are heard from warnings up:
below that some of them log whole requests, and no message text belongs here.
"""

import contextlib
import logging
import os
import threading
import time
from collections.abc import Callable
from io import TextIOWrapper
from logging.handlers import RotatingFileHandler
from pathlib import Path
from queue import SimpleQueue

from app.system.files import OWNER_FILE
from app.system.redaction import redact
from app.system.repeats import Repeats
from app.system.threads import spawn_thread

LOG_NAME = "belay.log"

_MAX_BYTES = 1_000_000
_KEPT_FILES = 3
_LONGEST_RECORD = 8_000  # a whole request or answer does not fit
_FORMAT = "%(asctime)s %(levelname)s %(process)d %(threadName)s %(name)s: %(message)s"


def start_logging(folder: Path, level: int = logging.INFO) -> "Log":
    """Send this process's log to a file in the folder."""
    log = Log(folder / LOG_NAME)
    root = logging.getLogger()
    for old in [h for h in root.handlers if isinstance(h, Log)]:
        root.removeHandler(old)
        old.close()
    root.addHandler(log)
    logging.getLogger("app").setLevel(level)
    logging.captureWarnings(capture=True)
    return log


class Log(logging.Handler):
    """Hands redacted lines to the thread that writes them."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.path = path
        self.addFilter(_is_ours_or_serious)
        self.setFormatter(_Formatter())
        self._repeats = Repeats()
        self._file = _PrivateFile(path)
        self._orders: SimpleQueue[Callable[[], None] | None] = SimpleQueue()
        spawn_thread("belay-log", _carry_out_orders, self._orders)

    def emit(self, record: logging.LogRecord) -> None:
        """Queue a record's line, unless it has been said often enough."""
        try:
            wanted = self._repeats.thinned(record)
            if wanted is None:
                return
            line = self.format(wanted)
        except Exception:  # noqa: BLE001 - a broken %-format must not break the code that logs
            line = f"a record of {record.name}:{record.lineno} could not be formatted"
        plain = logging.makeLogRecord({"msg": line})
        self._orders.put(lambda: self._file.emit(plain))

    def drain(self, timeout_s: float) -> bool:
        """Wait until everything logged so far is written; False if the disk takes too long."""
        done = threading.Event()
        self._orders.put(done.set)
        return done.wait(timeout_s)

    def close(self) -> None:
        """Write what is left and close the file, without waiting for it."""
        self._orders.put(self._file.close)
        self._orders.put(None)
        super().close()


def _carry_out_orders(orders: SimpleQueue[Callable[[], None] | None]) -> None:
    while (order := orders.get()) is not None:
        with contextlib.suppress(OSError):  # closing flushes, and a full disk says so once more
            order()


def _is_ours_or_serious(record: logging.LogRecord) -> bool:
    is_ours = record.name == "app" or record.name.startswith("app.")
    return is_ours or record.levelno >= logging.WARNING


class _Formatter(logging.Formatter):
    default_time_format = "%Y-%m-%dT%H:%M:%S"
    default_msec_format = "%s.%03dZ"

    def __init__(self) -> None:
        super().__init__(_FORMAT)
        self.converter = time.gmtime

    def format(self, record: logging.LogRecord) -> str:
        text = redact(super().format(record))
        if len(text) > _LONGEST_RECORD:
            return f"{text[:_LONGEST_RECORD]} … {len(text) - _LONGEST_RECORD} characters left out"
        return text


class _PrivateFile(RotatingFileHandler):
    def __init__(self, path: Path) -> None:
        super().__init__(
            path, maxBytes=_MAX_BYTES, backupCount=_KEPT_FILES, encoding="utf-8", errors="replace"
        )

    def _open(self) -> TextIOWrapper:
        return open(
            self.baseFilename, "a", encoding="utf-8", errors="replace", opener=_open_private
        )

    def handleError(self, record: logging.LogRecord) -> None:
        """Lose the line: a full disk is the database's to report, and stderr is the answer's."""


def _open_private(path: str, flags: int) -> int:
    return os.open(path, flags, OWNER_FILE)
