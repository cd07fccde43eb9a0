"""The worker's half of the conversation: read requests, answer them, vanish with the parent.

Requests are answered one after the other on the main thread. Another thread reads them, so that
the end of our input ends us at once, whatever the main thread does. The real stdout belongs to
the frames; whatever a library prints goes to stderr.
"""

import faulthandler
import os
import sys
from collections.abc import Callable, Iterable
from queue import SimpleQueue

from app.system.frames import Frame, FrameDecoder, encode
from app.system.redaction import redact
from app.system.threads import spawn_thread

Handler = Callable[[Frame], Iterable[Frame]]


def serve(handler: Handler) -> None:
    """Answer requests with the handler's frames until the parent is gone; never returns."""
    faulthandler.enable(sys.stderr)
    conversation = _Conversation(_take_over(0, os.devnull), _take_over(1, None))
    spawn_thread("requests", conversation.read)
    while True:
        conversation.answer_next(handler)


class _Conversation:
    def __init__(self, source: int, target: int) -> None:
        self._source = source
        self._target = target
        self._requests: SimpleQueue[Frame] = SimpleQueue()
        self._cancelled: set[int] = set()
        self._answered = 0

    def read(self) -> None:
        decoder = FrameDecoder()
        while data := os.read(self._source, 1 << 20):
            for frame in decoder.feed(data):
                self._take(frame)
        os._exit(0)

    def _take(self, frame: Frame) -> None:
        if frame.header["kind"] != "cancel":
            self._requests.put(frame)
        elif frame.header["id"] > self._answered:
            self._cancelled.add(frame.header["id"])

    def answer_next(self, handler: Handler) -> None:
        request = self._requests.get()
        number = request.header["id"]
        try:
            for answer in handler(Frame(header=request.header["body"], payload=request.payload)):
                if number in self._cancelled:
                    break
                self._send(number, "item", answer)
        except Exception as exc:  # noqa: BLE001 - the parent is told, and decides
            self._send(number, "error", Frame(header={"error": redact(repr(exc))}))
        else:
            self._send(number, "end", Frame())
        self._answered = number
        self._cancelled.discard(number)

    def _send(self, number: int, kind: str, answer: Frame) -> None:
        header = {"id": number, "kind": kind, "body": answer.header}
        rest = memoryview(encode(Frame(header=header, payload=answer.payload)))
        while rest:
            rest = rest[os.write(self._target, rest) :]


def _take_over(fd: int, replacement: str | None) -> int:
    """Keep a standard stream for ourselves and give everybody else a replacement, or stderr."""
    own = os.dup(fd)
    if replacement is None:
        os.dup2(2, fd)
    else:
        other = os.open(replacement, os.O_RDONLY)
        os.dup2(other, fd)
        os.close(other)
    return own
