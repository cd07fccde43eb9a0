"""The optional parameters that servers refused, remembered for as long as the process lives."""

import re
from collections import defaultdict

from app.agent.providers.encoding import OPTIONAL, ROLES
from app.agent.providers.failure import RequestFailed
from app.core.errors import ProblemKind

_NOT_THIS_ROLE = re.compile(
    r"role\b.{0,60}\b(?:not support|unsupported|invalid|unknown|must be|expected)"
    r"|(?:not support|unsupported|invalid|unknown).{0,60}\brole\b"
    r"|(?:system|developer) (?:role|messages?)\b.{0,20}\bnot",
    re.IGNORECASE | re.DOTALL,
)


class Refusals:
    """Remembers by base URL what to leave out."""

    def __init__(self) -> None:
        self._refused: defaultdict[str, set[str]] = defaultdict(set)

    def of(self, base_url: str) -> frozenset[str]:
        """List the parameters that this server does not take."""
        return frozenset(self._refused[base_url])

    def learn(self, base_url: str, failure: RequestFailed) -> bool:
        """Read a refusal; True if it names an optional parameter that was not known yet."""
        if failure.problem.kind is not ProblemKind.BAD_REQUEST:
            return False
        named = {name for name in OPTIONAL if name in failure.said}
        named |= self._role_refused(base_url, failure.said)
        if "max_tokens" in named - self._refused[base_url]:
            named.discard("max_completion_tokens")  # then it is the name that is asked for
        new = named - self._refused[base_url]
        self._refused[base_url] |= named
        return bool(new)

    def _role_refused(self, base_url: str, said: str) -> set[str]:
        """Find the role in which instructions were sent, if it is the one refused."""
        sent = next((role for role in ROLES if role not in self._refused[base_url]), None)
        if sent is None or not _NOT_THIS_ROLE.search(said):
            return set()
        return {sent} if sent.removeprefix("role ") in said else set()
