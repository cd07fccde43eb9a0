"""The real `belay` as a child process, with everything it started ended by the test's end.

Descendants are found by their parent and by a tag in their environment, so one that left its
session or lost its parent is found as well.
"""

import os
import subprocess
import sys
import threading
import uuid
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import IO

import psutil

LIMIT_S = 60.0  # for anything a test waits for: a bound against hanging, not a measure
_TAG = "BELAY_TEST_TREE"


class Output:
    """A stream read on a thread of its own, so that a child never blocks on a full pipe."""

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream = stream
        self._changed = threading.Condition()
        self._data = b""
        self._ended = False
        self._thread = threading.Thread(target=self._read, daemon=True)
        self._thread.start()

    @property
    def text(self) -> str:
        """Everything read so far."""
        with self._changed:
            return self._data.decode(errors="replace")

    def wait_for(self, wanted: str | Callable[[str], bool], limit_s: float = LIMIT_S) -> str:
        """Wait until the text contains or satisfies `wanted`; return all of it."""
        holds = (lambda text: wanted in text) if isinstance(wanted, str) else wanted
        with self._changed:
            self._changed.wait_for(
                lambda: holds(self._data.decode(errors="replace")) or self._ended, limit_s
            )
        text = self.text
        assert holds(text), f"waited for {wanted!r}, got {text!r}"
        return text

    def read_to_end(self, limit_s: float = LIMIT_S) -> str:
        """Wait until the child has closed the stream; return all of it."""
        with self._changed:
            assert self._changed.wait_for(lambda: self._ended, limit_s), "stream still open"
        return self.text

    def _read(self) -> None:
        while chunk := os.read(self._stream.fileno(), 65536):
            self._add(chunk)
        with self._changed:
            self._ended = True
            self._changed.notify_all()
        self._stream.close()

    def _add(self, chunk: bytes) -> None:
        with self._changed:
            self._data += chunk
            self._changed.notify_all()


class BelayProcess:
    """A running `belay`; `kill_tree` leaves nothing of it behind."""

    def __init__(self, argv: list[str], env: Mapping[str, str], cwd: Path) -> None:
        self._tag = uuid.uuid4().hex
        self.process = subprocess.Popen(
            argv,
            env={**env, _TAG: self._tag},
            cwd=cwd,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
        assert self.process.stdout is not None
        assert self.process.stderr is not None
        self.stdout = Output(self.process.stdout)
        self.stderr = Output(self.process.stderr)

    @property
    def pid(self) -> int:
        """The process id."""
        return self.process.pid

    def write(self, text: str) -> None:
        """Type into its stdin."""
        assert self.process.stdin is not None
        self.process.stdin.write(text.encode())
        self.process.stdin.flush()

    def close_stdin(self) -> None:
        """End its input, as Ctrl-D does."""
        assert self.process.stdin is not None
        self.process.stdin.close()

    def send_signal(self, number: int) -> None:
        """Send it a signal."""
        self.process.send_signal(number)

    def wait(self, limit_s: float = LIMIT_S) -> int:
        """Wait for its end; return the exit code."""
        return self.process.wait(limit_s)

    def tree(self) -> list[psutil.Process]:
        """List what lives of it: itself and everything it started."""
        return self._find(_is_alive)

    def workers(self, name: str) -> list[psutil.Process]:
        """List its workers of one kind."""
        return self._find(lambda it: _is_alive(it) and it.cmdline()[-2:] == ["_worker", name])

    def _find(self, fits: Callable[[psutil.Process], bool]) -> list[psutil.Process]:
        found = []
        for process in psutil.process_iter():
            try:
                if process.environ().get(_TAG) == self._tag and fits(process):
                    found.append(process)
            except psutil.Error:
                continue  # gone meanwhile, or another user's
        return found

    def kill_tree(self) -> None:
        """End it and everything it started."""
        while living := self.tree():
            for process in living:
                _kill(process)
            psutil.wait_procs(living, timeout=LIMIT_S)
        self.process.wait(LIMIT_S)
        self._close_pipes()

    def _close_pipes(self) -> None:
        if self.process.stdin is not None:
            try:
                self.process.stdin.close()
            except BrokenPipeError:
                return  # what was still to be written has no reader any more


def _is_alive(process: psutil.Process) -> bool:
    return process.status() != psutil.STATUS_ZOMBIE


def _kill(process: psutil.Process) -> None:
    try:
        process.kill()
    except psutil.NoSuchProcess:
        return


def processes_left() -> list[int]:
    """End what this process's spawner still has, and list what nobody had told to end."""
    from app.system.spawner import spawner  # noqa: PLC0415 - only where the spawner is in use

    forgotten = [tree for tree in spawner().trees if not tree._is_ending]
    for tree in spawner().trees:
        tree.end_blocking(0)
    return [tree.pid for tree in forgotten]


def belay_argv(*args: str) -> list[str]:
    """Name the installed console script of this environment."""
    return [str(Path(sys.executable).with_name("belay")), *args]
