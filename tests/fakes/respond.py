"""Carries out an `Answer` on a connection, as a stream or as one JSON body."""

import asyncio
import json
from collections import defaultdict
from typing import Any

from tests.fakes import script
from tests.fakes.connection import Connection
from tests.fakes.log import Log
from tests.fakes.script import Answer, Step


class HungUp(Exception):  # noqa: N818 - an order carried out, not an error
    """The script closed the connection: nothing follows."""


class Gates:
    """Named places where answers wait until a test lets one of them through."""

    def __init__(self, log: Log) -> None:
        self._log = log
        self._passes: dict[str, asyncio.Semaphore] = defaultdict(lambda: asyncio.Semaphore(0))

    async def pass_through(self, name: str) -> None:
        """Wait here for a release."""
        self._log.reached(name)
        await self._passes[name].acquire()

    def release(self, name: str, times: int) -> None:
        """Let answers through; they may still be on their way."""
        for _ in range(times):
            self._passes[name].release()


class Responder:
    """Answers one chat request."""

    def __init__(self, connection: Connection, gates: Gates, model: str) -> None:
        self._connection = connection
        self._gates = gates
        self._model = model
        self._pause_s = 0.0

    async def answer(self, answer: Answer, *, streaming: bool) -> None:
        """Do what the answer says, until its end or the connection's."""
        self._pause_s = 1 / answer.rate if answer.rate else 0.0
        try:
            for step in answer.before:
                if isinstance(step, script.Raw):
                    self._connection.send_raw(step.data.encode("latin-1"))
                await self._wait_or_break(step)
            if answer.body is not None:
                self._send_whole(answer, answer.body.encode("latin-1", "replace"))
            elif streaming:
                await self._stream(answer)
            else:
                await self._send_completion(answer)
        except HungUp:
            return

    def _send_whole(self, answer: Answer, body: bytes) -> None:
        kind = {"Content-Type": answer.content_type or "application/json"}
        self._connection.begin(answer.status, {**kind, **answer.headers}, len(body))
        self._connection.send(body)

    async def _stream(self, answer: Answer) -> None:
        kind = {"Content-Type": answer.content_type or "text/event-stream"}
        self._connection.begin(answer.status, {**kind, **answer.headers})
        for step in answer.steps:
            for data in self._events(step):
                self._connection.send(data)
                if self._pause_s:
                    await asyncio.sleep(self._pause_s)
            await self._wait_or_break(step)
        self._connection.end()

    async def _send_completion(self, answer: Answer) -> None:
        for step in answer.steps:
            await self._wait_or_break(step)
        self._send_whole(answer, json.dumps(completion(answer, self._model)).encode())

    async def _wait_or_break(self, step: Step) -> None:
        match step:
            case script.Gate(name):
                await self._gates.pass_through(name)
            case script.Pause(seconds):
                await asyncio.sleep(seconds)
            case script.Stall():
                await asyncio.get_running_loop().create_future()
            case script.Reset(mid_chunk):
                self._connection.reset(mid_chunk=mid_chunk)
                raise HungUp
            case script.Fin(mid_chunk):
                self._connection.hang_up(mid_chunk=mid_chunk)
                raise HungUp
            case _:
                return

    def _events(self, step: Step) -> list[bytes]:
        match step:
            case script.Raw(data):
                return [data.encode("latin-1")]
            case script.Done():
                return [b"data: [DONE]\n\n"]
            case script.Chunk(data):
                return [_event(data)]
            case script.Usage(prompt, completion_tokens):
                return [_event({**self._chunk([]), "usage": _usage(prompt, completion_tokens)})]
            case script.Finish(reason):
                choice = {"index": 0, "delta": {}, "finish_reason": reason}
                return [_event(self._chunk([choice]))]
            case _:
                return [_event(self._chunk([_choice(delta)])) for delta in deltas(step)]

    def _chunk(self, choices: list[Any]) -> dict[str, Any]:
        kind = "chat.completion.chunk"
        return {"id": "chat-1", "object": kind, "model": self._model, "choices": choices}


def deltas(step: Step) -> list[dict[str, Any]]:
    """Cut a step into the deltas that a server would send."""
    match step:
        case script.Text(text):
            return [{"content": word} for word in words(text)]
        case script.Reasoning(text, name):
            return [{name: word} for word in words(text)]
        case script.Delta(data):
            return [data]
        case script.ToolCall():
            return [{"tool_calls": [piece]} for piece in _pieces(step)]
        case _:
            return []


def _pieces(call: script.ToolCall) -> list[dict[str, Any]]:
    size = max(1, -(-len(call.arguments) // call.pieces))
    cut = [call.arguments[at : at + size] for at in range(0, len(call.arguments), size)] or [""]
    first, *rest = ({"index": call.index, "function": {"arguments": piece}} for piece in cut)
    opening = {"name": call.name, "arguments": cut[0]}
    return [{**first, "id": call.id, "type": "function", "function": opening}, *rest]


def words(text: str) -> list[str]:
    """Cut text into words that keep the space before them, as tokens do."""
    cut = text.split(" ")
    return [cut[0], *(f" {word}" for word in cut[1:])] if text else []


def completion(answer: Answer, model: str) -> dict[str, Any]:
    """Write an answer as one JSON body."""
    message: dict[str, Any] = {"role": "assistant", "content": None}
    body: dict[str, Any] = {"id": "chat-1", "object": "chat.completion", "model": model}
    finish: str | None = None
    for step in answer.steps:
        match step:
            case script.Text(text):
                message["content"] = (message["content"] or "") + text
            case script.Reasoning(text, name):
                message[name] = message.get(name, "") + text
            case script.ToolCall(name, arguments, id_):
                function = {"name": name, "arguments": arguments}
                call = {"id": id_, "type": "function", "function": function}
                message.setdefault("tool_calls", []).append(call)
            case script.Finish(reason):
                finish = reason
            case script.Usage(prompt, completion_tokens):
                body["usage"] = _usage(prompt, completion_tokens)
            case _:
                continue
    choice = {"index": 0, "message": message, "finish_reason": finish}
    return {**body, "choices": [choice]}


def _event(data: Any) -> bytes:
    return f"data: {json.dumps(data)}\n\n".encode()


def _choice(delta: dict[str, Any]) -> dict[str, Any]:
    return {"index": 0, "delta": delta, "finish_reason": None}


def _usage(prompt: int, completion_tokens: int) -> dict[str, int]:
    total = prompt + completion_tokens
    return {
        "prompt_tokens": prompt,
        "completion_tokens": completion_tokens,
        "total_tokens": total,
    }
