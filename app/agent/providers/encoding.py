"""Requests as the JSON that OpenAI-compatible servers take.

The bytes of a history are a prefix of the bytes of the history that follows it, so that servers
can reuse what they have read. Pure but for reading attached pictures; any thread.
"""

import base64
import json
from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from app.agent.provider import ChatRequest, ToolSpec
from app.agent.providers.plaintext import whole
from app.agent.repair import repair
from app.core.messages import ImagePart, Message, Role, TextPart, ToolCallPart, ToolResultPart
from app.core.settings import Endpoint

# What a server may refuse without harm to the answer.
OPTIONAL = (
    "stream_options",
    "temperature",
    "max_tokens",
    "max_completion_tokens",
    "reasoning_effort",
)
# Who instructs the model: the next name where a server refuses one; after the last, the person.
ROLES = ("role system", "role developer")
HEAVY_CHARS = 500_000  # of text: from here on encoding belongs on a thread
_LOST_PICTURE = "[A picture was attached here; its file is gone.]"


def is_heavy(request: ChatRequest) -> bool:
    """Say whether encoding would hold up a loop."""
    size = 0
    for message in request.messages:
        for part in message.parts:
            match part:
                case ImagePart():
                    return True
                case TextPart(text=text) | ToolResultPart(content=text):
                    size += len(text)
                case _:
                    continue
    return size > HEAVY_CHARS


def encode(
    request: ChatRequest,
    *,
    model: str,
    user_after_tool: bool = True,
    without: Collection[str] = (),
    options: Mapping[str, Any] | None = None,
    instructions: str = "",
    attachments: Path | None = None,
) -> bytes:
    """Write the body of a chat request, leaving out the optional parameters in `without`.

    `instructions` stand in for the system message of the request.
    """
    messages = _instructed(request.messages, instructions)
    repaired = repair(messages, user_after_tool=user_after_tool)
    body: dict[str, Any] = {"model": model}
    plain = [each for message in repaired for each in _plain(message, attachments)]
    body["messages"] = _instructed_by(plain, without)
    if request.tools:
        body["tools"] = [_tool(tool) for tool in request.tools]
    body["stream"] = request.streaming
    if request.streaming:
        body["stream_options"] = {"include_usage": True}
    body.update(options or {})
    if "max_tokens" in without and "max_tokens" in body:
        body["max_completion_tokens"] = body["max_tokens"]  # the same, by its newer name
    for name in without:
        body.pop(name, None)
    return json.dumps(body, ensure_ascii=False, separators=(",", ":")).encode()


def _instructed_by(
    messages: list[dict[str, Any]], without: Collection[str]
) -> list[dict[str, Any]]:
    """Give the instructions in a role that the server takes, else with the first question."""
    if ROLES[0] not in without or not messages or messages[0]["role"] != "system":
        return messages
    instructions, *rest = messages
    if ROLES[1] not in without:
        return [{**instructions, "role": "developer"}, *rest]
    if not rest or rest[0]["role"] != "user":
        return [{**instructions, "role": "user"}, *rest]
    return [_prefixed(rest[0], instructions["content"]), *rest[1:]]


def _prefixed(question: dict[str, Any], words: str) -> dict[str, Any]:
    content = question["content"]
    if isinstance(content, str):
        return {**question, "content": f"{words}\n\n{content}"}
    return {**question, "content": [{"type": "text", "text": words}, *content]}


def options_of(endpoint: Endpoint) -> dict[str, Any]:
    """List the parameters that the person set for a model."""
    chosen = {
        "temperature": endpoint.temperature,
        "max_tokens": endpoint.max_tokens,
        "reasoning_effort": endpoint.reasoning_effort or None,
    }
    return {name: value for name, value in chosen.items() if value is not None}


def _instructed(messages: tuple[Message, ...], instructions: str) -> tuple[Message, ...]:
    if not instructions or not messages:
        return messages
    rest = tuple(message for message in messages if message.role is not Role.SYSTEM)
    system = replace(messages[0], role=Role.SYSTEM, parts=(TextPart(text=instructions),))
    return (system, *rest)


def _plain(message: Message, attachments: Path | None) -> Iterator[dict[str, Any]]:
    match message.role:
        case Role.SYSTEM:
            yield {"role": "system", "content": whole(message.text)}
        case Role.USER:
            yield {"role": "user", "content": _user_content(message, attachments)}
        case Role.ASSISTANT:
            yield _assistant(message)
        case Role.TOOL:
            for part in message.parts:
                if isinstance(part, ToolResultPart):
                    yield {
                        "role": "tool",
                        "tool_call_id": part.call_id,
                        "content": whole(part.content),
                    }


def _user_content(message: Message, attachments: Path | None) -> str | list[dict[str, Any]]:
    if not any(isinstance(part, ImagePart) for part in message.parts):
        return whole(message.text)
    content: list[dict[str, Any]] = []
    for part in message.parts:
        if isinstance(part, TextPart) and part.text.strip():
            content.append({"type": "text", "text": whole(part.text)})
        elif isinstance(part, ImagePart):
            content.append(_picture(part, attachments))
    return content


def _picture(part: ImagePart, attachments: Path | None) -> dict[str, Any]:
    path = Path(part.path) if attachments is None else attachments / part.path
    try:
        data = base64.b64encode(path.read_bytes()).decode()
    except OSError:
        return {"type": "text", "text": _LOST_PICTURE}
    return {"type": "image_url", "image_url": {"url": f"data:{part.media_type};base64,{data}"}}


def _assistant(message: Message) -> dict[str, Any]:
    text = whole(message.text)
    plain: dict[str, Any] = {"role": "assistant", "content": text if text.strip() else None}
    if message.tool_calls:
        plain["tool_calls"] = [_call(call) for call in message.tool_calls]
    return plain


def _call(call: ToolCallPart) -> dict[str, Any]:
    function = {"name": call.name, "arguments": whole(call.arguments)}
    return {"id": call.call_id, "type": "function", "function": function}


def _tool(tool: ToolSpec) -> dict[str, Any]:
    function = {
        "name": tool.name,
        "description": tool.description,
        "parameters": tool.parameters,
    }
    return {"type": "function", "function": function}
