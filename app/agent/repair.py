"""Make any history valid for a strict server, losing nothing the person wrote.

Pure and idempotent. What leaves here alternates: every tool call is answered right behind it, no
assistant message is empty, no two user or assistant messages stand in a row, and an answer that
was cut off says so. Whatever point a Stop hit, the next request is one a server accepts.
"""

import json
from collections.abc import Iterable
from dataclasses import replace

from app.core.messages import (
    Ending,
    Message,
    Part,
    Role,
    TextPart,
    ToolCallPart,
    ToolResultPart,
    text_parts,
)

INTERRUPTED = "[This answer was interrupted.]"
NOT_RUN = "Not run: the person stopped it."
PASSED_ON = "[The person says meanwhile:]"


def repair(messages: Iterable[Message], *, user_after_tool: bool = True) -> tuple[Message, ...]:
    """Return the nearest history that a strict server accepts."""
    answered = _answer_calls(_without_empty(messages))
    if not user_after_tool:
        answered = _ride_in_results(answered)
    return tuple(_mark_interrupted(_merge(answered)))


def _without_empty(messages: Iterable[Message]) -> list[Message]:
    return [message for message in messages if _says_something(message)]


def _says_something(message: Message) -> bool:
    match message.role:
        case Role.ASSISTANT:
            return bool(message.text.strip() or message.tool_calls)
        case Role.TOOL:
            return bool(message.parts)
        case Role.USER | Role.SYSTEM:
            return any(not isinstance(p, TextPart) or p.text.strip() for p in message.parts)


def _answer_calls(messages: list[Message]) -> list[Message]:
    """Put behind each message with calls one result per call; drop results nobody asked for."""
    repaired: list[Message] = []
    for index, message in enumerate(messages):
        if message.role is Role.TOOL:
            continue  # taken along by the message that asked
        repaired.append(_with_valid_arguments(message))
        if message.tool_calls:
            repaired.append(_results_for(message, messages[index + 1 :]))
    return repaired


def _with_valid_arguments(message: Message) -> Message:
    if all(_is_object(call.arguments) for call in message.tool_calls):
        return message
    parts = (
        replace(part, arguments="{}")
        if isinstance(part, ToolCallPart) and not _is_object(part.arguments)
        else part
        for part in message.parts
    )
    return replace(message, parts=tuple(parts))


def _is_object(arguments: str) -> bool:
    try:
        return isinstance(json.loads(arguments), dict)
    except (ValueError, RecursionError):
        return False


def _results_for(asking: Message, following: list[Message]) -> Message:
    given: dict[str, ToolResultPart] = {}
    behind: Message | None = None
    for message in following:
        if message.role is not Role.TOOL:
            break
        behind = behind or message
        given |= {p.call_id: p for p in message.parts if isinstance(p, ToolResultPart)}
    results: tuple[Part, ...] = tuple(
        given.get(call.call_id)
        or ToolResultPart(call_id=call.call_id, name=call.name, content=NOT_RUN, is_error=True)
        for call in asking.tool_calls
    )
    if behind is not None:
        return replace(behind, parts=results)
    return replace(asking, role=Role.TOOL, parts=results, parent_id=asking.id)


def _ride_in_results(messages: list[Message]) -> list[Message]:
    """Where a user message may not follow a tool result, let it ride inside the last one."""
    repaired: list[Message] = []
    for message in messages:
        if not (message.role is Role.USER and repaired and repaired[-1].role is Role.TOOL):
            repaired.append(message)
        elif all(isinstance(part, TextPart) for part in message.parts):
            repaired[-1] = _carrying(repaired[-1], message)
        else:  # a picture cannot ride in a result
            note = text_parts(INTERRUPTED)
            repaired += [replace(repaired[-1], role=Role.ASSISTANT, parts=note), message]
    return repaired


def _carrying(results: Message, rider: Message) -> Message:
    *before, last = results.parts
    assert isinstance(last, ToolResultPart)
    content = f"{last.content}\n\n{PASSED_ON}\n{rider.text}"
    return replace(results, parts=(*before, replace(last, content=content)))


def _merge(messages: list[Message]) -> list[Message]:
    """Join what stands in a row under one role; an answer and its continuation are one answer."""
    merged: list[Message] = []
    for message in messages:
        if merged and _belong_together(merged[-1], message):
            merged[-1] = _joined(merged[-1], message)
        else:
            merged.append(message)
    return merged


def _belong_together(first: Message, second: Message) -> bool:
    if first.role is Role.ASSISTANT and first.tool_calls:
        return False
    return first.role is second.role and first.role in (Role.USER, Role.ASSISTANT)


def _joined(first: Message, second: Message) -> Message:
    if first.role is Role.USER:
        parts: tuple[Part, ...] = (*first.parts, TextPart(text="\n\n"), *second.parts)
    else:
        parts = first.parts + second.parts
    return replace(second, parts=_texts_joined(parts), parent_id=first.parent_id)


def _texts_joined(parts: tuple[Part, ...]) -> tuple[Part, ...]:
    joined: list[Part] = []
    for part in parts:
        if isinstance(part, TextPart) and joined and isinstance(joined[-1], TextPart):
            joined[-1] = TextPart(text=joined[-1].text + part.text)
        else:
            joined.append(part)
    return tuple(joined)


def _mark_interrupted(messages: list[Message]) -> list[Message]:
    """Say inside an answer that it was cut off; one that is to be continued stays as it is."""
    last = len(messages) - 1
    return [
        _marked(message) if _is_cut(message) and index != last else message
        for index, message in enumerate(messages)
    ]


def _is_cut(message: Message) -> bool:
    return message.role is Role.ASSISTANT and message.ending.is_interrupted


def _marked(message: Message) -> Message:
    note = TextPart(text=f"\n\n{INTERRUPTED}")
    before = tuple(part for part in message.parts if not isinstance(part, ToolCallPart))
    parts = _texts_joined((*before, note, *message.tool_calls))
    return replace(message, parts=parts, ending=Ending.COMPLETE)
