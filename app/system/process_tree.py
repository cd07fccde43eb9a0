"""A child process and everything it started, from its start to the end of the last of them.

The leader is not reaped before the tree has ended: its id names the group, and must not pass to
a stranger while we may still signal it. Always `end` a tree, also when its leader has exited.
All methods may be called from any thread and none blocks, except the `_blocking` ones.
"""

import logging
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from functools import partial

from app.system.members import Members
from app.system.pipes import PipeWriter
from app.system.threads import await_future, spawn_thread

GRACE_S = 0.25

_log = logging.getLogger(__name__)
_KILL_LIMIT_S = 2.0  # a process stuck in the kernel does not die of SIGKILL
_FIRST_PAUSE_S = 0.001
_LONGEST_PAUSE_S = 0.01


class ProcessTree:
    """A running child; made by the spawner."""

    def __init__(
        self,
        process: "subprocess.Popen[bytes]",
        *,
        argv: tuple[str, ...],
        members: Members,
        output_ended: Future[None],
        on_ended: Callable[["ProcessTree"], None],
    ) -> None:
        self.pid = process.pid
        self.argv = argv
        self.stdin = PipeWriter(process.stdin) if process.stdin else None
        self._process = process
        self._members = members
        self._output_ended = output_ended
        self._on_ended = on_ended
        self._exited: Future[int] = Future()
        self._ended: Future[frozenset[int]] = Future()
        self._lock = threading.Lock()
        self._is_ending = False
        self._hurry = threading.Event()
        self._kill_at = 0.0

    def watch(self) -> None:
        """Begin to wait for the leader's exit."""
        spawn_thread(f"belay-wait-{self.pid}", self._wait_for_exit)

    @property
    def exit_code(self) -> int | None:
        """The leader's exit code, negative for a signal; None while it runs."""
        return self._exited.result() if self._exited.done() else None

    async def exited(self) -> int:
        """Wait for the leader's exit; others of the tree may still run."""
        return await await_future(self._exited)

    def exited_blocking(self, timeout_s: float | None = None) -> int:
        """Wait for the leader's exit on this thread; raise TimeoutError."""
        return self._exited.result(timeout_s)

    async def output_ended(self) -> None:
        """Wait until everything the tree wrote has been handed to its sinks."""
        await await_future(self._output_ended)

    def output_ended_blocking(self, timeout_s: float | None = None) -> None:
        """Wait for the end of the output on this thread; raise TimeoutError."""
        self._output_ended.result(timeout_s)

    def begin_end(self, grace_s: float = GRACE_S) -> Future[frozenset[int]]:
        """Ask all to end, kill them after the grace; the future names those that would not die.

        Asking again with less grace shortens it.
        """
        with self._lock:
            kill_at = time.monotonic() + grace_s
            if self._is_ending:
                self._kill_at = min(self._kill_at, kill_at)
                self._hurry.set()
                return self._ended
            self._is_ending, self._kill_at = True, kill_at
        spawn_thread(f"belay-end-{self.pid}", self._end)
        return self._ended

    async def end(self, grace_s: float = GRACE_S) -> frozenset[int]:
        """End all and wait for it; a cancelled wait does not stop the ending."""
        return await await_future(self.begin_end(grace_s))

    def end_blocking(self, grace_s: float = GRACE_S) -> frozenset[int]:
        """End all and wait for it on this thread."""
        return self.begin_end(grace_s).result()

    def _wait_for_exit(self) -> None:
        self._exited.set_result(_wait_without_reaping(self._process))

    def _end(self) -> None:
        try:
            left = self._end_members()
        except BaseException as exc:  # noqa: BLE001 - it belongs to whoever waits for the end
            self._ended.set_exception(exc)
            return
        if left:
            _log.error("these processes cannot be ended: %s", sorted(left))
        if self.stdin is not None:
            self.stdin.close()
        if self.pid not in left:
            self._exited.result()  # reaped only once the watcher has seen it, or it would see none
            self._process.wait()
        self._on_ended(self)
        self._ended.set_result(left)

    def _end_members(self) -> frozenset[int]:
        self._members.ask_to_end()
        left = self._left_at(lambda: self._kill_at)
        give_up_at = time.monotonic() + _KILL_LIMIT_S
        while left and time.monotonic() < give_up_at:
            self._members.kill()
            look_again_at = time.monotonic() + _LONGEST_PAUSE_S
            left = self._left_at(partial(float, look_again_at))
        return left

    def _left_at(self, deadline: Callable[[], float]) -> frozenset[int]:
        pause_s = _FIRST_PAUSE_S
        while (left := self._members.left()) and time.monotonic() < deadline():
            self._hurry.wait(pause_s)
            self._hurry.clear()
            pause_s = min(pause_s * 2, _LONGEST_PAUSE_S)
        return left


def _wait_without_reaping(process: "subprocess.Popen[bytes]") -> int:
    if sys.platform == "win32" or not hasattr(os, "waitid"):
        return process.wait()  # macOS before Python 3.13 has no way to look without reaping
    found = os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
    assert found is not None, "without WNOHANG there is always an answer"
    return found.si_status if found.si_code == os.CLD_EXITED else -found.si_status
