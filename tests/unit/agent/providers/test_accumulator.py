"""Replies put together from pieces of every shape that servers send."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.agent.provider import ProviderEvent, ReasoningChunk, Reply, TextChunk, ToolCallChunk, Usage
from app.agent.providers.accumulator import Accumulator, ServerSaidError
from app.agent.providers.plaintext import TextPieces, whole
from app.agent.providers.sse import BadReplyError


def chunk(delta: Any = None, *, finish: str | None = None, **more: Any) -> str:
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    return json.dumps({"choices": [choice], **more})


def accumulated(*events: str) -> tuple[Reply, list[ProviderEvent]]:
    told: list[ProviderEvent] = []
    accumulator = Accumulator(told.append)
    for event in events:
        accumulator.take_event(event)
    assert accumulator.is_whole
    return accumulator.reply("m"), told


def calls_of(*pieces: dict[str, Any]) -> list[tuple[str, str, str]]:
    events = [chunk({"tool_calls": [piece]}) for piece in pieces]
    reply, _ = accumulated(*events, chunk(finish="tool_calls"))
    return [(call.call_id, call.name, call.arguments) for call in reply.tool_calls]


def piece(
    arguments: str | None = None, *, name: str | None = None, **members: Any
) -> dict[str, Any]:
    function = {"name": name, "arguments": arguments}
    return {**members, "function": {k: v for k, v in function.items() if v is not None}}


@pytest.mark.parametrize("name", ["reasoning_content", "reasoning"])
def test_thoughts_come_under_either_name(name: str) -> None:
    events = [chunk({name: "Hm"}), chunk({name: "m"}), chunk({"content": "Yes"}, finish="stop")]
    reply, told = accumulated(*events)
    assert (reply.reasoning, reply.text) == ("Hmm", "Yes")
    assert told == [
        ReasoningChunk(text="Hm"),
        ReasoningChunk(text="m"),
        TextChunk(text="Yes"),
    ]


def test_a_thought_under_both_names_counts_once() -> None:
    both = {"reasoning_content": "Hm", "reasoning": "Hm"}
    assert accumulated(chunk(both, finish="stop"))[0].reasoning == "Hm"


def test_content_in_parts_is_joined() -> None:
    parts = [{"type": "text", "text": "One"}, {"type": "text", "text": " two"}]
    assert accumulated(chunk({"content": parts}, finish="stop"))[0].text == "One two"


def test_empty_deltas_tell_nothing() -> None:
    _, told = accumulated(
        chunk({"role": "assistant", "content": ""}), chunk({}), chunk(finish="stop")
    )
    assert told == []


def test_the_last_usage_is_told_once() -> None:
    first = chunk({"content": "a"}, usage={"prompt_tokens": 3, "completion_tokens": 1})
    last = json.dumps({"choices": [], "usage": {"prompt_tokens": 3, "completion_tokens": 2}})
    reply, told = accumulated(first, chunk(finish="stop"), last, "[DONE]")
    assert reply.usage == Usage(prompt_tokens=3, completion_tokens=2)
    assert told == [TextChunk(text="a"), reply.usage]


@pytest.mark.parametrize("usage", [None, 7, {}, {"prompt_tokens": "many"}, {"prompt_tokens": 1.5}])
def test_a_usage_that_is_none_is_none(usage: Any) -> None:
    assert accumulated(chunk({"content": "a"}, finish="stop", usage=usage))[0].usage is None


def test_a_call_in_pieces() -> None:
    found = calls_of(
        piece('{"a"', name="look", index=0, id="x"), piece(": 1", index=0), piece("}", index=0)
    )
    assert found == [("x", "look", '{"a": 1}')]


def test_two_calls_by_index_may_alternate() -> None:
    found = calls_of(
        piece("{", name="a", index=0, id="x"),
        piece("{", name="b", index=1, id="y"),
        piece("}", index=0),
        piece("}", index=1),
    )
    assert found == [("x", "a", "{}"), ("y", "b", "{}")]


def test_calls_without_index_are_told_apart_by_id() -> None:
    found = calls_of(
        piece("{", name="a", id="x"), piece("}", id="x"), piece("{}", name="b", id="y")
    )
    assert found == [("x", "a", "{}"), ("y", "b", "{}")]


def test_calls_without_index_and_id_are_told_apart_by_name() -> None:
    found = calls_of(piece("{", name="a"), piece("}"), piece("{}", name="b"))
    assert [(name, arguments) for _, name, arguments in found] == [("a", "{}"), ("b", "{}")]
    assert len({id_ for id_, _, _ in found}) == 2


def test_an_id_repeated_in_every_piece_is_one_call() -> None:
    found = calls_of(piece("{", name="a", index=0, id="x"), piece("}", name="a", index=0, id="x"))
    assert found == [("x", "a", "{}")]


def test_an_index_that_comes_back_under_another_id_is_another_call() -> None:
    found = calls_of(piece("{}", name="a", index=0, id="x"), piece("{}", name="b", index=0, id="y"))
    assert found == [("x", "a", "{}"), ("y", "b", "{}")]


def test_two_calls_under_one_id_get_an_id_each() -> None:
    found = calls_of(piece("{}", name="a", index=0, id="x"), piece("{}", name="b", index=1, id="x"))
    assert [name for _, name, _ in found] == ["a", "b"]
    assert len({id_ for id_, _, _ in found}) == 2


def test_arguments_that_come_parsed_or_not_at_all() -> None:
    parsed = {"function": {"name": "a", "arguments": {"b": 1}}, "id": "x"}
    assert calls_of(parsed, {"function": {"name": "c"}, "id": "y"}) == [
        ("x", "a", '{"b": 1}'),
        ("y", "c", "{}"),
    ]


def test_calls_with_an_ordinary_finish_are_calls() -> None:
    reply, told = accumulated(chunk({"tool_calls": [piece("{}", name="a", id="x")]}, finish="stop"))
    assert len(reply.tool_calls) == 1
    assert told == [ToolCallChunk()]


def test_a_call_without_a_name_is_a_bad_reply() -> None:
    with pytest.raises(BadReplyError):
        calls_of(piece("{}", id="x"))


@pytest.mark.parametrize(
    "event",
    ["null", "1", "[]", '"x"', '{"choices": [1]}', '{"choices": [null]}', "{", "NaNa", '{"a": 1'],
)
def test_an_odd_event_is_a_bad_reply(event: str) -> None:
    with pytest.raises(BadReplyError):
        Accumulator(lambda _: None).take_event(event)


@pytest.mark.parametrize(
    "event",
    ["{}", '{"choices": []}', '{"choices": null}', '{"choices": 7}', '{"choices": [{}]}', " "],
)
def test_an_event_that_says_nothing_ends_nothing(event: str) -> None:
    accumulator = Accumulator(lambda _: None)
    accumulator.take_event(event)
    assert not accumulator.is_whole


@pytest.mark.parametrize(
    "event",
    [
        {"error": {"message": "Boom"}},
        {"error": "Boom"},
        {"object": "error", "message": "Boom"},
        {"choices": [{"error": {"message": "Boom"}}]},
        {"choices": [{"delta": {}, "finish_reason": "error"}]},
    ],
)
def test_an_error_inside_is_raised_with_its_body(event: dict[str, Any]) -> None:
    with pytest.raises(ServerSaidError):
        Accumulator(lambda _: None).take_event(json.dumps(event))


def test_a_pair_cut_between_two_pieces_is_joined() -> None:
    reply, told = accumulated(
        '{"choices": [{"delta": {"content": "a\\ud83d"}}]}',
        '{"choices": [{"delta": {"content": "\\ude00b"}, "finish_reason": "stop"}]}',
    )
    assert reply.text == "a😀b"
    assert told == [TextChunk(text="a"), TextChunk(text="😀b")]


def test_half_a_pair_at_the_end_is_replaced_and_told() -> None:
    event = '{"choices": [{"delta": {"content": "a\\ud83d"}, "finish_reason": "stop"}]}'
    reply, told = accumulated(event)
    assert reply.text == "a\ufffd"
    assert told == [TextChunk(text="a"), TextChunk(text="\ufffd")]


ANY_TEXT = st.text(st.characters(codec=None), max_size=20)  # lone surrogates included


@given(st.lists(ANY_TEXT, max_size=6))
def test_text_in_pieces_can_always_be_stored_and_loses_nothing_valid(pieces: list[str]) -> None:
    text = TextPieces()
    shown = [text.add(piece) for piece in pieces] + [text.end()]
    assert "".join(shown) == str(text) == whole("".join(pieces))
    assert str(text).encode().decode() == str(text)
