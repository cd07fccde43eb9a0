"""The optional parameters that servers refused, remembered for as long as the process lives."""

from collections import defaultdict

from app.agent.providers.encoding import OPTIONAL
from app.agent.providers.failure import RequestFailed
from app.core.errors import ProblemKind


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
        if "max_tokens" in named - self._refused[base_url]:
            named.discard("max_completion_tokens")  # then it is the name that is asked for
        new = named - self._refused[base_url]
        self._refused[base_url] |= named
        return bool(new)
