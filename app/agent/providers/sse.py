"""Server-sent events out of bytes: only their data, strictly UTF-8."""

import re

_LINE_END = re.compile(rb"\r\n|\n|\r")
_FIELDS = (b"", b"data", b"event", b"id", b"retry")  # the first is a comment's
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
MAX_EVENT_BYTES = 32 * 1024 * 1024


class BadReplyError(ValueError):
    """What came is not what a chat server sends."""


class EventDecoder:
    """Feed it bytes as they come; it gives the data of each event once the event is whole."""

    def __init__(self) -> None:
        self._line: list[bytes] = []  # pieces of the line that has not ended yet
        self._after_cr = False
        self._data: list[str] = []
        self._size = 0
        self._is_first = True
        self._has_lines = False
        self._has_fields = False

    @property
    def is_foreign(self) -> bool:
        """Say whether something came, and none of it belongs into a stream of events."""
        return self._has_lines and not self._has_fields

    def feed(self, chunk: bytes) -> list[str]:
        """Take more bytes; returns the data of the events that they completed."""
        if self._after_cr and chunk.startswith(b"\n"):
            chunk = chunk[1:]  # the second half of a line end that was cut in two
        self._after_cr = chunk.endswith(b"\r")
        *ended, rest = _LINE_END.split(chunk)
        lines = [self._complete(line) for line in ended]
        self._keep(rest)
        return [data for line in lines if (data := self._take(line)) is not None]

    def finish(self) -> list[str]:
        """Take the end: an event whose closing line is missing still counts."""
        lines = (self._complete(b""), b"")
        return [data for line in lines if (data := self._take(line)) is not None]

    def _complete(self, end: bytes) -> bytes:
        line, self._line = b"".join([*self._line, end]), []
        if self._is_first:
            self._is_first, line = False, line.removeprefix(_BYTE_ORDER_MARK)
        return line

    def _keep(self, piece: bytes) -> None:
        self._line.append(piece)
        self._size += len(piece)
        if self._size > MAX_EVENT_BYTES:
            raise BadReplyError(f"an event of more than {MAX_EVENT_BYTES} bytes")

    def _take(self, line: bytes) -> str | None:
        if not line:
            data, self._data, self._size = self._data, [], 0
            return "\n".join(data) if data else None
        name, _, value = line.partition(b":")
        self._has_lines = True
        self._has_fields = self._has_fields or name in _FIELDS
        if name == b"data":
            self._size += len(value)
            self._data.append(_decoded(value.removeprefix(b" ")))
        return None


def _decoded(value: bytes) -> str:
    try:
        return value.decode()
    except UnicodeDecodeError as exc:
        raise BadReplyError("the stream is not UTF-8") from exc
