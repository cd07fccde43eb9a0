"""Providers and tools that do what they should not."""

import asyncio
from collections.abc import Callable, Mapping
from typing import Any

from app.agent.provider import (
    ChatRequest,
    Emit,
    FallbackAnnounced,
    ReasoningChunk,
    Reply,
    RequestBegun,
    RetryAnnounced,
    TextChunk,
    ToolSpec,
    Usage,
)
from app.agent.tools.tool import Output
from app.core.errors import Problem, ProblemError, ProblemKind
from app.core.messages import Role
from app.core.tokens import CancelToken

LATE = "LATE"
DROPPED = Problem(kind=ProblemKind.BROKEN_OFF, detail=LATE)


class StubbornProvider:
    """Swallows its cancel for the first request, and when it is let go talks as if nothing was.

    What it is asked after that, it answers with `answer`.
    """

    model = "stubborn"

    def __init__(self, answer: str = "New words") -> None:
        self.let_go = asyncio.Event()
        self.has_ended = asyncio.Event()
        self.swallowed = asyncio.Event()
        self.requests: list[ChatRequest] = []
        self._answer = answer

    async def stream(self, request: ChatRequest, token: CancelToken, emit: Emit) -> Reply:
        self.requests.append(request)
        emit(RequestBegun(model=self.model))
        if len(self.requests) > 1:
            emit(TextChunk(text=self._answer))
            await asyncio.sleep(0)
            return Reply(model=self.model, text=self._answer)
        emit(TextChunk(text="Old words"))
        while not self.let_go.is_set():
            try:
                await self.let_go.wait()
            except asyncio.CancelledError:
                self.swallowed.set()
        return self._talk_on(emit)

    def _talk_on(self, emit: Emit) -> Reply:
        emit(TextChunk(text=LATE))
        emit(ReasoningChunk(text=LATE))
        emit(Usage(prompt_tokens=1, completion_tokens=1))
        emit(RetryAnnounced(problem=DROPPED, attempt=2, attempts=4, wait_s=0.0))
        emit(FallbackAnnounced(from_model=LATE, to_model=LATE, problem=DROPPED))
        self.has_ended.set()
        raise ProblemError(DROPPED)

    async def aclose(self) -> None:
        """Nothing is open."""


class LeakyProvider:
    """Answers, and goes on talking behind its own back until it is let go."""

    model = "leaky"

    def __init__(self) -> None:
        self.let_go = asyncio.Event()
        self.leak: asyncio.Task[None] | None = None

    async def stream(self, request: ChatRequest, token: CancelToken, emit: Emit) -> Reply:
        emit(RequestBegun(model=self.model))
        emit(TextChunk(text="Done"))
        self.leak = asyncio.get_running_loop().create_task(self._talk_on(emit))
        return Reply(model=self.model, text="Done")

    async def _talk_on(self, emit: Emit) -> None:
        await self.let_go.wait()
        emit(TextChunk(text=LATE))
        emit(RetryAnnounced(problem=DROPPED, attempt=2, attempts=4, wait_s=0.0))

    async def aclose(self) -> None:
        """Nothing is open."""


class HookedProvider:
    """Repeats the last question, calling `during` between two words of its answer."""

    model = "hooked"

    def __init__(self) -> None:
        self.during: Callable[[], object] = lambda: None
        self.requests: list[ChatRequest] = []

    async def stream(self, request: ChatRequest, token: CancelToken, emit: Emit) -> Reply:
        self.requests.append(request)
        text = [m.text for m in request.messages if m.role is Role.USER][-1]
        emit(RequestBegun(model=self.model))
        emit(TextChunk(text="You wrote: "))
        self.during()
        emit(TextChunk(text=text))
        return Reply(model=self.model, text=f"You wrote: {text}")

    async def aclose(self) -> None:
        """Nothing is open."""


class SelfCancellingProvider(HookedProvider):
    """Raises asyncio's own cancellation, though nobody cancelled it."""

    async def stream(self, request: ChatRequest, token: CancelToken, emit: Emit) -> Reply:
        if not self.requests:
            self.requests.append(request)
            raise asyncio.CancelledError
        return await super().stream(request, token, emit)


class HookedTool:
    """A tool that does what a test wants."""

    def __init__(self, name: str = "hooked") -> None:
        self.name = name
        self.calls: list[Mapping[str, Any]] = []
        self.started = asyncio.Event()
        self.let_go = asyncio.Event()
        self.waits = False
        self.is_stubborn = False
        self.last_words = ""
        self.output: Output = lambda _: None
        self.raises: BaseException | None = None
        self.on_done: Callable[[], object] = lambda: None

    @property
    def spec(self) -> ToolSpec:
        return ToolSpec(name=self.name, description="Does it.", parameters={"type": "object"})

    async def run(self, arguments: Mapping[str, Any], token: CancelToken, output: Output) -> str:
        self.calls.append(arguments)
        self.started.set()
        self.output = output
        output("working")
        if self.raises is not None:
            raise self.raises
        while self.waits and not self.let_go.is_set():
            await self._wait(output)
        self.on_done()
        output(LATE)
        return "done"

    async def _wait(self, output: Output) -> None:
        try:
            await self.let_go.wait()
        except asyncio.CancelledError:
            if self.last_words:
                output(self.last_words)
            if not self.is_stubborn:
                raise
