"""A provider and a tool that do, by the dice, everything that providers and tools do."""

import asyncio
import random
from collections.abc import Mapping
from typing import Any

from app.agent.provider import (
    ChatRequest,
    Emit,
    ReasoningChunk,
    Reply,
    RequestBegun,
    RequestDelivered,
    RetryAnnounced,
    TextChunk,
    ToolCallChunk,
    ToolSpec,
    Usage,
)
from app.agent.tools.tool import Output, ToolFailed
from app.core.errors import Problem, ProblemError, ProblemKind
from app.core.ids import CallId
from app.core.messages import ToolCallPart
from app.core.tokens import CancelToken
from tests.unit.agent.virtual import weighted

FAULT = Problem(kind=ProblemKind.SERVER_FAULT)
MOODS = weighted(
    {"plain": 8, "tools": 5, "failing": 2, "broken off": 2, "empty": 1, "stubborn": 2, "deaf": 1}
)


class MoodyProvider:
    """Answers each request in a mood; remembers what it was asked."""

    model = "moody"

    def __init__(self, dice: random.Random) -> None:
        self._dice = dice
        self.requests: list[ChatRequest] = []
        self._calls = 0

    async def stream(self, request: ChatRequest, token: CancelToken, emit: Emit) -> Reply:
        self.requests.append(request)
        mood = self._dice.choice(MOODS)
        emit(RequestBegun(model=self.model))
        await self._pause(token, mood)
        if self._dice.random() < 0.2:
            token.check()
            emit(RetryAnnounced(problem=FAULT, attempt=2, attempts=4, wait_s=0.1))
            await token.sleep(0.1)
            emit(RequestBegun(model=self.model))
        emit(RequestDelivered(model=self.model))
        await self._pause(token, mood)
        if mood == "failing":
            raise ProblemError(FAULT)
        text = "" if mood == "empty" else await self._talk(token, emit, mood)
        if mood == "broken off":
            raise ProblemError(Problem(kind=ProblemKind.BROKEN_OFF))
        calls = self._wanted(emit) if mood == "tools" else ()
        return Reply(model=self.model, text=text, tool_calls=calls)

    async def _talk(self, token: CancelToken, emit: Emit, mood: str) -> str:
        said: list[str] = []
        if self._dice.random() < 0.3:
            emit(ReasoningChunk(text="hm "))
        for _ in range(self._dice.randint(1, 4)):
            said.append(f"w{self._dice.randint(0, 99)} ")
            emit(TextChunk(text=said[-1]))
            await self._pause(token, mood)
        emit(Usage(prompt_tokens=1, completion_tokens=len(said)))
        return "".join(said)

    def _wanted(self, emit: Emit) -> tuple[ToolCallPart, ...]:
        emit(ToolCallChunk())
        calls = []
        for _ in range(self._dice.randint(1, 2)):
            self._calls += 1
            name = self._dice.choice(["moody", "moody", "unknown"])
            arguments = self._dice.choice(["{}", "{", ""])
            call_id = CallId(str(self._calls))
            calls.append(ToolCallPart(call_id=call_id, name=name, arguments=arguments))
        return tuple(calls)

    async def _pause(self, token: CancelToken, mood: str) -> None:
        """Let time pass, or none; some swallow a cancel, some never look at the token."""
        if self._dice.random() < 0.3:
            return
        try:
            await asyncio.sleep(self._dice.choice([0, 0, 0, 0.001, 0.05]))
        except asyncio.CancelledError:
            if mood != "stubborn":
                raise
        if mood != "deaf":
            token.check()

    async def aclose(self) -> None:
        """Nothing is open."""


class MoodyTool:
    """Works for a while, and sometimes fails."""

    def __init__(self, dice: random.Random) -> None:
        self._dice = dice
        self.running_tokens: list[CancelToken] = []

    @property
    def spec(self) -> ToolSpec:
        return ToolSpec(name="moody", description="By the dice.", parameters={"type": "object"})

    async def run(self, arguments: Mapping[str, Any], token: CancelToken, output: Output) -> str:
        assert not token.is_cancelled, "a tool started after Stop"
        output("working")
        await asyncio.sleep(self._dice.choice([0, 0.001, 0.05]))
        if self._dice.random() < 0.2:
            raise ToolFailed("No.")
        return "done"
