"""The checks that strict servers make on the history they are sent."""

import json
from collections.abc import Iterator
from typing import Any

_ALLOWED = {
    "system": {"role", "content", "name"},
    "developer": {"role", "content", "name"},
    "user": {"role", "content", "name"},
    "assistant": {"role", "content", "name", "tool_calls"},
    "tool": {"role", "content", "tool_call_id"},
}
_MAY_FOLLOW = {
    "start": {"system", "developer", "user"},
    "system": {"user"},
    "developer": {"user"},
    "user": {"assistant"},
    "assistant": {"user"},
    "tool": {"tool", "assistant", "user"},
}


def violations(messages: Any, *, user_after_tool: bool, prefill: bool) -> list[str]:
    """List what a strict server would refuse in this history."""
    if not isinstance(messages, list) or not messages:
        return ["messages is not a list with something in it"]
    if not all(isinstance(m, dict) and m.get("role") in _ALLOWED for m in messages):
        return ["a message is not an object with a known role"]
    found = [f"message {i}: {what}" for i, m in enumerate(messages) for what in _in_message(m)]
    found += [f"message {i}: {what}" for i, what in _in_order(messages, user_after_tool)]
    if messages[-1]["role"] not in ("user", "tool", *(("assistant",) if prefill else ())):
        found.append(f"the last message is from {messages[-1]['role']}")
    return found


def _in_message(message: dict[str, Any]) -> Iterator[str]:
    role, content = message["role"], message.get("content")
    if unknown := set(message) - _ALLOWED[role]:
        yield f"unknown members {sorted(unknown)}"
    if content is None and not (role == "assistant" and message.get("tool_calls")):
        yield f"{role} content is null"
    elif content is not None and not (role == "tool" or _says_something(content)):
        yield f"{role} content is empty"
    if role == "tool" and not isinstance(content, str):
        yield "a tool result is not a string"
    if "tool_calls" in message:
        yield from _in_calls(message["tool_calls"])


def _says_something(content: Any) -> bool:
    if isinstance(content, str):
        return bool(content.strip())
    return isinstance(content, list) and bool(content) and all(_is_part(p) for p in content)


def _is_part(part: Any) -> bool:
    if not isinstance(part, dict):
        return False
    if part.get("type") == "text":
        return isinstance(part.get("text"), str)
    if part.get("type") != "image_url" or not isinstance(part.get("image_url"), dict):
        return False
    return str(part["image_url"].get("url")).startswith(("data:image/", "http"))


def _in_calls(calls: Any) -> Iterator[str]:
    if not isinstance(calls, list) or not calls:
        yield "tool_calls is not a list with something in it"
        return
    ids = [call.get("id") for call in calls]
    if not all(isinstance(i, str) and i for i in ids) or len(set(ids)) != len(ids):
        yield f"tool call ids are missing or repeated: {ids}"
    for call in calls:
        function = call.get("function")
        if call.get("type") != "function" or not isinstance(function, dict):
            yield "a tool call is not a function"
        elif not function.get("name") or not _is_object(function.get("arguments")):
            yield f"a tool call has no name, or arguments that are no object: {function}"


def _is_object(arguments: Any) -> bool:
    try:
        return isinstance(json.loads(arguments), dict)
    except (TypeError, ValueError):
        return False


def _in_order(messages: list[dict[str, Any]], user_after_tool: bool) -> Iterator[tuple[int, str]]:
    before = "start"
    open_calls: list[str] = []
    for index, message in enumerate(messages):
        role = message["role"]
        if role == "tool":
            if message.get("tool_call_id") not in open_calls:
                yield index, "a tool result that nothing asked for"
            else:
                open_calls.remove(message["tool_call_id"])
        elif open_calls:
            yield index, f"tool calls {open_calls} are not answered right after"
            open_calls = []
        elif role not in _MAY_FOLLOW[before]:
            yield index, f"{role} after {before}"
        elif role == "user" and before == "tool" and not user_after_tool:
            yield index, "user after tool"
        open_calls += [call.get("id") for call in message.get("tool_calls") or []]
        before = role
    if open_calls:
        yield len(messages) - 1, f"tool calls {open_calls} are not answered"
