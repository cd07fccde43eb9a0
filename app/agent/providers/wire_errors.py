"""Turns what the SDK, the HTTP client and TLS raise into problems."""

import json
import socket
import ssl
import time
from collections.abc import Callable, Iterator

import httpx2
import openai

from app.agent.providers.accumulator import ServerSaidError
from app.agent.providers.classify import Asked, of_error_inside, of_status, of_web_page
from app.agent.providers.exchange import CutOffError, WebPageError
from app.agent.providers.failure import RequestFailed
from app.agent.providers.sse import BadReplyError
from app.core.errors import ProblemError, ProblemKind

_K = ProblemKind
_DROPPED = ("disconnected", "closed connection")  # httpcore2's words; the rest is not HTTP at all


def failure_of(
    asked: Asked, exc: Exception, *, silence_s: float, has_route: Callable[[], bool]
) -> ProblemError:
    """Say what an exception means; whoever calls has asked the token first."""
    if isinstance(exc, ProblemError):
        return exc
    if isinstance(exc, openai.APIConnectionError) and isinstance(
        exc.__cause__, httpx2.RequestError
    ):
        failure = _transport_failure(asked, exc.__cause__, silence_s, has_route)
        failure.unanswered = failure.problem.kind is _K.BROKEN_OFF
        return failure
    if isinstance(exc, httpx2.RequestError):
        return _transport_failure(asked, exc, silence_s, has_route)
    return _answer_failure(asked, exc)


def _answer_failure(asked: Asked, exc: Exception) -> RequestFailed:
    match exc:
        case openai.APIStatusError():
            headers = {name.lower(): value for name, value in exc.response.headers.items()}
            return of_status(asked, exc.status_code, headers, exc.body, now=time.time())
        case ServerSaidError():
            return of_error_inside(asked, exc.body)
        case CutOffError():
            return asked.failure(_K.BROKEN_OFF, str(exc))
        case WebPageError():
            return of_web_page(asked, str(exc))
        case BadReplyError() | UnicodeError() | json.JSONDecodeError():
            return asked.failure(_K.BAD_REPLY, str(exc))
        case _:
            return asked.failure(_K.INTERNAL, repr(exc))


def _transport_failure(
    asked: Asked, exc: httpx2.RequestError, silence_s: float, has_route: Callable[[], bool]
) -> RequestFailed:
    detail = _chain(exc)
    match exc:
        case httpx2.ReadTimeout() | httpx2.WriteTimeout():
            return asked.failure(_K.SILENT, detail, seconds=round(silence_s))
        case httpx2.ConnectError() | httpx2.ConnectTimeout() | httpx2.ProxyError():
            return _connect_failure(asked, exc, detail, has_route)
        case httpx2.RemoteProtocolError() if not any(word in str(exc) for word in _DROPPED):
            return asked.failure(_K.BAD_REPLY, detail)
        case httpx2.DecodingError() | httpx2.LocalProtocolError():
            return asked.failure(_K.BAD_REPLY, detail)
        case _:
            return asked.failure(_K.BROKEN_OFF, detail)


def _connect_failure(
    asked: Asked, exc: httpx2.RequestError, detail: str, has_route: Callable[[], bool]
) -> RequestFailed:
    if any(isinstance(cause, ssl.SSLCertVerificationError) for cause in _causes(exc)):
        return asked.failure(_K.TLS, detail)
    if not asked.address.is_local and not has_route():
        return asked.failure(_K.NO_NETWORK, detail)
    if isinstance(exc, httpx2.ProxyError):
        return asked.failure(_K.PROXY, detail)
    if any(isinstance(cause, socket.gaierror) for cause in _causes(exc)):
        return asked.failure(_K.NO_SUCH_HOST, detail)
    return asked.failure(_K.UNREACHABLE, detail)


def _causes(exc: BaseException) -> Iterator[BaseException]:
    at: BaseException | None = exc
    while at is not None:
        yield at
        at = at.__cause__ or at.__context__


def _chain(exc: BaseException) -> str:
    return " <- ".join(f"{type(cause).__name__}: {cause}" for cause in _causes(exc))
