"""Messages as rows and back.

Parts are JSON, so that the tables need not change when a new kind of part comes. Whatever a
server or a clipboard puts into a text, a NUL or half a character, comes back; two halves come
back as the character they mean.
"""

import json
from collections.abc import Iterable, Sequence
from typing import Any, assert_never

from app.core.events import Completed, Failed, Outcome, Stopped
from app.core.ids import CallId
from app.core.messages import (
    ImagePart,
    Part,
    ReasoningPart,
    TextPart,
    ToolCallPart,
    ToolResultPart,
)

Delta = tuple[int, bytes]  # reasoning or not, and the text


def storable(text: str) -> str:
    """Replace what UTF-8 cannot hold."""
    return _with_whole_characters(text, errors="replace")


def encode_parts(parts: Iterable[Part]) -> str:
    """Write parts as JSON."""
    plain = [_plain(part) for part in parts]
    encoded = json.dumps(plain, ensure_ascii=False, separators=(",", ":"))
    try:
        encoded.encode()
    except UnicodeEncodeError:  # a lone surrogate: escaped it survives
        return json.dumps(plain, separators=(",", ":"))
    return encoded


def decode_parts(encoded: str) -> tuple[Part, ...]:
    """Read parts from JSON; a kind from a newer Belay is left out."""
    return parts_of(json.loads(encoded))


def parts_of(plain: Sequence[dict[str, Any]]) -> tuple[Part, ...]:
    """Make parts of what the JSON held."""
    return tuple(part for item in plain if (part := _part(item)) is not None)


def encode_delta(text: str) -> bytes:
    """Write a piece of text so that half a surrogate pair survives too."""
    return text.encode("utf-8", "surrogatepass")


def fold(parts: Sequence[Part], deltas: Iterable[Delta]) -> tuple[Part, ...]:
    """Append journalled text to the parts an answer had, joining neighbours of one kind."""
    runs: list[tuple[bool, list[bytes]]] = []
    for reasoning, text in deltas:
        if not runs or runs[-1][0] != bool(reasoning):
            runs.append((bool(reasoning), []))
        runs[-1][1].append(text)
    folded = list(parts)
    for is_reasoning, texts in runs:
        joined = b"".join(texts).decode("utf-8", "surrogatepass")
        _append(folded, _with_whole_characters(joined), reasoning=is_reasoning)
    return tuple(folded)


def encode_outcome(outcome: Outcome) -> str:
    """Write how a turn ended."""
    match outcome:
        case Completed():
            plain: dict[str, Any] = {"kind": "completed"}
        case Stopped(reason=reason):
            plain = {"kind": "stopped", "reason": reason.value}
        case Failed(problem=problem):
            plain = {
                "kind": "failed",
                "problem": problem.kind.value,
                "params": dict(problem.params),
                "detail": problem.detail,
            }
        case _:
            assert_never(outcome)
    return json.dumps(plain, separators=(",", ":"))


def _with_whole_characters(text: str, *, errors: str = "surrogatepass") -> str:
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", errors)
    return text


def _append(parts: list[Part], text: str, *, reasoning: bool) -> None:
    kind = ReasoningPart if reasoning else TextPart
    last = parts[-1] if parts else None
    if isinstance(last, kind):
        parts[-1] = kind(text=last.text + text)
    else:
        parts.append(kind(text=text))


def _plain(part: Part) -> dict[str, Any]:
    match part:
        case TextPart(text=text):
            return {"kind": "text", "text": text}
        case ReasoningPart(text=text):
            return {"kind": "reasoning", "text": text}
        case ToolCallPart(call_id=call_id, name=name, arguments=arguments):
            return {"kind": "tool_call", "call": call_id, "name": name, "arguments": arguments}
        case ToolResultPart(call_id=call_id, name=name, content=content, is_error=is_error):
            plain = {"kind": "tool_result", "call": call_id, "name": name, "content": content}
            return {**plain, "error": is_error}
        case ImagePart(path=path, media_type=media_type):
            return {"kind": "image", "path": path, "media_type": media_type}
        case _:
            assert_never(part)


def _part(plain: dict[str, Any]) -> Part | None:
    kind = plain["kind"]
    if kind == "text":
        return TextPart(text=plain["text"])
    if kind == "reasoning":
        return ReasoningPart(text=plain["text"])
    call_id = CallId(plain.get("call", ""))
    if kind == "tool_call":
        return ToolCallPart(call_id=call_id, name=plain["name"], arguments=plain["arguments"])
    if kind == "tool_result":
        return ToolResultPart(
            call_id=call_id, name=plain["name"], content=plain["content"], is_error=plain["error"]
        )
    if kind == "image":
        return ImagePart(path=plain["path"], media_type=plain["media_type"])
    return None
