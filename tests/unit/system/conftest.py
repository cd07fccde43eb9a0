"""What tests of processes share: eyes of their own, independent of the code under test."""

import threading
import time
from collections.abc import Callable, Iterator

import psutil
import pytest

from app.system.spawner import spawner

BOUND_S = 60.0


def wait_until(condition: Callable[[], bool], what: str) -> None:
    """Wait for a condition, with a bound."""
    pause, give_up_at = threading.Event(), time.monotonic() + BOUND_S
    while not condition():
        assert time.monotonic() < give_up_at, f"waited in vain for: {what}"
        pause.wait(0.005)


def lives(pid: int) -> bool:
    """Say whether a process runs; a zombie does not."""
    try:
        return bool(psutil.Process(pid).status() != psutil.STATUS_ZOMBIE)
    except psutil.NoSuchProcess:
        return False


class Lines:
    """A sink that can be waited on."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._data = b""

    def __call__(self, data: bytes) -> None:
        with self._changed:
            self._data += data
            self._changed.notify_all()

    @property
    def text(self) -> str:
        return self._data.decode()

    def wait_for(self, count: int) -> list[str]:
        """Wait for that many whole lines."""
        with self._changed:
            assert self._changed.wait_for(lambda: self._data.count(b"\n") >= count, BOUND_S)
            return self._data.decode().splitlines()

    def pids(self, count: int) -> list[int]:
        """Wait for that many lines, each the id of a process that lives."""
        found = [int(line) for line in self.wait_for(count)]
        assert all(lives(pid) for pid in found)
        return found


@pytest.fixture
def lines() -> Lines:
    return Lines()


@pytest.fixture(autouse=True)
def _nothing_left_running() -> Iterator[None]:
    yield
    left = spawner().trees
    for tree in left:
        tree.end_blocking(0)
    spawner().dismiss_guard(BOUND_S)
    assert not left, "the test left process trees behind"
