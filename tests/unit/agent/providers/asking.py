"""What the provider tests share: questions, an ear for events, and a Stop at the right moment."""

import asyncio
from collections.abc import Callable
from typing import TypeVar

from app.agent.provider import (
    ChatRequest,
    Provider,
    ProviderEvent,
    ReasoningChunk,
    Reply,
    TextChunk,
    ToolCallChunk,
)
from app.agent.providers.http import HttpProvider
from app.agent.providers.timeouts import Timeouts
from app.core.errors import Problem, ProblemError
from app.core.events import StopReason
from app.core.ids import new_conversation_id, new_message_id
from app.core.messages import Message, Part, Role, text_parts
from app.core.settings import Endpoint
from app.core.tokens import CancelToken
from tests.fakes.server import FakeServer

E = TypeVar("E")
CONVERSATION = new_conversation_id()
LIMIT_S = 50.0  # a bound against hanging: a real model on a busy machine takes its time


def message(role: Role, *parts: Part, text: str = "") -> Message:
    """Make a message of some parts or plain words."""
    return Message(
        id=new_message_id(),
        conversation_id=CONVERSATION,
        parent_id=None,
        role=role,
        parts=parts or text_parts(text),
        created_at=0.0,
    )


def question(text: str = "Hello", *, streaming: bool = True) -> ChatRequest:
    """Ask this and nothing before it."""
    return ChatRequest(messages=(message(Role.USER, text=text),), streaming=streaming)


def provider_at(
    base_url: str, *, model: str = "m", key: str | None = None, timeouts: Timeouts | None = None
) -> HttpProvider:
    """Make a provider for a server, without a model's name to look up."""
    endpoint = Endpoint(base_url=base_url, model=model)
    return HttpProvider(endpoint, key, timeouts=timeouts, has_route=lambda: True)


class Ear:
    """Collects what a provider tells, and can be waited for."""

    def __init__(self) -> None:
        self.events: list[ProviderEvent] = []
        self._changed = asyncio.Event()

    def __call__(self, event: ProviderEvent) -> None:
        """Hear an event."""
        self.events.append(event)
        self._changed.set()

    def all(self, kind: type[E]) -> list[E]:
        """List the events of one kind."""
        return [event for event in self.events if isinstance(event, kind)]

    @property
    def text(self) -> str:
        """The words heard so far."""
        return "".join(chunk.text for chunk in self.all(TextChunk))

    @property
    def has_shown(self) -> bool:
        """Say whether a piece of an answer was told."""
        return bool(self.all(TextChunk) + self.all(ReasoningChunk) + self.all(ToolCallChunk))

    async def until(self, holds: Callable[["Ear"], object]) -> None:
        """Wait until what was heard satisfies `holds`."""
        async with asyncio.timeout(LIMIT_S):
            while not holds(self):
                self._changed.clear()
                await self._changed.wait()


class Asking:
    """A request on its way, with its token and an ear."""

    def __init__(self, provider: Provider, request: ChatRequest | None = None) -> None:
        self.ear = Ear()
        self.token = CancelToken("test")
        stream = provider.stream(request or question(), self.token, self.ear)
        self.task = asyncio.get_running_loop().create_task(stream)

    def stop(self) -> None:
        """Press Stop."""
        assert self.token.cancel(StopReason.PERSON)

    async def reply(self) -> Reply:
        """Wait for the reply."""
        async with asyncio.timeout(LIMIT_S):
            return await self.task

    async def problem(self) -> Problem:
        """Wait for the problem it must end with."""
        try:
            reply = await self.reply()
        except ProblemError as error:
            return error.problem
        raise AssertionError(f"no problem, but {reply}")


async def ask(provider: Provider, request: ChatRequest | None = None) -> Reply:
    """Ask and wait for the reply."""
    return await Asking(provider, request).reply()


async def problem_with(provider: Provider, request: ChatRequest | None = None) -> Problem:
    """Ask and wait for the problem."""
    return await Asking(provider, request).problem()


async def until_closed(server: FakeServer) -> None:
    """Wait until the server has seen the connection of its last chat request close."""
    await server.log.until(lambda log: log.chats and log.chats[-1].connection.closed_at)
