"""Tells the world about one turn: what the provider and the tools do, as turn events.

Once the token is cancelled nothing more is told of the answer, and after `end` nothing at all: a
worker of an old turn that is still unwinding cannot be heard in the next one.
"""

from collections.abc import Callable
from typing import TypedDict

from app.agent.history import OpenAnswer
from app.agent.provider import (
    FallbackAnnounced,
    ModelAwaited,
    ProviderEvent,
    ReasoningChunk,
    RequestBegun,
    RequestDelivered,
    RetryAnnounced,
    TextChunk,
    ToolCallChunk,
    Usage,
)
from app.core.events import (
    Event,
    FellBack,
    ModelStarting,
    ReasoningDelta,
    RequestSent,
    RequestStarted,
    Retrying,
    TextDelta,
    ToolFinished,
    ToolOutput,
    ToolStarted,
    UsageReported,
)
from app.core.ids import CallId, ConversationId, TurnId
from app.core.messages import ToolCallPart, ToolResultPart
from app.core.tokens import CancelToken


class _Ids(TypedDict):
    conversation_id: ConversationId
    turn_id: TurnId


class Narrator:
    """The voice of one turn."""

    def __init__(
        self,
        *,
        conversation_id: ConversationId,
        turn_id: TurnId,
        token: CancelToken,
        emit: Callable[[Event], None],
    ) -> None:
        self._ids = _Ids(conversation_id=conversation_id, turn_id=turn_id)
        self._token = token
        self._emit = emit
        self._ended = False
        self._running: set[CallId] = set()
        self.is_connected = False  # a server has the request: a Stop has a connection to close

    def end(self) -> None:
        """Fall silent."""
        self._ended = True

    def heard(self, event: ProviderEvent, answer: OpenAnswer) -> None:
        """Write down and tell what the provider says."""
        if self._token.is_cancelled:
            return
        match event:
            case TextChunk(text=text):
                if answer.write(text):
                    self._tell(TextDelta(**self._ids, message_id=answer.id, text=text))
            case ReasoningChunk(text=text):
                if answer.think(text):
                    self._tell(ReasoningDelta(**self._ids, message_id=answer.id, text=text))
            case _:
                self._heard_of_request(event)

    def _heard_of_request(
        self,
        event: ModelAwaited
        | RequestBegun
        | RequestDelivered
        | ToolCallChunk
        | RetryAnnounced
        | FallbackAnnounced
        | Usage,
    ) -> None:
        ids = self._ids
        match event:
            case ModelAwaited(model=model):
                self._tell(ModelStarting(**ids, model=model))
            case RequestBegun(model=model):
                self.is_connected = False
                self._tell(RequestStarted(**ids, model=model))
            case RequestDelivered(model=model):
                self.is_connected = True
                self._tell(RequestSent(**ids, model=model))
            case RetryAnnounced(problem=problem, attempt=attempt, attempts=of, wait_s=wait_s):
                self.is_connected = False
                self._tell(
                    Retrying(**ids, problem=problem, attempt=attempt, attempts=of, wait_s=wait_s)
                )
            case FallbackAnnounced(from_model=failed, to_model=following, problem=problem):
                self.is_connected = False
                self._tell(FellBack(**ids, from_model=failed, to_model=following, problem=problem))
            case Usage(prompt_tokens=prompt, completion_tokens=answer):
                self._tell(UsageReported(**ids, prompt_tokens=prompt, completion_tokens=answer))
            case ToolCallChunk():
                pass  # nothing to show until the call is whole

    def tool_started(self, call: ToolCallPart) -> None:
        """Tell that a tool runs."""
        self._running.add(call.call_id)
        self._tell(
            ToolStarted(**self._ids, call_id=call.call_id, name=call.name, arguments=call.arguments)
        )

    def tool_said(self, call: ToolCallPart, text: str) -> None:
        """Tell what a running tool says; one that is over or was stopped is not heard."""
        if call.call_id in self._running and not self._token.is_cancelled:
            self._tell(ToolOutput(**self._ids, call_id=call.call_id, text=text))

    def tool_finished(self, result: ToolResultPart) -> None:
        """Tell how a tool ended, also when it was stopped."""
        self._running.discard(result.call_id)
        self._tell(
            ToolFinished(
                **self._ids,
                call_id=result.call_id,
                name=result.name,
                content=result.content,
                is_error=result.is_error,
            )
        )

    def _tell(self, event: Event) -> None:
        if not self._ended:
            self._emit(event)
