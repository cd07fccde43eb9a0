"""A child's pipes: read and written by daemon threads, because Windows' pipes need them.

Nothing here waits for a pipe's end: a process that escaped may hold it open.
"""

import os
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from queue import SimpleQueue
from typing import IO

from app.system.threads import spawn_thread

Sink = Callable[[bytes], None]

_CHUNK = 65536


def pump(stream: IO[bytes], sink: Sink, name: str) -> Future[None]:
    """Hand everything a child writes to the sink, on a thread; the future is the pipe's end."""
    ended: Future[None] = Future()
    spawn_thread(name, _pump, stream, sink, ended)
    return ended


def _pump(stream: IO[bytes], sink: Sink, ended: Future[None]) -> None:
    try:
        with stream:
            while chunk := os.read(stream.fileno(), _CHUNK):
                sink(chunk)
    except BaseException as exc:  # noqa: BLE001 - it belongs to whoever waits for the pipe's end
        ended.set_exception(exc)
    else:
        ended.set_result(None)


def all_done(futures: Sequence[Future[None]]) -> Future[None]:
    """Give a future that is done when all of these are, and fails as the first of them fails."""
    whole: Future[None] = Future()
    left = len(futures)
    lock = threading.Lock()

    def count(one: Future[None]) -> None:
        nonlocal left
        error = one.exception()
        with lock:
            left -= 1
            if whole.done():
                return
            if error is not None:
                whole.set_exception(error)
            elif left == 0:
                whole.set_result(None)

    for future in futures:
        future.add_done_callback(count)
    if not futures:
        whole.set_result(None)
    return whole


class PipeWriter:
    """A child's stdin, written in order without ever blocking the caller."""

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream = stream
        self._lock = threading.Lock()
        self._queue: SimpleQueue[tuple[bytes, Future[None]] | None] = SimpleQueue()
        self._is_started = False
        self._is_closed = False

    def write(self, data: bytes) -> Future[None]:
        """Queue bytes; the future is done when the child's pipe has them, or failed."""
        written: Future[None] = Future()
        with self._lock:
            if self._is_closed:
                written.set_exception(BrokenPipeError("stdin is closed"))
                return written
            self._queue.put((data, written))
            if not self._is_started:
                self._is_started = True
                spawn_thread("belay-stdin", self._write_all)
        return written

    def close(self) -> None:
        """End the child's input, after everything that was queued."""
        with self._lock:
            if self._is_closed:
                return
            self._is_closed = True
            if self._is_started:
                self._queue.put(None)
            else:
                self._stream.close()

    def _write_all(self) -> None:
        while (item := self._queue.get()) is not None:
            data, written = item
            try:
                self._write(data)
            except OSError as exc:
                written.set_exception(exc)
            else:
                written.set_result(None)
        self._stream.close()

    def _write(self, data: bytes) -> None:
        rest = memoryview(data)
        while rest:
            rest = rest[os.write(self._stream.fileno(), rest) :]
