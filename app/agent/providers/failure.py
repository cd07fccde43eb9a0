"""A failed request, with what only the wrappers around it need to know."""

from app.core.errors import Problem, ProblemError


class RequestFailed(ProblemError):  # noqa: N818 - reads as the fact it is
    """A problem of one request.

    `retry_after_s` is what the server asked for. `unanswered` is True when the server let a
    request go without a byte, as when it closed an idle connection just as we used it. `said` is
    the server's whole error, for whoever looks for names in it; it is neither shown nor logged.
    """

    def __init__(
        self,
        problem: Problem,
        *,
        retry_after_s: float | None = None,
        unanswered: bool = False,
        said: str = "",
    ) -> None:
        super().__init__(problem)
        self.said = said
        self.retry_after_s = retry_after_s
        self.unanswered = unanswered
