"""The provider for every OpenAI-compatible server.

Runs on the agent loop. The SDK is loaded and opened on a daemon thread at the first request, and
large requests are encoded on one; Stop cancels the request's task, which closes its connection.
"""

import importlib
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from app.agent.provider import (
    ChatRequest,
    Emit,
    ProviderEvent,
    Reply,
    RequestBegun,
    RequestDelivered,
)
from app.agent.providers.accumulator import Accumulator
from app.agent.providers.address import parse_address
from app.agent.providers.classify import Asked
from app.agent.providers.encoding import OPTIONAL, ROLES, encode, is_heavy, options_of
from app.agent.providers.failure import RequestFailed
from app.agent.providers.fit import Fit
from app.agent.providers.lazy import Lazy
from app.agent.providers.refusals import Refusals
from app.agent.providers.route import has_route
from app.agent.providers.timeouts import Timeouts
from app.core.errors import ProblemError, ProblemKind, problem
from app.core.settings import Endpoint
from app.core.tokens import CancelToken
from app.core.windows import stated_window
from app.system.threads import call_in_thread

if TYPE_CHECKING:
    from app.agent.providers.wire import Wire

Key = str | Callable[[], str | None] | None  # a call may block: it is made on a thread


class HttpProvider:
    """Asks one model on one server, with the key that belongs to its base URL."""

    def __init__(
        self,
        endpoint: Endpoint,
        key: Key,
        *,
        timeouts: Timeouts | None = None,
        refusals: Refusals | None = None,
        attachments: Path | None = None,
        has_route: Callable[[], bool] = has_route,
        defaults: Mapping[str, Any] | None = None,
    ) -> None:
        self._endpoint = endpoint
        # What the model needs where the person set nothing.
        self._options = {**(defaults or {}), **options_of(endpoint)}
        self._find_key = key if callable(key) else lambda: key
        self._key: str | None = None
        self._timeouts = timeouts or Timeouts()
        self._refusals = refusals or Refusals()
        self._attachments = attachments
        self._has_route = has_route
        self._wire: Lazy[Wire] = Lazy(self._open)
        self._first_listed = ""
        self._fit = Fit(stated_window(endpoint))

    @property
    def model(self) -> str:
        """The model's name; the server's, as long as it has not been asked which it has."""
        return self._endpoint.model or self._first_listed or _shown(self._endpoint.base_url)

    async def stream(self, request: ChatRequest, token: CancelToken, emit: Emit) -> Reply:
        """Ask the model, telling what happens through `emit`."""
        return await token.run(self._answer(request, token, emit))

    async def aclose(self) -> None:
        """Close the connections."""
        if (wire := self._wire.value) is not None:
            await wire.aclose()

    def _open(self) -> "Wire":
        """Find the key and prepare the connections; on a thread, since both may take long."""
        self._key = (self._find_key() or "").strip() or None
        module = importlib.import_module("app.agent.providers.wire")
        address = parse_address(self._endpoint.base_url)
        if self._key is not None and not (self._key.isascii() and self._key.isprintable()):
            raise self._asked().failure(ProblemKind.KEY_REJECTED, "signs that no key has")
        opened: Wire = module.Wire(address, self._key, self._timeouts)
        return opened

    async def _answer(self, request: ChatRequest, token: CancelToken, emit: Emit) -> Reply:
        def tell(event: ProviderEvent) -> None:
            token.check()  # a Stop from another thread may come between two events
            emit(event)

        tell(RequestBegun(model=self.model))
        for _ in (*OPTIONAL, *ROLES):  # each may be refused, one after the other
            try:
                return await self._attempt(request, token, tell)
            except RequestFailed as failure:
                token.check()
                if not self._refusals.learn(self._endpoint.base_url, failure):
                    raise
        return await self._attempt(request, token, tell)

    async def _attempt(self, request: ChatRequest, token: CancelToken, emit: Emit) -> Reply:
        try:
            wire = await self._wire.get()
            model = await self._model_on(wire)
            self._check_fit(request)
            body = await self._encoded(request, model)
            reply = Accumulator(emit)
            await wire.ask(
                body,
                reply,
                token,
                streaming=request.streaming,
                delivered=lambda: emit(RequestDelivered(model=model)),
            )
            whole = reply.reply(model)
        except Exception as exc:
            token.check()  # our own close looks exactly like a network failure
            raise self._failure(exc) from exc
        self._fit.learn(request, whole.usage)
        return whole

    def _check_fit(self, request: ChatRequest) -> None:
        """Say what cannot fit before it is sent."""
        excess = self._fit.excess(request)
        if excess is not None:
            raise self._asked().failure(ProblemKind.TOO_LONG, "not sent", **excess)

    async def _model_on(self, wire: "Wire") -> str:
        if self._endpoint.model:
            return self._endpoint.model
        if not self._first_listed:
            listed = await wire.list_models()
            if not listed:
                detail = "it lists no model"
                raise self._asked().failure(ProblemKind.NO_SUCH_MODEL, detail, model="at all")
            self._first_listed = listed[0]
        return self._first_listed

    async def _encoded(self, request: ChatRequest, model: str) -> bytes:
        write = partial(
            encode,
            request,
            model=model,
            user_after_tool=self._endpoint.user_after_tool,
            without=self._refusals.of(self._endpoint.base_url),
            options=self._options,
            instructions=self._endpoint.system_prompt,
            attachments=self._attachments,
        )
        return await call_in_thread(write) if is_heavy(request) else write()

    def _failure(self, exc: Exception) -> ProblemError:
        wire = self._wire.value
        if wire is None:
            if isinstance(exc, ProblemError):
                return exc
            return problem(ProblemKind.INTERNAL, repr(exc))
        failure = wire.failure_of(self._asked(), exc, self._has_route)
        if failure.problem.kind is ProblemKind.NO_SUCH_MODEL:
            self._first_listed = ""  # the server may have been given another model meanwhile
        self._fit.learn_limit(failure.problem)
        return failure

    def _asked(self) -> Asked:
        address = parse_address(self._endpoint.base_url)
        return Asked(address=address, model=self.model, key=self._key)


def _shown(base_url: str) -> str:
    try:
        return parse_address(base_url).shown
    except ProblemError:
        return base_url
