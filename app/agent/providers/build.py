"""Puts the providers together: fallback over retry over HTTP."""

import importlib
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from app.agent.provider import ChatRequest, Emit, Provider, Reply
from app.agent.providers.fallback import FallbackProvider
from app.agent.providers.http import HttpProvider
from app.agent.providers.hurry import Hurry
from app.agent.providers.refusals import Refusals
from app.agent.providers.retry import RetryingProvider
from app.agent.providers.timeouts import Timeouts
from app.core.errors import ProblemKind, problem
from app.core.settings import Endpoint
from app.core.tokens import CancelToken
from app.system.threads import call_in_thread

KeyFor = Callable[[str], str | None]  # may block: it is called on a thread


def build_provider(
    endpoints: Sequence[Endpoint],
    key_for: KeyFor,
    *,
    timeouts: Timeouts | None = None,
    attachments: Path | None = None,
    refusals: Refusals | None = None,
    local: Callable[[Endpoint], Provider | None] = lambda _: None,
    hurry: Hurry | None = None,
) -> Provider:
    """Make the provider that asks these models in order, each with the key of its base URL.

    `local` gives the provider of an endpoint that is no server but a file of the person's; `hurry`
    ends a wait for the next attempt early.
    """
    refusals = refusals or Refusals()
    asked: list[Provider] = [
        RetryingProvider(
            local(endpoint)
            or HttpProvider(
                endpoint,
                partial(key_for, endpoint.base_url),
                timeouts=timeouts,
                refusals=refusals,
                attachments=attachments,
            ),
            hurry=hurry,
        )
        for endpoint in endpoints
    ]
    if not asked:
        return UnconfiguredProvider()
    return asked[0] if len(asked) == 1 else FallbackProvider(asked)


async def warm_up() -> None:
    """Load the SDK ahead of the first request, on a daemon thread."""
    await call_in_thread(importlib.import_module, "app.agent.providers.wire")


class UnconfiguredProvider:
    """Stands in while no model is set up: says so."""

    @property
    def model(self) -> str:
        """There is none."""
        return ""

    async def stream(self, request: ChatRequest, token: CancelToken, emit: Emit) -> Reply:  # noqa: ARG002
        """Say that no model is set up."""
        token.check()
        raise problem(ProblemKind.NOT_CONFIGURED)

    async def aclose(self) -> None:
        """Nothing is open."""
