"""What `belay ask` is asked: the words of the command line and of standard input.

Runs before anything else does, so it may block; Ctrl-C ends it as it ends any program.
"""

import os
import select
import sys
from typing import Final, TextIO

from app.core.errors import ProblemError, ProblemKind, problem

MAX_BYTES: Final = 4_000_000  # about a million tokens: more than a model reads
PATIENCE_S: Final = 3.0
NOTHING_CAME: Final = "Nothing came on standard input for 3 s. Asking without it."

_CHUNK = 1 << 16
_ENDLESS = 100_000_000


class Question:
    """The words, and a remark if standard input was given up on."""

    def __init__(self, text: str, remark: str = "") -> None:
        self.text = text
        self.remark = remark


def read_question(text: str | None, stdin: TextIO | None) -> Question:
    """Put the question together; raises ProblemError when it is empty or too large."""
    given = None if text == "-" else text
    piped, is_silent = _piped(stdin, is_awaited=given is None)
    parts = [part for part in (given, piped) if part is not None and part.strip()]
    question = "\n\n".join(parts)
    size = len(question.encode("utf-8", errors="replace"))
    if size > MAX_BYTES:
        raise _too_large(size)
    if not parts:
        raise problem(ProblemKind.MESSAGE_EMPTY)
    return Question(question, NOTHING_CAME if is_silent else "")


def _piped(stdin: TextIO | None, *, is_awaited: bool) -> tuple[str | None, bool]:
    """Read what was piped in; says also whether the pipe was open and silent."""
    if stdin is None or stdin.closed or stdin.isatty():
        return None, False
    # With words of its own the question does not hang on a pipe that nobody writes to or closes.
    if not is_awaited and not _has_news(stdin.fileno()):
        return None, True
    return _read_all(stdin.fileno()).decode("utf-8", errors="replace"), False


def _has_news(fd: int) -> bool:
    if sys.platform == "win32":
        return True  # select knows only sockets there
    return bool(select.select([fd], [], [], PATIENCE_S)[0])


def _read_all(fd: int) -> bytes:
    """Read to the end, but keep no more than may be sent, and give up on what never ends."""
    kept, size = bytearray(), 0
    while size <= _ENDLESS and (chunk := os.read(fd, _CHUNK)):
        size += len(chunk)
        if size <= MAX_BYTES:
            kept += chunk
    if size > MAX_BYTES:
        raise _too_large(size)
    return bytes(kept)


def _too_large(size: int) -> ProblemError:
    return problem(ProblemKind.MESSAGE_TOO_LARGE, megabytes=round(size / 1_000_000))
