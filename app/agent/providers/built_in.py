"""The provider for the model that came with Belay: starts it if need be, then asks it.

It is small and often wrong: it is offered no tools.
"""

from collections.abc import Callable
from dataclasses import replace

from app.agent.provider import ChatRequest, Emit, Provider, Reply, RequestBegun
from app.core.ports import ModelAddress, ModelServer
from app.core.settings import Endpoint
from app.core.tokens import CancelToken

NAME = "Built-in (basic)"


class BuiltInProvider:
    """Asks the model on this machine; a child that was started anew has another address."""

    def __init__(
        self, server: ModelServer, connect: Callable[[Endpoint, str | None], Provider]
    ) -> None:
        self._server = server
        self._connect = connect
        self._address: ModelAddress | None = None
        self._inner: Provider | None = None

    @property
    def model(self) -> str:
        """What it is called in the window."""
        return NAME

    async def stream(self, request: ChatRequest, token: CancelToken, emit: Emit) -> Reply:
        """Wait until the model serves, then ask it."""
        token.check()
        if not self._server.is_ready:
            emit(RequestBegun(model=NAME))
        inner = await self._connected(await token.run(self._server.address()))
        reply = await inner.stream(replace(request, tools=()), token, emit)
        return replace(reply, model=NAME)

    async def aclose(self) -> None:
        """Let go of the connection; the model itself belongs to the process."""
        if self._inner is not None:
            await self._inner.aclose()

    async def _connected(self, address: ModelAddress) -> Provider:
        if self._inner is None or address != self._address:
            await self.aclose()
            endpoint = Endpoint(base_url=address.base_url, model=address.model)
            self._address, self._inner = address, self._connect(endpoint, address.key)
        return self._inner
