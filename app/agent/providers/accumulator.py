"""A reply put together from what a server sends, with a strict idea of when it is whole.

An answer is whole when the server said so: by a `finish_reason` or by `[DONE]`, about at least
one choice. Everything else is an answer that was cut off.
"""

import json
from typing import Any

from app.agent.provider import (
    Emit,
    ReasoningChunk,
    Reply,
    TextChunk,
    ToolCallChunk,
    Usage,
)
from app.agent.providers.plaintext import TextPieces
from app.agent.providers.sse import BadReplyError
from app.agent.providers.toolcalls import ToolCallPieces

DONE = "[DONE]"


class ServerSaidError(Exception):
    """An error that came inside an answer that had begun well."""

    def __init__(self, body: Any) -> None:
        super().__init__("the server reported an error inside its answer")
        self.body = body


class Accumulator:
    """Takes events or one whole completion, tells what is new, and gives the reply."""

    def __init__(self, emit: Emit) -> None:
        self._emit = emit
        self._text = TextPieces()
        self._reasoning = TextPieces()
        self._calls = ToolCallPieces()
        self._usage: Usage | None = None
        self._finish_reason = ""
        self._has_choice = False
        self._is_done = False

    @property
    def is_whole(self) -> bool:
        """Say whether the server ended the answer itself."""
        return self._has_choice and (self._is_done or bool(self._finish_reason))

    @property
    def is_done(self) -> bool:
        """Say whether nothing more will come."""
        return self._is_done

    def take_event(self, data: str) -> None:
        """Take the data of one event; what follows the end is ignored."""
        if self._is_done:
            return
        if data.strip() == DONE:
            self._is_done = True
        elif data.strip():
            self._take_body(parsed(data), "delta")

    def take_completion(self, body: Any) -> None:
        """Take a whole answer that came in one piece."""
        self._take_body(body, "message")
        if not self._has_choice:
            raise BadReplyError("no choice in the answer")
        self._is_done = True

    def reply(self, model: str) -> Reply:
        """Give the whole reply, telling what was still held back and its usage."""
        calls = self._calls.calls()
        self._show(reasoning=self._reasoning.end(), text=self._text.end())
        if self._usage is not None:
            self._emit(self._usage)
        return Reply(
            model=model,
            text=str(self._text),
            reasoning=str(self._reasoning),
            tool_calls=calls,
            usage=self._usage,
            finish_reason=self._finish_reason or ("tool_calls" if calls else "stop"),
        )

    def _take_body(self, body: Any, member: str) -> None:
        if not isinstance(body, dict):
            raise BadReplyError("an event is not an object")
        _raise_error_in(body)
        self._usage = _usage(body.get("usage")) or self._usage
        choices = body.get("choices")
        if isinstance(choices, list) and choices:
            self._take_choice(choices[0], member)

    def _take_choice(self, choice: Any, member: str) -> None:
        if not isinstance(choice, dict):
            raise BadReplyError("a choice is not an object")
        _raise_error_in(choice)
        self._has_choice = True
        said = choice.get(member)
        if isinstance(said, dict):
            self._take_delta(said)
        reason = choice.get("finish_reason")
        if isinstance(reason, str) and reason:
            self._finish_reason = reason
        if reason == "error":
            raise ServerSaidError({"message": "the answer ended in an error"})

    def _take_delta(self, delta: dict[str, Any]) -> None:
        thought = delta.get("reasoning_content") or delta.get("reasoning")
        said = _words(delta.get("content"))
        self._show(reasoning=self._reasoning.add(_words(thought)), text=self._text.add(said))
        calls = delta.get("tool_calls")
        if isinstance(calls, list) and calls:
            for piece in calls:
                self._calls.add(piece)
            self._emit(ToolCallChunk())

    def _show(self, *, reasoning: str, text: str) -> None:
        if reasoning:
            self._emit(ReasoningChunk(text=reasoning))
        if text:
            self._emit(TextChunk(text=text))


def parsed(data: str | bytes) -> Any:
    """Read JSON; raises BadReplyError for anything else."""
    try:
        return json.loads(data)
    except (ValueError, RecursionError) as exc:
        raise BadReplyError("the answer is not JSON") from exc


def _raise_error_in(body: dict[str, Any]) -> None:
    if body.get("error"):
        raise ServerSaidError(body["error"])
    if body.get("object") == "error":
        raise ServerSaidError(body)


def _words(content: Any) -> str:
    if isinstance(content, str):
        return content
    if isinstance(content, list):  # parts, as in a request
        return "".join(_words(part.get("text")) for part in content if isinstance(part, dict))
    return ""


def _usage(usage: Any) -> Usage | None:
    if not isinstance(usage, dict):
        return None
    prompt, completion = usage.get("prompt_tokens"), usage.get("completion_tokens")
    if not isinstance(prompt, int) or not isinstance(completion, int):
        return None
    return Usage(prompt_tokens=prompt, completion_tokens=completion)
