"""Reads one answer off the wire into an accumulator: a stream of events, or one JSON body."""

from typing import Any

import anyio
import httpx2

from app.agent.providers.accumulator import Accumulator, parsed
from app.agent.providers.sse import BadReplyError, EventDecoder
from app.core.tokens import CancelToken

MAX_BODY_BYTES = 64 * 1024 * 1024
_DRAIN_S = 0.1  # from [DONE] to the end of the body; a connection read to its end is used again


class CutOffError(Exception):
    """The body ended, the answer did not."""


async def read_answer(
    response: httpx2.Response, into: Accumulator, token: CancelToken, *, tail_s: float
) -> None:
    """Read until the answer or the connection ends, and let go of the connection."""
    try:
        with anyio.CancelScope() as tail:
            await _read(response, into, token, _Deadline(tail, tail_s))
    except (httpx2.TransportError, BadReplyError):
        token.check()
        if not into.is_whole:  # else it broke after the server had said that it is complete
            raise
    finally:
        with anyio.CancelScope(shield=True):
            await response.aclose()
    if not into.is_whole:
        raise CutOffError("the answer ended without a word about its end")


class _Deadline:
    """Bounds what comes after the answer is complete; some servers never end the body."""

    def __init__(self, scope: anyio.CancelScope, tail_s: float) -> None:
        self._scope = scope
        self._tail_s = tail_s
        self._is_set = False

    def notice(self, into: Accumulator) -> None:
        if into.is_done:
            self._scope.deadline = anyio.current_time() + _DRAIN_S
        elif into.is_whole and not self._is_set:
            self._is_set = True
            self._scope.deadline = anyio.current_time() + self._tail_s


async def _read(
    response: httpx2.Response, into: Accumulator, token: CancelToken, deadline: _Deadline
) -> None:
    kind = response.headers.get("content-type", "").lower()
    if "html" in kind:
        raise BadReplyError(f"a web page came ({kind})")
    if "json" in kind and "event-stream" not in kind:
        body = await _json_body(response)
        token.check()
        into.take_completion(body)
        return
    decoder = EventDecoder()
    async for chunk in response.aiter_bytes():
        for data in decoder.feed(chunk):
            token.check()
            into.take_event(data)
        deadline.notice(into)
    _read_last(decoder, into)


def _read_last(decoder: EventDecoder, into: Accumulator) -> None:
    try:
        for data in decoder.finish():
            into.take_event(data)
    except BadReplyError:
        return  # cut off inside an event: it is as if the event had not begun
    if decoder.is_foreign:
        raise BadReplyError("what came is not a stream of events")


async def _json_body(response: httpx2.Response) -> Any:
    body = bytearray()
    async for chunk in response.aiter_bytes():
        body += chunk
        if len(body) > MAX_BODY_BYTES:
            raise BadReplyError(f"a body of more than {MAX_BODY_BYTES} bytes")
    return parsed(bytes(body))
