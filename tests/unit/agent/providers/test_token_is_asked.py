"""Each place that must ask the token asks it, even when nobody beneath does.

The checks back each other up, so that losing one shows nowhere else. Here the provider beneath is
deaf: it never asks the token, and a Stop lands between two given steps.
"""

from collections.abc import Callable

import httpx2
import pytest

from app.agent.provider import (
    ChatRequest,
    Emit,
    FallbackAnnounced,
    Provider,
    ProviderEvent,
    Reply,
    RequestDelivered,
    RetryAnnounced,
)
from app.agent.providers.fallback import FallbackProvider
from app.agent.providers.http import HttpProvider
from app.agent.providers.retry import RetryingProvider
from app.core.errors import Problem, ProblemError, ProblemKind
from app.core.events import StopReason
from app.core.settings import Endpoint
from app.core.tokens import Cancelled, CancelToken
from tests.fakes.server import FakeServer
from tests.harness.loops import play
from tests.unit.agent.providers.asking import question

FAULT = ProblemError(Problem(kind=ProblemKind.SERVER_FAULT))  # asked again, and elsewhere
SAID = ProblemError(Problem(kind=ProblemKind.KEY_REJECTED))  # neither


class DeafProvider:
    """Fails, or answers, without ever asking the token."""

    def __init__(self, failure: ProblemError | None = None, *, stops: bool = False) -> None:
        self.model = "deaf"
        self.requests = 0
        self._failure = failure
        self._stops = stops

    async def stream(self, _request: ChatRequest, token: CancelToken, _emit: Emit) -> Reply:
        """Fail as told; `stops` presses Stop in the same moment."""
        self.requests += 1
        if self._stops:
            token.cancel(StopReason.PERSON)
        if self._failure is not None:
            raise self._failure
        return Reply(model=self.model, text="Nobody should hear this.")

    async def aclose(self) -> None:
        """Nothing is open."""


class StoppingError(ProblemError):
    """A failure with a Stop that lands just when somebody looks into it."""

    def __init__(self, token: CancelToken) -> None:
        self._token = token
        super().__init__(FAULT.problem)

    @property
    def problem(self) -> Problem:
        """Press Stop, and say what went wrong."""
        self._token.cancel(StopReason.PERSON)
        return FAULT.problem

    @problem.setter
    def problem(self, _value: Problem) -> None:
        return


def stopped(token: CancelToken, provider: Provider, react: Emit | None = None) -> list[object]:
    """Ask; the outcome must be a cancel. List what was told."""
    told: list[object] = []

    def emit(event: ProviderEvent) -> None:
        told.append(event)
        if react is not None:
            react(event)

    with pytest.raises(Cancelled):
        play(provider.stream(question(), token, emit))
    return told


def retrying(inner: Provider, jitter: Callable[[], float] = lambda: 0.0) -> RetryingProvider:
    return RetryingProvider(inner, jitter=jitter, first_wait_s=0.0)


def cancelled() -> CancelToken:
    token = CancelToken()
    token.cancel(StopReason.PERSON)
    return token


def test_a_retry_asks_before_an_attempt() -> None:
    inner = DeafProvider()
    stopped(cancelled(), retrying(inner))
    assert inner.requests == 0


def test_a_retry_asks_first_thing_after_a_failure() -> None:
    stopped(CancelToken(), retrying(DeafProvider(SAID, stops=True)))


def test_a_retry_asks_before_it_announces() -> None:
    token = CancelToken()

    def jitter() -> float:
        token.cancel(StopReason.PERSON)
        return 0.0

    told = stopped(token, retrying(DeafProvider(FAULT), jitter))
    assert not any(isinstance(event, RetryAnnounced) for event in told)


def test_a_fallback_asks_before_the_first_model() -> None:
    first = DeafProvider()
    stopped(cancelled(), FallbackProvider([first, DeafProvider()]))
    assert first.requests == 0


def test_a_fallback_asks_first_thing_after_a_failure() -> None:
    stopped(CancelToken(), FallbackProvider([DeafProvider(SAID, stops=True), DeafProvider()]))


def test_a_fallback_asks_before_it_announces() -> None:
    token = CancelToken()
    provider = FallbackProvider([DeafProvider(StoppingError(token)), DeafProvider()])
    told = stopped(token, provider)
    assert not any(isinstance(event, FallbackAnnounced) for event in told)


@pytest.mark.parametrize("models", [2, 3])
def test_a_fallback_asks_before_every_further_model(models: int) -> None:
    token = CancelToken()
    following = [DeafProvider() for _ in range(models - 1)]

    def react(event: ProviderEvent) -> None:
        if isinstance(event, FallbackAnnounced):
            token.cancel(StopReason.PERSON)

    stopped(token, FallbackProvider([DeafProvider(FAULT), *following]), react)
    assert [provider.requests for provider in following] == [0] * len(following)


class WatchedHttpProvider(HttpProvider):
    """Lists the failures that it looked into."""

    def __init__(self, endpoint: Endpoint) -> None:
        super().__init__(endpoint, None)
        self.looked_into: list[Exception] = []

    def _failure(self, exc: Exception) -> ProblemError:
        self.looked_into.append(exc)
        return super()._failure(exc)


def test_a_request_that_breaks_in_the_moment_of_stop_is_not_looked_into(
    server: FakeServer,
) -> None:
    token = CancelToken()
    provider = WatchedHttpProvider(Endpoint(base_url=server.url, model="m"))

    def react(event: ProviderEvent) -> None:
        if isinstance(event, RequestDelivered):
            token.cancel(StopReason.PERSON)
            raise httpx2.ConnectError("as our own close looks")

    stopped(token, provider, react)
    assert provider.looked_into == []
