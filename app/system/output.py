"""The output of a command, kept to its head and its tail however much of it there is."""

import threading

HEAD_BYTES = 32 * 1024
TAIL_BYTES = 32 * 1024


class HeadTail:
    """Bytes from any thread; remembers the first and the last of them."""

    def __init__(self, head_bytes: int = HEAD_BYTES, tail_bytes: int = TAIL_BYTES) -> None:
        self._lock = threading.Lock()
        self._head_bytes = head_bytes
        self._tail_bytes = tail_bytes
        self._head = bytearray()
        self._tail = bytearray()
        self._left_out = 0

    def add(self, data: bytes) -> None:
        """Take more output."""
        with self._lock:
            room = self._head_bytes - len(self._head)
            self._head += data[:room]
            self._tail += data[room:]
            excess = len(self._tail) - self._tail_bytes
            if excess > 0:
                del self._tail[:excess]
                self._left_out += excess

    @property
    def left_out(self) -> int:
        """How many bytes between head and tail are lost."""
        return self._left_out

    def text(self) -> str:
        """Give what was kept, with a line that says how much is missing."""
        with self._lock:
            head, tail, left_out = bytes(self._head), bytes(self._tail), self._left_out
        if not left_out:
            return (head + tail).decode("utf-8", "replace")
        gap = f"\n… {left_out} bytes left out …\n"
        return head.decode("utf-8", "replace") + gap + tail.decode("utf-8", "replace")
