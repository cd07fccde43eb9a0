"""Frames: how we talk to our workers over a pipe.

4 bytes header length · 4 bytes payload length · header (JSON object) · payload (any bytes)
"""

import json
import struct
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

_LENGTHS = struct.Struct(">II")
_LONGEST_HEADER = 1 << 20
_LONGEST_PAYLOAD = 1 << 30


class FrameError(Exception):
    """The bytes are no frame: somebody else writes to the pipe, or the worker is broken."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Frame:
    """A small JSON object, and bytes that need no encoding."""

    header: dict[str, Any] = field(default_factory=dict)
    payload: bytes = b""


def encode(frame: Frame) -> bytes:
    """Turn a frame into bytes."""
    header = json.dumps(frame.header, separators=(",", ":")).encode()
    return b"".join((_LENGTHS.pack(len(header), len(frame.payload)), header, frame.payload))


class FrameDecoder:
    """Turns bytes, in whatever pieces they come, back into frames."""

    def __init__(self) -> None:
        self._buffer = bytearray()

    def feed(self, data: bytes) -> Iterator[Frame]:
        """Take more bytes and give the frames that are whole; raise FrameError."""
        self._buffer += data
        while (frame := self._next()) is not None:
            yield frame

    def _next(self) -> Frame | None:
        if len(self._buffer) < _LENGTHS.size:
            return None
        header_length, payload_length = _LENGTHS.unpack_from(self._buffer)
        if header_length > _LONGEST_HEADER or payload_length > _LONGEST_PAYLOAD:
            raise FrameError(f"impossible lengths: {header_length} and {payload_length}")
        payload_at = _LENGTHS.size + header_length
        end = payload_at + payload_length
        if len(self._buffer) < end:
            return None
        header = _parse(bytes(self._buffer[_LENGTHS.size : payload_at]))
        payload = bytes(self._buffer[payload_at:end])
        del self._buffer[:end]
        return Frame(header=header, payload=payload)


def _parse(header: bytes) -> dict[str, Any]:
    try:
        value = json.loads(header)
    except ValueError as exc:
        raise FrameError("the header is no JSON") from exc
    if not isinstance(value, dict):
        raise FrameError("the header is no object")
    return value
