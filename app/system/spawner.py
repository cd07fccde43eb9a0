"""The only place that starts processes, on one thread that lives as long as we do.

One thread, because Linux sends a child its parent-death signal when the *thread* that started it
ends. Every child leads a session of its own, carries a tag in its environment, and dies with us:
by the parent-death signal itself, by the guard whatever it started. `close` ends all trees.
"""

import secrets
import subprocess
import sys
import threading
from collections.abc import Callable
from concurrent.futures import Future
from functools import cache
from queue import SimpleQueue

from app.system.commands import Command, find_program
from app.system.environment import child_environment, tagged
from app.system.guarding import Guarding
from app.system.members import members_of
from app.system.parent_death import prefix
from app.system.pipes import Sink, all_done, pump
from app.system.process_tree import GRACE_S, ProcessTree
from app.system.threads import spawn_thread

if sys.platform == "win32":
    _CREATION_FLAGS = subprocess.CREATE_NO_WINDOW | subprocess.CREATE_NEW_PROCESS_GROUP
else:
    _CREATION_FLAGS = 0


@cache
def spawner() -> "Spawner":
    """Give the process's one spawner."""
    return Spawner()


class SpawnerClosedError(RuntimeError):
    """Nothing is started any more."""


class Spawner:
    """Starts children and knows all that run; callable from any thread."""

    def __init__(self) -> None:
        self._app_tag = secrets.token_hex(8)
        self._guarding = Guarding(f"{self._app_tag}.")
        self._lock = threading.Lock()
        self._orders: SimpleQueue[Callable[[], None]] | None = None
        self._trees: set[ProcessTree] = set()
        self._count = 0
        self._starting = 0
        self._is_closed = False

    def start(
        self, command: Command, *, on_stdout: Sink | None = None, on_stderr: Sink | None = None
    ) -> Future[ProcessTree]:
        """Start a child; its output goes to the sinks, on threads of their own."""
        started: Future[ProcessTree] = Future()

        def carry_out() -> None:
            try:
                started.set_result(self._start(command, on_stdout, on_stderr))
            except BaseException as exc:  # noqa: BLE001 - it belongs to whoever waits for the start
                started.set_exception(exc)

        self._give_order(carry_out)
        return started

    @property
    def trees(self) -> frozenset[ProcessTree]:
        """All trees that have not ended."""
        with self._lock:
            return frozenset(self._trees)

    @property
    def is_idle(self) -> bool:
        """Say whether no child runs or is about to."""
        with self._lock:
            return not self._trees and not self._starting

    @property
    def is_starting(self) -> bool:
        """Say whether a child is about to run."""
        with self._lock:
            return self._starting > 0

    def begin_end_all(self, grace_s: float = GRACE_S) -> None:
        """Start no more children, and end all there are; `is_idle` tells when they are gone."""
        with self._lock:
            self._is_closed = True
        for tree in self.trees:
            tree.begin_end(grace_s)

    def dismiss_guard(self, timeout_s: float) -> None:
        """Let the guard go, as the last thing before the process ends."""
        self._guarding.dismiss(timeout_s)

    def _give_order(self, order: Callable[[], None]) -> None:
        with self._lock:
            if self._orders is None:
                self._orders = SimpleQueue()
                spawn_thread("belay-spawner", self._carry_out, self._orders)
            self._starting += 1
            self._orders.put(order)

    def _carry_out(self, orders: SimpleQueue[Callable[[], None]]) -> None:
        while True:
            orders.get()()
            with self._lock:
                self._starting -= 1

    def _start(
        self, command: Command, on_stdout: Sink | None, on_stderr: Sink | None
    ) -> ProcessTree:
        if self._is_closed:
            raise SpawnerClosedError("the app is closing")
        self._guarding.ensure()
        self._count += 1
        tag = f"{self._app_tag}.{self._count}"
        process = _open(command, tag, stdout=on_stdout, stderr=on_stderr)
        self._guarding.watch(process.pid)
        tree = ProcessTree(
            process,
            argv=command.argv,
            members=members_of(process, tag),
            output_ended=_pump_all(process, on_stdout, on_stderr),
            on_ended=self._forget,
        )
        tree.watch()
        self._remember(tree)
        return tree

    def _remember(self, tree: ProcessTree) -> None:
        with self._lock:
            self._trees.add(tree)
            is_late = self._is_closed
        if is_late:
            tree.begin_end(0)

    def _forget(self, tree: ProcessTree) -> None:
        self._guarding.forget(tree.pid)
        with self._lock:
            self._trees.discard(tree)


def _open(
    command: Command, tag: str, *, stdout: Sink | None, stderr: Sink | None
) -> "subprocess.Popen[bytes]":
    environ = tagged(child_environment() if command.env is None else command.env, tag)
    program = find_program(command, environ)
    return subprocess.Popen(  # noqa: S603 - whoever asks has the person's approval
        [*prefix(), program, *command.argv[1:]],
        cwd=command.cwd,
        env=environ,
        stdin=subprocess.PIPE if command.has_input else subprocess.DEVNULL,
        stdout=_pipe_for(stdout),
        stderr=subprocess.STDOUT if command.merges_errors else _pipe_for(stderr),
        bufsize=0,
        start_new_session=True,
        creationflags=_CREATION_FLAGS,
    )


def _pipe_for(sink: Sink | None) -> int:
    return subprocess.DEVNULL if sink is None else subprocess.PIPE


def _pump_all(
    process: "subprocess.Popen[bytes]", stdout: Sink | None, stderr: Sink | None
) -> Future[None]:
    pumps = [
        pump(stream, sink, f"belay-pipe-{process.pid}")
        for stream, sink in ((process.stdout, stdout), (process.stderr, stderr))
        if stream is not None and sink is not None
    ]
    return all_done(pumps)
