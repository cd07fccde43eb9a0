"""The guard: a small child that outlives us by a moment and ends what a `kill -9` left behind.

It reads its orders from a pipe whose other end only the app holds, one word and its values a line:

    tag TAG SINCE     whose processes they are; SINCE is when the app started
    group PGID        a group to end
    gone PGID         that group has ended

The end of the pipe is the end of the app: everything tagged or grouped is killed, then the guard
ends itself. It is started with SIGTERM and its like blocked: those go to everybody at a log-out.
"""

import contextlib
import os
import signal
import sys
import time
from collections.abc import Callable

from app.system.process_table import CAN_SCAN, Tree, scan

_LIMIT_S = 5.0  # a process that the kernel cannot end is not waited for any longer
_PAUSE_S = 0.005


def main() -> None:
    """Read orders until the app is gone, then end what it left."""
    orders = _Orders()
    for line in sys.stdin.buffer:
        orders.take(line.decode("ascii", "replace").split())
    orders.carry_out()


class _Orders:
    def __init__(self) -> None:
        self._tag = ""
        self._since = 0
        self._groups: set[int] = set()

    def take(self, words: list[str]) -> None:
        match words:
            case ["tag", tag, since]:
                self._tag, self._since = tag, int(since)
            case ["group", group]:
                self._groups.add(int(group))
            case ["gone", group]:
                self._groups.discard(int(group))
            case _:
                return  # from a newer app: what this guard knows is still true

    def carry_out(self) -> None:
        if not CAN_SCAN:
            for group in self._groups:
                _kill(os.killpg, group)
            return
        tree = Tree(self._tag, frozenset(self._groups), self._since)
        give_up_at = time.monotonic() + _LIMIT_S
        while (members := scan(tree)) and time.monotonic() < give_up_at:
            for member in members:
                _kill(os.kill, member.pid)
            time.sleep(_PAUSE_S)


def _kill(kill: Callable[[int, int], None], target: int) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        kill(target, signal.SIGKILL)
