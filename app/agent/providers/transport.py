"""The HTTP transport, watched: tells when a request is delivered, leaves no half-open socket."""

from collections.abc import Callable
from contextvars import ContextVar
from typing import Any

import anyio
import httpx2

# Set by whoever sends; the SDK gives no way to hand anything to the transport.
on_delivered: ContextVar[Callable[[], None] | None] = ContextVar("on_delivered", default=None)


class WatchedTransport(httpx2.AsyncBaseTransport):
    """Follows each request through the trace extension."""

    def __init__(self, inner: httpx2.AsyncBaseTransport) -> None:
        self._inner = inner

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """Send it; if that fails or is cancelled, the socket is closed at once."""
        watch = _Watch(on_delivered.get())
        request.extensions = {**request.extensions, "trace": watch.trace}
        try:
            return await self._inner.handle_async_request(request)
        except BaseException:
            await watch.close()
            raise

    async def aclose(self) -> None:
        """Close what is idle."""
        await self._inner.aclose()


class _Watch:
    def __init__(self, delivered: Callable[[], None] | None) -> None:
        self._delivered = delivered
        self._socket: Any = None

    async def trace(self, event: str, info: dict[str, Any]) -> None:
        if event.endswith("connect_tcp.complete"):
            self._socket = info["return_value"]
        elif event == "http11.send_request_body.complete" and self._delivered is not None:
            self._delivered()

    async def close(self) -> None:
        # A cancel during the TLS handshake leaves the socket to the garbage collector
        # (httpcore2 2.16 closes it only for an Exception). Closing twice does no harm.
        if self._socket is not None:
            with anyio.CancelScope(shield=True):
                await self._socket.aclose()
