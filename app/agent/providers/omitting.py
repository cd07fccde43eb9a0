"""Leaves out of every request what the person chose to leave out of a conversation."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

from app.agent.provider import ChatRequest, Emit, Provider, Reply
from app.core.ids import MessageId
from app.core.messages import Message, Role
from app.core.tokens import CancelToken


class OmittingProvider:
    """Asks the provider behind it with the rest of the history."""

    def __init__(self, inner: Provider, omitted: Callable[[], frozenset[MessageId]]) -> None:
        self._inner = inner
        self._omitted = omitted

    @property
    def model(self) -> str:
        """The model behind it."""
        return self._inner.model

    async def stream(self, request: ChatRequest, token: CancelToken, emit: Emit) -> Reply:
        """Ask without what is left out."""
        kept = replace(request, messages=tuple(without(request.messages, self._omitted())))
        return await self._inner.stream(kept, token, emit)

    async def aclose(self) -> None:
        """Close the provider behind it."""
        await self._inner.aclose()


def without(messages: Iterable[Message], omitted: frozenset[MessageId]) -> Iterator[Message]:
    """Leave out messages and what was said to them: no answer stands without its question."""
    is_leaving = False
    for message in messages:
        if message.id in omitted:
            is_leaving = True
        elif message.role in (Role.USER, Role.SYSTEM):
            is_leaving = False
        if not is_leaving:
            yield message
