"""Reads one answer off the wire into an accumulator: a stream of events, or one JSON body."""

from collections.abc import Callable
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


class WebPageError(BadReplyError):
    """What came is meant for a browser."""


async def read_answer(
    response: httpx2.Response, into: Accumulator, token: CancelToken, *, tail_s: float
) -> None:
    """Read until the answer or the connection ends, and let go of the connection."""
    try:
        await _read(response, into, tail_s)
    except (httpx2.TransportError, BadReplyError):
        token.check()
        if not into.is_whole:  # else it broke after the server had said that it is complete
            raise
    finally:
        with anyio.CancelScope(shield=True):
            await response.aclose()
    if not into.is_whole:
        raise CutOffError("the answer ended without a word about its end")


async def _read(response: httpx2.Response, into: Accumulator, tail_s: float) -> None:
    kind = response.headers.get("content-type", "").lower()
    if "html" in kind:
        raise WebPageError(f"a web page came ({kind})")
    if "json" in kind and "event-stream" not in kind:
        into.take_completion(await _json_body(response))
    else:
        await _read_events(response, into, tail_s)


async def _read_events(response: httpx2.Response, into: Accumulator, tail_s: float) -> None:
    decoder = EventDecoder()
    with anyio.CancelScope() as tail:

        def take(chunk: bytes) -> None:
            was_whole = into.is_whole
            for data in decoder.feed(chunk):
                into.take_event(data)
            # Some servers never end the body of an answer that is complete.
            if into.is_done:
                tail.deadline = anyio.current_time() + _DRAIN_S
            elif into.is_whole and not was_whole:
                tail.deadline = anyio.current_time() + tail_s

        await _each_chunk(response, take)
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

    def take(chunk: bytes) -> None:
        body.extend(chunk)
        if len(body) > MAX_BODY_BYTES:
            raise BadReplyError(f"a body of more than {MAX_BODY_BYTES} bytes")

    await _each_chunk(response, take)
    return parsed(bytes(body))


async def _each_chunk(response: httpx2.Response, take: Callable[[bytes], None]) -> None:
    """Hand over the body piece by piece, until its end or an exception from `take`."""
    failure: Exception | None = None
    with anyio.CancelScope() as scope:
        async for chunk in response.aiter_bytes():
            try:
                if failure is None:
                    take(chunk)
            except Exception as exc:  # noqa: BLE001 - raised again below
                # Not out of the loop: generators left half-way let go of their connection
                # whenever they are collected. Cancelled inside, they unwind now.
                failure = exc
                scope.cancel()
    if failure is not None:
        raise failure
