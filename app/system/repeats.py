"""Keeps a failure that repeats itself from filling the log: first whole, then counted.

A slot that fails at every repaint would push everything else out of the file within seconds.
Called under the lock of the handler that owns it.
"""

import logging
import traceback
from collections import OrderedDict
from collections.abc import Hashable
from typing import Final

_MOST_KNOWN: Final = 500


class Repeats:
    """Knows what was said before, the latest first to be remembered."""

    def __init__(self) -> None:
        self._counts: OrderedDict[Hashable, int] = OrderedDict()

    def thinned(self, record: logging.LogRecord) -> logging.LogRecord | None:
        """Give the record, a line that counts, or nothing; each count is twice the last."""
        if record.levelno < logging.WARNING:
            return record
        key = _key(record)
        count = self._counts[key] = self._counts.get(key, 0) + 1
        self._counts.move_to_end(key)
        if len(self._counts) > _MOST_KNOWN:
            self._counts.popitem(last=False)
        if count == 1:
            return record
        return _counted(record, count) if count & (count - 1) == 0 else None


def _key(record: logging.LogRecord) -> Hashable:
    source = (record.name, record.pathname, record.lineno)
    error = record.exc_info[1] if record.exc_info else None
    if error is None:
        return (*source, record.getMessage())
    frames = traceback.extract_tb(error.__traceback__)
    place = (frames[-1].filename, frames[-1].lineno) if frames else ()
    return (*source, type(error).__name__, place)


def _counted(record: logging.LogRecord, count: int) -> logging.LogRecord:
    error = record.exc_info[1] if record.exc_info else None
    what = record.getMessage() if error is None else f"{record.getMessage()}: {error!r}"
    plain = logging.makeLogRecord(record.__dict__)
    plain.msg, plain.args = f"again, {count} times so far: {what}", ()
    plain.exc_info = plain.exc_text = plain.stack_info = None
    return plain
