"""Leaves out of every request what the person chose to leave out of a conversation."""

from collections.abc import Callable
from dataclasses import replace

from app.agent.provider import ChatRequest, Emit, Provider, Reply
from app.core.ids import MessageId
from app.core.tokens import CancelToken


class OmittingProvider:
    """Asks the provider behind it with the rest of the history; repair makes that valid."""

    def __init__(self, inner: Provider, omitted: Callable[[], frozenset[MessageId]]) -> None:
        self._inner = inner
        self._omitted = omitted

    @property
    def model(self) -> str:
        """The model behind it."""
        return self._inner.model

    async def stream(self, request: ChatRequest, token: CancelToken, emit: Emit) -> Reply:
        """Ask without what is left out."""
        omitted = self._omitted()
        kept = tuple(message for message in request.messages if message.id not in omitted)
        return await self._inner.stream(replace(request, messages=kept), token, emit)

    async def aclose(self) -> None:
        """Close the provider behind it."""
        await self._inner.aclose()
