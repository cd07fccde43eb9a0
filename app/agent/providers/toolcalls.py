"""Tool calls put together from pieces, whatever a server leaves out or repeats."""

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any
from uuid import uuid4

from app.agent.providers.plaintext import whole
from app.agent.providers.sse import BadReplyError
from app.core.ids import CallId
from app.core.messages import ToolCallPart


@dataclass(slots=True)
class _Call:
    id: str = ""
    name: str = ""
    arguments: list[str] = field(default_factory=list)


class ToolCallPieces:
    """Collects the pieces of any number of calls.

    A piece belongs to the call of its index; without one to the call of its id; without either to
    the last call, unless it brings a name of its own. An index that comes back under another id
    is a new call: some servers number all their calls 0.
    """

    def __init__(self, new_id: Callable[[], str] = lambda: f"call_{uuid4().hex}") -> None:
        self._new_id = new_id
        self._calls: list[_Call] = []
        self._by_index: dict[int, _Call] = {}

    def add(self, piece: Any) -> None:
        """Take one element of `tool_calls`."""
        if not isinstance(piece, dict):
            raise BadReplyError("a tool call is not an object")
        function = piece.get("function")
        function = function if isinstance(function, dict) else {}
        name, id_ = _text(function.get("name")), _text(piece.get("id"))
        call = self._find(piece.get("index"), id_, name)
        call.id = call.id or id_
        if name != call.name:
            call.name += name
        call.arguments.append(_arguments(function.get("arguments")))

    def calls(self) -> tuple[ToolCallPart, ...]:
        """List the calls, each with a name, an id of its own and its arguments."""
        taken: set[str] = set()
        return tuple(self._finished(call, taken) for call in self._calls)

    def _find(self, index: Any, id_: str, name: str) -> _Call:
        if isinstance(index, int):
            found = self._by_index.get(index)
            if found is None or (id_ and found.id and found.id != id_):
                found = self._by_index[index] = self._open()
            return found
        for call in self._calls:
            if id_ and call.id == id_:
                return call
        if id_ or not self._calls or (name and self._calls[-1].name):
            return self._open()
        return self._calls[-1]

    def _open(self) -> _Call:
        self._calls.append(_Call())
        return self._calls[-1]

    def _finished(self, call: _Call, taken: set[str]) -> ToolCallPart:
        if not call.name:
            raise BadReplyError("a tool call has no name")
        id_ = call.id if call.id and call.id not in taken else self._new_id()
        taken.add(id_)
        arguments = whole("".join(call.arguments)).strip() or "{}"
        return ToolCallPart(call_id=CallId(id_), name=call.name, arguments=arguments)


def _text(value: Any) -> str:
    return whole(value) if isinstance(value, str) else ""


def _arguments(value: Any) -> str:
    if isinstance(value, dict):
        return json.dumps(value)  # some servers send them parsed
    return value if isinstance(value, str) else ""
