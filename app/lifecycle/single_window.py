"""One window per data folder: a second start hands its text to the first and leaves.

A lock decides who is first, so a dead window never stands in the way; a local socket carries the
text. The socket is served by daemon threads and answered as soon as the text is handed on: a
window that is busy does not keep the second start waiting.
"""

import contextlib
import secrets
import socket
import threading
import time
from collections.abc import Callable
from enum import Enum, auto
from pathlib import Path

from app.lifecycle.local_socket import LocalAddress
from app.system.frames import Frame, FrameDecoder, FrameError, encode
from app.system.locks import FileLock
from app.system.threads import spawn_thread

TextSink = Callable[[str], None]

_ANSWER_LIMIT_S = 3.0
_RETRY_S = 0.02
_LONGEST_TEXT = 32 << 20


class HandOver(Enum):
    """What became of the text that a second start brought."""

    DELIVERED = auto()
    NO_ANSWER = auto()


class SingleWindow:
    """This process's right to be the window; kept until `close` or the process's end."""

    def __init__(self, lock: FileLock, listener: socket.socket, address: LocalAddress) -> None:
        self._lock = lock
        self._listener = listener
        self._address = address
        self._mutex = threading.Lock()
        self._taken: set[str] = set()

    def serve(self, on_text: TextSink) -> None:
        """Hand on what later starts bring, on a daemon thread; empty text only raises."""
        spawn_thread("belay-window", self._accept, on_text)

    def close(self) -> None:
        """Let another process be the window."""
        self._address.remove()
        with contextlib.suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)  # wakes the thread that accepts
        self._listener.close()
        self._lock.release()

    def _accept(self, on_text: TextSink) -> None:
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return  # closed
            spawn_thread("belay-hand-over", self._take, connection, on_text)

    def _take(self, connection: socket.socket, on_text: TextSink) -> None:
        with connection, contextlib.suppress(OSError, FrameError):  # a visitor's fault is his own
            connection.settimeout(_ANSWER_LIMIT_S)
            request = _receive(connection)
            if request is None or not self._address.is_key(str(request.header.get("key"))):
                return
            if self._is_new(str(request.header.get("id"))):
                on_text(request.payload.decode("utf-8", "replace"))
            connection.sendall(encode(Frame(header={"taken": True})))

    def _is_new(self, delivery: str) -> bool:
        # A start that heard no answer tries again, and its text must not run twice.
        with self._mutex:
            is_new = delivery not in self._taken
            self._taken.add(delivery)
            return is_new


def open_window(
    folder: Path, text: str = "", limit_s: float = _ANSWER_LIMIT_S
) -> SingleWindow | HandOver:
    """Become the window, or hand the text to the one there is, within the limit."""
    give_up_at = time.monotonic() + limit_s
    request = Frame(header={"id": secrets.token_hex(8)}, payload=text.encode())
    while True:
        lock = FileLock.try_take(folder / "window.lock")
        if lock is not None:
            return _become_window(folder, lock)
        if _deliver(LocalAddress(folder), request, give_up_at):
            return HandOver.DELIVERED
        if time.monotonic() >= give_up_at:
            return HandOver.NO_ANSWER
        threading.Event().wait(_RETRY_S)  # it is just beginning, or just ending


def _become_window(folder: Path, lock: FileLock) -> SingleWindow:
    address = LocalAddress(folder)
    try:
        listener = address.listen()
    except BaseException:
        lock.release()
        raise
    return SingleWindow(lock, listener, address)


def _deliver(address: LocalAddress, request: Frame, give_up_at: float) -> bool:
    left_s = max(give_up_at - time.monotonic(), 0.01)
    try:
        with address.connect(left_s) as connection:
            header = {**request.header, "key": address.key()}
            connection.sendall(encode(Frame(header=header, payload=request.payload)))
            answer = _receive(connection)
    except (OSError, FrameError):
        return False
    return answer is not None and answer.header.get("taken") is True


def _receive(connection: socket.socket) -> Frame | None:
    decoder, received = FrameDecoder(), 0
    while received < _LONGEST_TEXT and (data := connection.recv(65536)):
        received += len(data)
        for frame in decoder.feed(data):
            return frame
    return None
