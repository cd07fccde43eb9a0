"""Whether a request fits what its model can read, judged before it is sent.

Servers count tokens, we count characters: until a server has told its count for one of our
requests, five characters are taken for a token, so that nothing that would fit is refused. What a
server refuses nevertheless teaches the window.
"""

import math
from typing import Final

from app.agent.provider import ChatRequest, Usage
from app.core.errors import Param, Problem, ProblemKind
from app.core.messages import ImagePart, TextPart, ToolCallPart, ToolResultPart

_CAUTIOUS: Final = 5.0
_PER_MESSAGE: Final = 12  # characters that a template puts around each
_ENOUGH: Final = 400  # characters; a smaller request says more about the template than the text


class Fit:
    """What one model can read, and how it counts; on the agent loop."""

    def __init__(self, window: int | None) -> None:
        self.window = window
        self._per_token = _CAUTIOUS

    def excess(self, request: ChatRequest) -> dict[str, Param] | None:
        """Give how much too much a request is; None if it may fit."""
        if self.window is None:
            return None
        used = math.ceil(characters(request) / self._per_token)
        return {"used": used, "limit": self.window} if used > self.window else None

    def learn(self, request: ChatRequest, usage: Usage | None) -> None:
        """Take a server's count of a request."""
        size = characters(request)
        if _has_pictures(request):
            return  # the server counts them, and we cannot
        if usage is not None and usage.prompt_tokens > 0 and size >= _ENOUGH:
            self._per_token = max(size / usage.prompt_tokens, 1.0)

    def learn_limit(self, problem: Problem) -> None:
        """Take the limit that a server names when it refuses."""
        limit = problem.params.get("limit")
        if problem.kind is ProblemKind.TOO_LONG and isinstance(limit, int):
            self.window = limit


def _has_pictures(request: ChatRequest) -> bool:
    return any(isinstance(part, ImagePart) for it in request.messages for part in it.parts)


def characters(request: ChatRequest) -> int:
    """Count what a request sends; pictures are counted by nobody but the server."""
    size = sum(len(repr(tool.parameters)) + len(tool.description) for tool in request.tools)
    for message in request.messages:
        size += _PER_MESSAGE
        for part in message.parts:
            match part:
                case TextPart(text=text) | ToolResultPart(content=text):
                    size += len(text)
                case ToolCallPart(arguments=arguments):
                    size += len(arguments)
                case _:
                    continue
    return size
