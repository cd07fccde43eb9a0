"""The seam between the turn and any model: one method wide.

`stream` tells what happens through `emit`, synchronously and on the loop, and returns the whole
reply. It raises `Cancelled` once the token is cancelled, whatever the transport made of our own
close, and `ProblemError` for everything else. An answer that was cut off is a problem, never a
reply. Retry and fallback are providers around providers; the scripted fake is one too, and passes
the same contract tests (tests/unit/agent/test_provider_contract.py).

A callback rather than an async generator: a generator abandoned between two yields closes its
connection whenever it is collected, and Stop must not wait for that.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

from app.core.errors import Problem
from app.core.messages import Message, ToolCallPart
from app.core.tokens import CancelToken


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolSpec:
    """A tool as the model sees it; `parameters` is a JSON schema."""

    name: str
    description: str
    parameters: dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatRequest:
    """What the model is asked: the history, as it is; providers make it valid for their server."""

    messages: tuple[Message, ...]
    tools: tuple[ToolSpec, ...] = ()
    streaming: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelAwaited:
    """A model of our own is starting; the request waits for it."""

    model: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestBegun:
    """Connecting."""

    model: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestDelivered:
    """The server has the whole request."""

    model: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TextChunk:
    """Words of the answer."""

    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ReasoningChunk:
    """Words of what the model thinks aloud."""

    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolCallChunk:
    """A piece of a tool call arrived: nothing to show yet, but no retry any more."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RetryAnnounced:
    """The request failed and is repeated after `wait_s`; `attempt` counts from 2 to `attempts`."""

    problem: Problem
    attempt: int
    attempts: int
    wait_s: float


@dataclass(frozen=True, slots=True, kw_only=True)
class FallbackAnnounced:
    """A model failed, the next in the list is asked."""

    from_model: str
    to_model: str
    problem: Problem


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """What the server counted."""

    prompt_tokens: int
    completion_tokens: int


ProviderEvent = (
    ModelAwaited
    | RequestBegun
    | RequestDelivered
    | TextChunk
    | ReasoningChunk
    | ToolCallChunk
    | RetryAnnounced
    | FallbackAnnounced
    | Usage
)
Emit = Callable[[ProviderEvent], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """A whole answer."""

    model: str
    text: str = ""
    reasoning: str = ""
    tool_calls: tuple[ToolCallPart, ...] = ()
    usage: Usage | None = None
    finish_reason: str = "stop"


class Provider(Protocol):
    """Anything that can answer."""

    @property
    def model(self) -> str:
        """The name of the model that is asked first."""
        ...

    async def stream(self, request: ChatRequest, token: CancelToken, emit: Emit) -> Reply:
        """Ask the model, telling what happens through `emit`."""
        ...

    async def aclose(self) -> None:
        """Let go of connections; the provider is not used again."""
        ...
