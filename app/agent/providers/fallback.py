"""Asks the next model when one fails, as long as nothing was shown.

Every request begins with the first model again: a failure of yesterday says nothing about today.
"""

from collections.abc import Sequence

from app.agent.provider import ChatRequest, Emit, FallbackAnnounced, Provider, Reply
from app.agent.providers.policy import Remedy, remedy
from app.agent.providers.shown import Shown
from app.core.errors import ProblemError
from app.core.tokens import CancelToken


class FallbackProvider:
    """An ordered list of providers, asked one after the other."""

    def __init__(self, providers: Sequence[Provider]) -> None:
        if not providers:
            raise ValueError("a fallback needs at least one provider")
        self._providers = tuple(providers)

    @property
    def model(self) -> str:
        """The model that is asked first."""
        return self._providers[0].model

    async def aclose(self) -> None:
        """Close them all."""
        for provider in self._providers:
            await provider.aclose()

    async def stream(self, request: ChatRequest, token: CancelToken, emit: Emit) -> Reply:
        """Ask the first, and the next where that can help."""
        *others, last = self._providers
        for provider, following in zip(others, self._providers[1:], strict=True):
            token.check()
            shown = Shown(emit)
            try:
                return await provider.stream(request, token, shown)
            except ProblemError as failure:
                token.check()
                if shown.anything or remedy(failure.problem.kind) is Remedy.SAY:
                    raise
                failed = failure.problem
            token.check()
            emit(
                FallbackAnnounced(
                    from_model=provider.model, to_model=following.model, problem=failed
                )
            )
        token.check()
        return await last.stream(request, token, emit)
