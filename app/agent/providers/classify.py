"""Turns what a server answered into a problem that a person can act on."""

import math
import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

from app.agent.providers.address import Address
from app.agent.providers.failure import RequestFailed
from app.agent.providers.reasons import code_of, message_of, scrubbed, sentence_of
from app.agent.providers.waiting import asked_wait_s
from app.core.errors import Param, Problem, ProblemKind

_TOO_LONG = re.compile(
    r"context.?(length|size|window)|maximum context|too (long|many tokens)|exceed_context"
    r"|prompt is too long|input is too long|reduce the length",
    re.IGNORECASE,
)
_NO_MODEL = re.compile(
    r"model_not_found|(model|deployment)\b.{0,80}\b(not (found|exist)|does ?n[o']t exist|unknown"
    r"|no such|not a valid)|(no such|unknown|invalid) model|not a valid model|pull .{0,40}model",
    re.IGNORECASE,
)
_NO_CREDIT = re.compile(
    r"insufficient_quota|insufficient.{0,20}(credit|fund|balance)|exceeded your current quota"
    r"|billing|no credit|out of credit|payment required|add .{0,20}credit",
    re.IGNORECASE,
)
_BAD_KEY = re.compile(r"invalid.{0,10}api.?key|incorrect api key|api key not valid", re.IGNORECASE)
_NOT_THE_KEY = re.compile(r"moderation|flagged|content.?policy", re.IGNORECASE)
_NUMBER = re.compile(r"\d{3,}")

_K = ProblemKind
_CLIENT, _SERVER = range(400, 500), range(500, 1000)
# The first line that fits the status and the server's words decides.
_RULES: tuple[tuple[Collection[int], re.Pattern[str] | None, ProblemKind], ...] = (
    ((401,), None, _K.KEY_REJECTED),
    ((402,), None, _K.NO_CREDIT),
    ((403,), _NOT_THE_KEY, _K.BAD_REQUEST),
    ((403,), _NO_CREDIT, _K.NO_CREDIT),
    ((403,), None, _K.KEY_REJECTED),
    ((429,), _NO_CREDIT, _K.NO_CREDIT),
    ((429,), None, _K.RATE_LIMITED),
    ((407,), None, _K.PROXY),
    ((511,), None, _K.LOGIN_NEEDED),
    ((413,), None, _K.TOO_LONG),
    (_CLIENT, _TOO_LONG, _K.TOO_LONG),
    (_SERVER, _TOO_LONG, _K.TOO_LONG),
    ((404, 405), _NO_MODEL, _K.NO_SUCH_MODEL),
    ((404, 405), None, _K.BAD_REPLY),
    ((408, 409, 425), None, _K.SERVER_FAULT),
    (_CLIENT, _BAD_KEY, _K.KEY_REJECTED),
    (_CLIENT, _NO_MODEL, _K.NO_SUCH_MODEL),
    (_CLIENT, None, _K.BAD_REQUEST),
    (_SERVER, None, _K.SERVER_FAULT),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """Whom was asked what; the key is known so that it can be taken out of every text."""

    address: Address
    model: str
    key: str | None = field(default=None, repr=False)

    def problem(self, kind: ProblemKind, detail: str = "", **params: Param) -> Problem:
        """Make a problem about this server."""
        named: dict[str, Param] = {
            "provider": self.address.provider,
            "host": self.address.shown,
            "model": self.model,
            **params,
        }
        return Problem(kind=kind, params=named, detail=scrubbed(detail, self.key))

    def failure(self, kind: ProblemKind, detail: str = "", **params: Param) -> RequestFailed:
        """Make the error for a problem about this server."""
        return RequestFailed(self.problem(kind, detail, **params))


def of_status(
    asked: Asked, status: int, headers: Mapping[str, str], body: Any, *, now: float = 0.0
) -> RequestFailed:
    """Classify an answer that is not a 200."""
    said, code = message_of(body), code_of(body)
    kind = _kind_of_status(status, f"{code} {said}")
    if 300 <= status < 400 and leads_elsewhere(asked.address, headers.get("location", "")):
        kind = ProblemKind.LOGIN_NEEDED
    wait_s = asked_wait_s(headers, said, now)
    params = _params(kind, asked, said, wait_s)
    detail = f"HTTP {status}; {sentence_of(said or code, asked.key)}"
    if 300 <= status < 400:
        detail += f" Redirected to {headers.get('location', 'nowhere')}."
    described = asked.problem(kind, detail, **params)
    return RequestFailed(described, retry_after_s=wait_s, said=repr(body))


def leads_elsewhere(address: Address, location: str) -> bool:
    """Say whether a redirect is the network's own: out of the house, and to another host."""
    there = urlsplit(location).hostname
    return bool(there) and there != address.host and _can_be_the_networks(address)


def _can_be_the_networks(address: Address) -> bool:
    """Say whether something between us and the server can have answered: over TLS it cannot."""
    return address.scheme == "http" and not address.is_local


def of_web_page(asked: Asked, detail: str) -> RequestFailed:
    """Classify a web page in place of an answer: a known provider would not have sent it."""
    is_known = asked.address.provider != asked.address.shown
    is_login = is_known and _can_be_the_networks(asked.address)
    return asked.failure(_K.LOGIN_NEEDED if is_login else _K.BAD_REPLY, detail)


def of_error_inside(asked: Asked, body: Any) -> RequestFailed:
    """Classify an error that came inside an answer that had begun with a 200."""
    status = body.get("code") if isinstance(body, dict) else None
    if not isinstance(status, int) or not 400 <= status < 600:
        status = 500
    return of_status(asked, status, {}, body)


def _kind_of_status(status: int, words: str) -> ProblemKind:
    for statuses, pattern, kind in _RULES:
        if status in statuses and (pattern is None or pattern.search(words)):
            return kind
    return ProblemKind.BAD_REPLY


def _params(kind: ProblemKind, asked: Asked, said: str, wait_s: float | None) -> dict[str, Param]:
    match kind:
        case ProblemKind.BAD_REQUEST:
            return {"reason": sentence_of(said, asked.key)}
        case ProblemKind.RATE_LIMITED:
            return {} if wait_s is None else {"seconds": math.ceil(wait_s)}
        case ProblemKind.SERVER_FAULT:
            return {"times": 1}
        case ProblemKind.TOO_LONG:
            return _sizes(said)
        case _:
            return {}


def _sizes(said: str) -> dict[str, Param]:
    numbers = sorted({int(number) for number in _NUMBER.findall(said.replace(",", ""))})
    return {"limit": numbers[0], "used": numbers[-1]} if len(numbers) == 2 else {}
