"""What a tool is, and the box that runs what the model asks for.

A tool gets its arguments as parsed JSON, a token of its own and a way to say what it is doing. It
returns what the model shall read, or raises `ToolFailed` with it; it never decides about the turn.
"""

import json
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Protocol

from app.agent.provider import ToolSpec
from app.core.messages import ToolCallPart, ToolResultPart
from app.core.tokens import Cancelled, CancelToken

Output = Callable[[str], None]


class ToolFailed(Exception):  # noqa: N818 - the model reads it and goes on
    """The tool could not do it; the message says why, to the model."""


class Tool(Protocol):
    """Something the model may ask for."""

    @property
    def spec(self) -> ToolSpec:
        """Describe it to the model."""
        ...

    async def run(self, arguments: Mapping[str, Any], token: CancelToken, output: Output) -> str:
        """Do it, and return what the model shall read."""
        ...


class Toolbox:
    """The tools of one agent, by name."""

    def __init__(self, tools: Iterable[Tool] = ()) -> None:
        self._tools = {tool.spec.name: tool for tool in tools}

    @property
    def specs(self) -> tuple[ToolSpec, ...]:
        """Describe all tools, in a stable order."""
        return tuple(tool.spec for tool in self._tools.values())

    async def run(self, call: ToolCallPart, token: CancelToken, output: Output) -> ToolResultPart:
        """Run one call; whatever the tool does wrong becomes a result that the model reads."""
        try:
            content = await self._run(call, token, output)
        except ToolFailed as failure:
            return _result(call, str(failure), is_error=True)
        return _result(call, content)

    async def _run(self, call: ToolCallPart, token: CancelToken, output: Output) -> str:
        tool = self._tools.get(call.name)
        if tool is None:
            raise ToolFailed(f"There is no tool named {call.name}.")
        arguments = _parsed(call.arguments)
        try:
            return await token.run(tool.run(arguments, token, output))
        except (ToolFailed, Cancelled):
            raise
        except Exception as error:
            raise ToolFailed(f"{call.name} failed: {type(error).__name__}: {error}") from error


def _parsed(arguments: str) -> Mapping[str, Any]:
    try:
        parsed = json.loads(arguments or "{}")
    except (ValueError, RecursionError) as error:
        raise ToolFailed(f"The arguments are not valid JSON: {error}") from error
    if not isinstance(parsed, dict):
        raise ToolFailed("The arguments must be a JSON object.")
    return parsed


def _result(call: ToolCallPart, content: str, *, is_error: bool = False) -> ToolResultPart:
    return ToolResultPart(call_id=call.call_id, name=call.name, content=content, is_error=is_error)
