"""The provider for a model in a child of our own: starts it if need be, then asks it.

The one that came with Belay is small and often wrong: such models are offered no tools.
"""

from collections.abc import Callable
from dataclasses import replace

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
from app.core.ports import ModelAddress, ModelServer
from app.core.settings import BUILT_IN, Endpoint
from app.core.tokens import CancelToken


class BuiltInProvider:
    """Asks the model on this machine; a child that was started anew has another address."""

    def __init__(
        self,
        server: ModelServer,
        connect: Callable[[Endpoint, str | None], Provider],
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
            endpoint = replace(base, base_url=address.base_url, model=address.model)
            self._address, self._inner = address, self._connect(endpoint, address.key)
        return self._inner


def _renamed(event: ProviderEvent, name: str) -> ProviderEvent:
    """Call the model what the window calls it, not what its server does."""
    if isinstance(event, RequestBegun | RequestDelivered):
        return replace(event, model=name)
    return event
