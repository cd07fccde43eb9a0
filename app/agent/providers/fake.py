"""A provider that follows a script: no network, the same contract as the real one.

A script is one list of steps per request. Most steps are the events themselves; besides them a
`ToolCallPart` becomes part of the reply, a `Gate` holds the answer back until somebody opens it,
a `Problem` ends it. Without a script left, it repeats what it was asked. A request that is not to
be streamed gets its words in one piece, at the end.
"""

import asyncio
import threading
from collections import deque
from collections.abc import Callable, Sequence

from app.agent.provider import (
    ChatRequest,
    Emit,
    ProviderEvent,
    ReasoningChunk,
    Reply,
    RequestBegun,
    RequestDelivered,
    TextChunk,
    ToolCallChunk,
    Usage,
)
from app.core.errors import Problem, ProblemError
from app.core.messages import Role, ToolCallPart
from app.core.tokens import CancelToken


class Latch:
    """A one-way switch that any thread may set, and wait for in or out of a loop."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._event = threading.Event()
        self._wakers: list[Callable[[], object]] = []

    def set(self) -> None:
        """Switch it; wakes whoever waits."""
        with self._lock:
            self._event.set()
            wakers, self._wakers = self._wakers, []
        for wake in wakers:
            wake()

    def wait_blocking(self, timeout_s: float | None = None) -> bool:
        """Wait on a thread of the caller's; False if the time ran out."""
        return self._event.wait(timeout_s)

    async def wait(self) -> None:
        """Wait in a loop."""
        loop, woken = asyncio.get_running_loop(), asyncio.Event()
        with self._lock:
            if self._event.is_set():
                return
            self._wakers.append(lambda: loop.call_soon_threadsafe(woken.set))
        await woken.wait()


class Gate:
    """A place in a script: `reached` is set when the answer stands before it."""

    def __init__(self) -> None:
        self.reached = Latch()
        self._opened = Latch()

    def open(self) -> None:
        """Let the answer go on; any thread."""
        self._opened.set()

    async def pass_through(self) -> None:
        """Stand here until it is open."""
        self.reached.set()
        await self._opened.wait()


Step = ProviderEvent | ToolCallPart | Gate | Problem | ProblemError
Script = Sequence[Step]


class ScriptedProvider:
    """Answers each request with the next script."""

    def __init__(self, *scripts: Script, model: str = "scripted") -> None:
        self._scripts = deque(scripts)
        self._model = model
        self.requests: list[ChatRequest] = []
        self.is_closed = False

    @property
    def model(self) -> str:
        """The name it goes by."""
        return self._model

    def add(self, *scripts: Script) -> None:
        """Queue more scripts."""
        self._scripts.extend(scripts)

    async def stream(self, request: ChatRequest, token: CancelToken, emit: Emit) -> Reply:
        """Follow the next script."""
        return await token.run(self._follow(request, token, emit))

    async def aclose(self) -> None:
        """Nothing is open."""
        self.is_closed = True

    async def _follow(self, request: ChatRequest, token: CancelToken, emit: Emit) -> Reply:
        self.requests.append(request)
        steps = self._scripts.popleft() if self._scripts else _echo(request)
        emit(RequestBegun(model=self._model))
        emit(RequestDelivered(model=self._model))
        said: list[Step] = []
        for step in steps:
            token.check()
            said.append(step)
            await _take(step, emit if request.streaming else _not_yet)
        reply = _reply(self._model, said)
        if not request.streaming:
            _emit_whole(reply, emit)
        return reply


async def _take(step: Step, emit: Emit) -> None:
    match step:
        case Gate():
            await step.pass_through()
        case Problem():
            raise ProblemError(step)
        case ProblemError():
            raise step
        case ToolCallPart():
            emit(ToolCallChunk())
        case _:
            emit(step)
            await asyncio.sleep(0)  # as a socket would: a Stop can land between two words


def _not_yet(event: ProviderEvent) -> None:
    """Without streaming nothing is told before the end."""


def _emit_whole(reply: Reply, emit: Emit) -> None:
    if reply.reasoning:
        emit(ReasoningChunk(text=reply.reasoning))
    if reply.text:
        emit(TextChunk(text=reply.text))
    if reply.tool_calls:
        emit(ToolCallChunk())
    if reply.usage:
        emit(reply.usage)


def _reply(model: str, said: list[Step]) -> Reply:
    calls = tuple(step for step in said if isinstance(step, ToolCallPart))
    usage = [step for step in said if isinstance(step, Usage)]
    return Reply(
        model=model,
        text="".join(step.text for step in said if isinstance(step, TextChunk)),
        reasoning="".join(step.text for step in said if isinstance(step, ReasoningChunk)),
        tool_calls=calls,
        usage=usage[-1] if usage else None,
        finish_reason="tool_calls" if calls else "stop",
    )


def _echo(request: ChatRequest) -> Script:
    asked = [message.text for message in request.messages if message.role is Role.USER]
    words = f"You wrote: {asked[-1] if asked else ''}".split(" ")
    chunks = [words[0], *(f" {word}" for word in words[1:])]
    return [
        *(TextChunk(text=chunk) for chunk in chunks),
        Usage(prompt_tokens=1, completion_tokens=1),
    ]
