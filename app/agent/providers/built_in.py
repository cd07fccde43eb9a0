"""The provider for a model in a child of our own: starts it if need be, then asks it.

The one that came with Belay is small and often wrong: such models are offered no tools.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Any, Final

from app.agent.provider import (
    ChatRequest,
    Emit,
    ModelAwaited,
    Provider,
    ProviderEvent,
    Reply,
    RequestBegun,
    RequestDelivered,
)
from app.agent.providers.http import HttpProvider
from app.core.ports import ModelAddress, ModelServer
from app.core.settings import BUILT_IN, BUILT_IN_WINDOW, Endpoint
from app.core.tokens import CancelToken

# A sign after every batch that is read: the server notices a closed connection when it next writes,
# and otherwise looks for one only once a second.
WATCHED: Final[dict[str, Any]] = {"return_progress": True}
# What its makers sample with, no line said again and again, and an end: left to itself the small
# one repeats a sentence for minutes.
CALM: Final[dict[str, Any]] = {
    **WATCHED,
    "temperature": 0.2,
    "top_p": 0.9,
    "dry_multiplier": 0.8,
    "dry_allowed_length": 3,
    "max_tokens": 512,
}


def calmly(endpoint: Endpoint, key: str | None) -> Provider:
    """Reach the model that came with Belay; what the person set wins."""
    return HttpProvider(endpoint, key, defaults=CALM)


def plainly(endpoint: Endpoint, key: str | None) -> Provider:
    """Reach a model of the person's own, which knows best how to speak."""
    return HttpProvider(endpoint, key, defaults=WATCHED)


class BuiltInProvider:
    """Asks the model on this machine; a child that was started anew has another address."""

    def __init__(
        self,
        server: ModelServer,
        connect: Callable[[Endpoint, str | None], Provider] = calmly,
        *,
        name: str = BUILT_IN,
        settings: Endpoint | None = None,
    ) -> None:
        self._name = name
        self._settings = settings
        self._server = server
        self._connect = connect
        self._address: ModelAddress | None = None
        self._inner: Provider | None = None

    @property
    def model(self) -> str:
        """What it is called in the window."""
        return self._name

    async def stream(self, request: ChatRequest, token: CancelToken, emit: Emit) -> Reply:
        """Wait until the model serves, then ask it."""
        token.check()
        if not self._server.is_ready:
            emit(ModelAwaited(model=self._name))
        inner = await self._connected(await token.run(self._server.address()))
        reply = await inner.stream(
            replace(request, tools=()), token, lambda event: emit(_renamed(event, self._name))
        )
        return replace(reply, model=self._name)

    async def aclose(self) -> None:
        """Let go of the connection; the model itself belongs to the process."""
        if self._inner is not None:
            await self._inner.aclose()

    async def _connected(self, address: ModelAddress) -> Provider:
        if self._inner is None or address != self._address:
            await self.aclose()
            base = self._settings or Endpoint(base_url="")
            endpoint = replace(
                base,
                base_url=address.base_url,
                model=address.model,
                context_window=base.context_window or BUILT_IN_WINDOW,
            )
            self._address, self._inner = address, self._connect(endpoint, address.key)
        return self._inner


def _renamed(event: ProviderEvent, name: str) -> ProviderEvent:
    """Call the model what the window calls it, not what its server does."""
    if isinstance(event, RequestBegun | RequestDelivered):
        return replace(event, model=name)
    return event
