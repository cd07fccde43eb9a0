"""Asks again when that is worth it: announced, bounded, and never once a word was shown."""

import random
from collections.abc import Callable
from dataclasses import replace

from app.agent.provider import ChatRequest, Emit, Provider, Reply, RetryAnnounced
from app.agent.providers.failure import RequestFailed
from app.agent.providers.hurry import Hurry
from app.agent.providers.policy import Remedy, remedy
from app.agent.providers.shown import Shown
from app.core.errors import Problem, ProblemError, ProblemKind
from app.core.tokens import CancelToken

ATTEMPTS = 4
LONGEST_WAIT_S = 60.0  # a server that asks for more is not waited for
_FIRST_WAIT_S = 1.0


class RetryingProvider:
    """Repeats a request that failed for a passing reason."""

    def __init__(
        self,
        inner: Provider,
        *,
        attempts: int = ATTEMPTS,
        jitter: Callable[[], float] = random.random,
        first_wait_s: float = _FIRST_WAIT_S,
        hurry: Hurry | None = None,
    ) -> None:
        self._inner = inner
        self._attempts = attempts
        self._jitter = jitter
        self._first_wait_s = first_wait_s
        self._hurry = hurry or Hurry()

    @property
    def model(self) -> str:
        """The model behind it."""
        return self._inner.model

    async def aclose(self) -> None:
        """Close the provider behind it."""
        await self._inner.aclose()

    async def stream(self, request: ChatRequest, token: CancelToken, emit: Emit) -> Reply:
        """Ask, and ask again while it makes sense."""
        attempt = 1
        while True:
            token.check()
            shown = Shown(emit)
            try:
                return await self._inner.stream(request, token, shown)
            except ProblemError as failure:
                token.check()
                _count(failure, attempt)
                wait_s = self._wait_after(attempt, failure)
                if shown.anything or wait_s is None:
                    raise
                failed = failure.problem
            attempt += 1
            token.check()
            emit(self._announcement(failed, attempt, wait_s))
            await self._hurry.wait(token, wait_s)

    def _announcement(self, failed: Problem, attempt: int, wait_s: float) -> RetryAnnounced:
        return RetryAnnounced(
            problem=failed, attempt=attempt, attempts=self._attempts, wait_s=wait_s
        )

    def _wait_after(self, attempt: int, failure: ProblemError) -> float | None:
        """Say how long to wait before the next attempt; None if there is to be none."""
        if attempt >= self._attempts or remedy(failure.problem.kind) is not Remedy.RETRY:
            return None
        asked = failure.retry_after_s if isinstance(failure, RequestFailed) else None
        if asked is not None:
            return asked + self._jitter() if asked <= LONGEST_WAIT_S else None
        if attempt == 1 and isinstance(failure, RequestFailed) and failure.unanswered:
            return 0.0  # most likely an idle connection that the server had closed
        return self._first_wait_s * 2.0 ** (attempt - 1) * (0.5 + self._jitter())


def _count(failure: ProblemError, attempts: int) -> None:
    if failure.problem.kind is ProblemKind.SERVER_FAULT:
        params = {**failure.problem.params, "times": attempts}
        failure.problem = replace(failure.problem, params=params)
