"""The last thing the process does.

`os._exit`, because everything between `sys.exit` and the real end can hang: threads that are
joined, finalisers, Qt's own destructors.
"""

import contextlib
import logging
import os
import sys
from typing import NoReturn

from app.lifecycle.last_shutdown import ShutdownNote
from app.system.logs import Log
from app.system.spawner import spawner

_LAST_WAIT_S = 0.2


def final_exit(code: int, note: ShutdownNote | None = None) -> NoReturn:
    """Let the guard go, write out what is buffered, clear the note, and end the process."""
    spawner().dismiss_guard(_LAST_WAIT_S)
    for handler in logging.getLogger().handlers:
        if isinstance(handler, Log):
            handler.drain(_LAST_WAIT_S)
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError):  # its reader may be gone, or it is closed
            if stream is not None:  # a windowed program on Windows has none
                stream.flush()
    if note is not None:
        note.clear()
    os._exit(code)
