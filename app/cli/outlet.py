"""The way out to the terminal or pipe: one daemon thread writes, in order, and may block alone.

A reader that does not read blocks that thread and nothing else: Stop still works. Both streams go
through the one queue, so that a status line and the answer never change places. A reader that is
gone is told once, on a thread of the outlet's.
"""

import asyncio
import errno
import io
import os
import select
import stat
import threading
from collections.abc import Callable
from queue import Empty, SimpleQueue
from typing import Final, TextIO

from app.system.threads import spawn_thread

_SLICE_MS: Final = 200
# Somebody closed the pipe or the terminal: nobody is left to be told.
_GONE: Final = frozenset({errno.EPIPE, errno.EIO, errno.ECONNRESET, errno.EBADF})


def is_reader_gone(error: OSError) -> bool:
    """Say whether a failed write only means that nobody reads any more."""
    return isinstance(error, BrokenPipeError) or error.errno in _GONE


class Stream:
    """One of the process's output streams, written past Python's buffers and their locks."""

    def __init__(self, stream: TextIO | None) -> None:
        self._raw = _raw(stream)
        self._encoding = (stream.encoding if stream is not None else None) or "utf-8"
        self.is_terminal = stream is not None and stream.isatty()

    def write(self, text: str) -> None:
        """Write all of it; raises OSError."""
        if self._raw is None:
            return
        rest = memoryview(text.encode(self._encoding, errors="replace"))
        while rest:
            rest = rest[self._raw.write(rest) or 0 :]

    def give_up(self) -> None:
        """Write nothing more."""
        self._raw = None

    def wait_until_unread(self) -> bool:
        """Block until nobody reads any more; False where that cannot be told, or at our own end."""
        raw = self._raw
        if raw is None or not hasattr(select, "poll") or not _is_pipe(raw.fileno()):
            return False
        watched = select.poll()
        watched.register(raw.fileno(), 0)  # errors and hang-ups are told unasked
        # In slices: while it is polled a pipe stays open, whoever closes it.
        while not raw.closed:
            if watched.poll(_SLICE_MS):
                return not raw.closed
        return False


def _is_pipe(fd: int) -> bool:
    kind = os.fstat(fd).st_mode
    return stat.S_ISFIFO(kind) or stat.S_ISSOCK(kind)


def _raw(stream: TextIO | None) -> io.RawIOBase | None:
    if stream is None:  # started with the descriptor closed
        return None
    stream.flush()
    buffer = getattr(stream, "buffer", None)
    raw = getattr(buffer, "raw", buffer)
    return raw if isinstance(raw, io.RawIOBase) else None


class Outlet:
    """Takes text from one thread and writes it on its own, from `open` on."""

    def __init__(self, *, out: Stream, err: Stream) -> None:
        self.out = out
        self.err = err
        self._waiting: SimpleQueue[tuple[Stream, str] | Callable[[], None]] = SimpleQueue()
        self._mutex = threading.Lock()
        self._is_lost = False

    def open(self, on_lost: Callable[[OSError], None]) -> None:
        """Begin to write; `on_lost` hears once, on a thread of ours, that writing is in vain."""
        self._on_lost = on_lost
        spawn_thread("belay-outlet", self._work)
        spawn_thread("belay-reader", self._watch)

    def print(self, text: str) -> None:
        """Write to standard output."""
        self._waiting.put((self.out, text))

    def remark(self, text: str) -> None:
        """Write to standard error."""
        self._waiting.put((self.err, text))

    def when_written(self, callback: Callable[[], None]) -> None:
        """Call back, on the writing thread, once everything so far is written or lost."""
        self._waiting.put(callback)

    async def all_written(self) -> None:
        """Wait until everything so far is written or lost."""
        loop, written = asyncio.get_running_loop(), asyncio.Event()

        def tell() -> None:
            try:
                loop.call_soon_threadsafe(written.set)
            except RuntimeError:  # nobody waits any more
                return

        self.when_written(tell)
        await written.wait()

    def _work(self) -> None:
        after: tuple[Stream, str] | Callable[[], None] | None = None
        while True:
            item = after if after is not None else self._waiting.get()
            after = None
            if not isinstance(item, tuple):
                item()
                continue
            stream, text = item
            text, after = self._joined(stream, text)
            self._write(stream, text)

    def _joined(
        self, stream: Stream, text: str
    ) -> tuple[str, tuple[Stream, str] | Callable[[], None] | None]:
        """Take what else waits for the same stream: one system call for all of it."""
        texts = [text]
        while True:
            try:
                item = self._waiting.get_nowait()
            except Empty:
                return "".join(texts), None
            if not isinstance(item, tuple) or item[0] is not stream:
                return "".join(texts), item
            texts.append(item[1])

    def _write(self, stream: Stream, text: str) -> None:
        try:
            stream.write(text)
        except OSError as error:
            stream.give_up()
            if stream is self.out:
                self._tell_lost(error)

    def _watch(self) -> None:
        # A model that says nothing for a while must not go on for a reader that has left.
        if self.out.wait_until_unread():
            self._tell_lost(BrokenPipeError(errno.EPIPE, "nobody reads any more"))

    def _tell_lost(self, error: OSError) -> None:
        with self._mutex:
            if self._is_lost:
                return
            self._is_lost = True
        self._on_lost(error)
