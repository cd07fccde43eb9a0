"""One server, reached through the OpenAI SDK over an HTTP client of our own.

This module, and what it imports, is slow to load (0.6 s) and builds TLS contexts: `http` loads and
opens it on a daemon thread. Nothing is taken from the environment but the proxy and certificates:
neither key, organisation, project nor headers. Redirects are not followed, so a key goes to the
server it belongs to or nowhere.
"""

import os
import ssl
from collections.abc import Callable
from functools import cache
from typing import Any

import httpx2
import openai

from app import __version__
from app.agent.providers.accumulator import Accumulator, parsed
from app.agent.providers.address import Address
from app.agent.providers.classify import Asked
from app.agent.providers.exchange import read_answer
from app.agent.providers.proxies import proxy_for
from app.agent.providers.timeouts import Timeouts
from app.agent.providers.transport import WatchedTransport, on_delivered
from app.agent.providers.wire_errors import failure_of
from app.core.errors import ProblemError
from app.core.tokens import CancelToken

_KEEPALIVE_S = 60.0
_OMIT = openai.Omit()
_HEADERS: dict[str, str | openai.Omit] = {
    "Accept": "text/event-stream, application/json",
    # Compressed, a stream arrives in lumps.
    "Accept-Encoding": "identity",
    "Content-Type": "application/json",
    "User-Agent": f"Belay/{__version__}",
}


class _Client(openai.AsyncOpenAI):
    """The SDK's client without what it finds in the environment or tells about this machine."""

    def __init__(self, address: Address, key: str | None, http_client: httpx2.AsyncClient) -> None:
        super().__init__(
            api_key=key or "",
            admin_api_key="",
            organization="",
            project="",
            webhook_secret="",
            base_url=address.base_url,
            max_retries=0,
            http_client=http_client,
        )
        self._platform = "Unknown"  # else asked for on a thread that is joined at exit

    @property
    def default_headers(self) -> dict[str, str | openai.Omit]:
        """Exactly ours."""
        return dict(_HEADERS)


class Wire:
    """Connections to one server, with one key."""

    def __init__(self, address: Address, key: str | None, timeouts: Timeouts) -> None:
        self._address = address
        self._timeouts = timeouts
        self._http = _open_http(address)
        self._client = _Client(address, key, self._http)
        self._headers: dict[str, str | openai.Omit] = {
            "x-stainless-retry-count": _OMIT,
            "x-stainless-read-timeout": _OMIT,
            **({} if key else {"Authorization": _OMIT}),
        }

    async def list_models(self) -> list[str]:
        """Ask for the names of the models that the server has."""
        models = await self.raw_models()
        return [m["id"] for m in models if isinstance(m.get("id"), str)]

    async def raw_models(self) -> list[dict[str, Any]]:
        """Ask which models the server has, with whatever it says about them."""
        response = await self._client.get(
            "/models",
            cast_to=httpx2.Response,
            options={"headers": self._headers, "timeout": self._limits(self._timeouts.silence_s)},
        )
        body = parsed(response.content)
        listed = body.get("data") if isinstance(body, dict) else None
        return [m for m in listed if isinstance(m, dict)] if isinstance(listed, list) else []

    async def ask(
        self,
        body: bytes,
        into: Accumulator,
        token: CancelToken,
        *,
        streaming: bool,
        delivered: Callable[[], None],
    ) -> None:
        """Send a chat request and read its answer to the end."""
        reset = on_delivered.set(delivered)
        try:
            response = await self._post(body, streaming=streaming)
        finally:
            on_delivered.reset(reset)
        await read_answer(response, into, token, tail_s=self._timeouts.tail_s)

    async def _post(self, body: bytes, *, streaming: bool) -> httpx2.Response:
        silence_s = self._timeouts.silence_s if streaming else self._timeouts.whole_s
        # Already encoded: the SDK would do it on the loop, however large the body is.
        stream = await self._client.post(
            "/chat/completions",
            cast_to=object,
            content=body,
            options={"headers": self._headers, "timeout": self._limits(silence_s)},
            stream=True,
            stream_cls=openai.AsyncStream[object],
        )
        return stream.response  # read by us: the SDK's own reading hides how a stream ended

    def _limits(self, silence_s: float) -> httpx2.Timeout:
        read_s = None if self._address.is_local else silence_s
        return httpx2.Timeout(
            connect=self._timeouts.connect_s, read=read_s, write=read_s, pool=None
        )

    def failure_of(
        self, asked: Asked, exc: Exception, has_route: Callable[[], bool]
    ) -> ProblemError:
        """Say what an exception from here means; whoever calls has asked the token first."""
        return failure_of(asked, exc, silence_s=self._timeouts.silence_s, has_route=has_route)

    async def aclose(self) -> None:
        """Close every connection."""
        await self._http.aclose()


def _open_http(address: Address) -> httpx2.AsyncClient:
    transport = httpx2.AsyncHTTPTransport(
        verify=_tls(os.environ.get("SSL_CERT_FILE"), os.environ.get("SSL_CERT_DIR")),
        proxy=proxy_for(address),
        limits=httpx2.Limits(max_keepalive_connections=4, keepalive_expiry=_KEEPALIVE_S),
    )
    return httpx2.AsyncClient(
        transport=WatchedTransport(transport), follow_redirects=False, trust_env=False
    )


@cache
def _tls(_file: str | None, _folder: str | None) -> ssl.SSLContext:
    """Read the certificates once: for each conversation it would cost 0.6 MB and 0.1 s."""
    return httpx2.create_ssl_context()
