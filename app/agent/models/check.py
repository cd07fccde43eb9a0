"""Tries a model as a conversation would: one small question, until its first word."""

import asyncio
import time
from typing import Final

from app.agent.provider import (
    ChatRequest,
    Provider,
    ProviderEvent,
    ReasoningChunk,
    RequestDelivered,
    TextChunk,
    ToolCallChunk,
)
from app.core.errors import Problem, ProblemError, ProblemKind
from app.core.events import StopReason
from app.core.ids import new_conversation_id, new_message_id
from app.core.messages import Message, Role, text_parts
from app.core.models import EndpointChecked
from app.core.settings import Endpoint
from app.core.tokens import Cancelled, CancelToken

LIMIT_S: Final = 45.0  # a model on this machine may have to be loaded first
_QUESTION: Final = "Reply with the one word: ready"


async def check(
    endpoint: Endpoint, provider: Provider, *, limit_s: float = LIMIT_S
) -> EndpointChecked:
    """Ask through a provider made for this; tell how long its first word took, or what is wrong."""
    began = time.monotonic()
    listener = _FirstWord()
    problem: Problem | None = None
    try:
        async with asyncio.timeout(limit_s):
            reply = await provider.stream(_question(), listener.token, listener.hear)
            listener.model = listener.model or reply.model
    except Cancelled:
        pass  # the first word is all that was wanted
    except TimeoutError:
        problem = Problem(
            kind=ProblemKind.SILENT,
            params={"model": provider.model, "seconds": round(limit_s)},
        )
    except ProblemError as error:
        problem = error.problem
    finally:
        await provider.aclose()
    return EndpointChecked(
        endpoint=endpoint,
        model=listener.model or provider.model,
        seconds=time.monotonic() - began,
        problem=problem,
    )


class _FirstWord:
    """Ends the question as soon as an answer begins."""

    def __init__(self) -> None:
        self.token = CancelToken("check")
        self.model = ""

    def hear(self, event: ProviderEvent) -> None:
        match event:
            case RequestDelivered(model=model):
                self.model = model
            case TextChunk() | ReasoningChunk() | ToolCallChunk():
                self.token.cancel(StopReason.PERSON)
            case _:
                return


def _question() -> ChatRequest:
    message = Message(
        id=new_message_id(),
        conversation_id=new_conversation_id(),
        parent_id=None,
        role=Role.USER,
        parts=text_parts(_QUESTION),
        created_at=time.time(),
    )
    return ChatRequest(messages=(message,))
