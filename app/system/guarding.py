"""Our side of the guard: start it, tell it what to end, let it go."""

import contextlib
import logging
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator

from app.system.children import child_argv
from app.system.environment import child_environment
from app.system.process_table import CAN_SCAN, read_row

_log = logging.getLogger(__name__)
IS_NEEDED = sys.platform != "win32"  # there the job object does it


class Guarding:
    """Keeps one guard; `ensure` is called on the spawner's thread, the rest on any."""

    def __init__(self, tag: str) -> None:
        self._tag = tag
        self._lock = threading.Lock()
        self._groups: set[int] = set()
        self._guard: subprocess.Popen[bytes] | None = None

    def ensure(self) -> None:
        """Have a guard; one that somebody killed is replaced."""
        if not IS_NEEDED or (self._guard is not None and self._guard.poll() is None):
            return
        try:
            with _polite_signals_blocked():
                guard = _start_guard()
        except OSError:
            _log.exception("without a guard, a crash may leave processes behind")
            return
        with self._lock:
            if self._guard is not None and self._guard.stdin is not None:
                self._guard.stdin.close()
            self._guard = guard
            self._tell(f"tag {self._tag} {_own_start()}")
            for group in self._groups:
                self._tell(f"group {group}")

    def watch(self, group: int) -> None:
        """Have a group ended should we die."""
        with self._lock:
            self._groups.add(group)
            self._tell(f"group {group}")

    def forget(self, group: int) -> None:
        """Leave a group alone: it has ended, and its number may pass to a stranger."""
        with self._lock:
            self._groups.discard(group)
            self._tell(f"gone {group}")

    def dismiss(self, timeout_s: float) -> None:
        """End the guard, as if we had died, and wait for it."""
        with self._lock:
            guard, self._guard = self._guard, None
        if guard is None or guard.stdin is None:
            return
        guard.stdin.close()
        try:
            guard.wait(timeout_s)
        except subprocess.TimeoutExpired:
            _log.warning("the guard is still busy; it ends by itself")

    def _tell(self, order: str) -> None:
        if self._guard is None or self._guard.stdin is None:
            return
        # A guard that is gone or stuck must not hold up a start; `ensure` sees to it next time.
        with contextlib.suppress(BrokenPipeError, BlockingIOError):
            os.write(self._guard.stdin.fileno(), f"{order}\n".encode())


@contextlib.contextmanager
def _polite_signals_blocked() -> Iterator[None]:
    # A child inherits what its starter's thread blocks, from its very first moment.
    if sys.platform == "win32":
        yield
        return
    polite = {signal.SIGINT, signal.SIGTERM, signal.SIGHUP}
    before = signal.pthread_sigmask(signal.SIG_BLOCK, polite)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _start_guard() -> "subprocess.Popen[bytes]":
    guard = subprocess.Popen(  # noqa: S603 - our own program
        child_argv("guard"),
        cwd=os.sep,
        env=child_environment(),
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        bufsize=0,
        start_new_session=True,
    )
    if guard.stdin is not None and sys.platform != "win32":
        os.set_blocking(guard.stdin.fileno(), False)
    return guard


def _own_start() -> int:
    row = read_row(os.getpid()) if CAN_SCAN else None
    return row.member.started if row else 0
