"""What a server is sent: valid whatever the history, and the same bytes again next time."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from app.agent.provider import ChatRequest, ToolSpec
from app.agent.providers.encoding import HEAVY_CHARS, encode, is_heavy, options_of
from app.core.ids import CallId
from app.core.messages import (
    Ending,
    ImagePart,
    Message,
    ReasoningPart,
    Role,
    TextPart,
    ToolCallPart,
    ToolResultPart,
)
from app.core.settings import Endpoint
from tests.fakes.history import violations
from tests.unit.agent.providers.asking import message, question

CALL = ToolCallPart(call_id=CallId("c1"), name="look", arguments='{"a":1}')
RESULT = ToolResultPart(call_id=CallId("c1"), name="look", content="seen")


def sent(*messages: Message, **options: Any) -> list[dict[str, Any]]:
    body = json.loads(encode(ChatRequest(messages=messages), model="m", **options))
    found: list[dict[str, Any]] = body["messages"]
    return found


def user(text: str) -> Message:
    return message(Role.USER, text=text)


def test_a_plain_conversation() -> None:
    system = message(Role.SYSTEM, text="Be brief.")
    answer = message(Role.ASSISTANT, text="Hello.")
    assert sent(system, user("Hi"), answer, user("And?")) == [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "Hi"},
        {"role": "assistant", "content": "Hello."},
        {"role": "user", "content": "And?"},
    ]


def test_a_models_own_instructions_stand_in_for_the_general_ones() -> None:
    system = message(Role.SYSTEM, text="Be brief.")
    told = [{"role": "system", "content": "Rhyme."}, {"role": "user", "content": "Hi"}]
    assert sent(system, user("Hi"), instructions="Rhyme.") == told
    assert sent(user("Hi"), instructions="Rhyme.") == told


def test_only_what_the_person_set_is_sent() -> None:
    plain = Endpoint(base_url="http://box/v1")
    assert options_of(plain) == {}
    chosen = replace(plain, temperature=0.0, max_tokens=9, reasoning_effort="low")
    body = json.loads(encode(question(), model="m", options=options_of(chosen)))
    assert (body["temperature"], body["max_tokens"], body["reasoning_effort"]) == (0.0, 9, "low")


def test_tool_calls_have_null_content_and_results_right_after() -> None:
    calls = message(Role.ASSISTANT, CALL)
    results = message(Role.TOOL, RESULT)
    function = {"name": "look", "arguments": '{"a":1}'}
    assert sent(user("Look"), calls, results)[1:] == [
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [{"id": "c1", "type": "function", "function": function}],
        },
        {"role": "tool", "tool_call_id": "c1", "content": "seen"},
    ]


def test_several_results_are_a_message_each() -> None:
    other = replace(CALL, call_id=CallId("c2"))
    calls = message(Role.ASSISTANT, TextPart(text="Let me look."), CALL, other)
    results = message(Role.TOOL, RESULT, replace(RESULT, call_id=CallId("c2")))
    found = sent(user("Look"), calls, results)
    assert [m["role"] for m in found] == ["user", "assistant", "tool", "tool"]
    assert found[1]["content"] == "Let me look."


def test_thoughts_are_never_sent_back() -> None:
    answer = message(Role.ASSISTANT, ReasoningPart(text="secret"), TextPart(text="Hello."))
    body = encode(ChatRequest(messages=(user("Hi"), answer, user("And?"))), model="m")
    assert b"secret" not in body


def test_an_interrupted_answer_is_kept() -> None:
    cut = replace(message(Role.ASSISTANT, text="Hello, I was"), ending=Ending.STOPPED)
    found = sent(user("Hi"), cut, user("Go on"))
    assert [m["role"] for m in found] == ["user", "assistant", "user"]
    assert found[1]["content"].startswith("Hello, I was")


def test_where_a_user_may_not_follow_a_tool_his_words_ride_along() -> None:
    history = (user("Look"), message(Role.ASSISTANT, CALL), message(Role.TOOL, RESULT))
    found = sent(*history, user("Wait"), user_after_tool=False)
    assert [m["role"] for m in found] == ["user", "assistant", "tool"]
    assert "Wait" in found[-1]["content"]


def test_a_picture_is_a_data_url_and_a_lost_one_is_named(tmp_path: Path) -> None:
    (tmp_path / "dot.png").write_bytes(b"\x89PNG")
    parts = (
        TextPart(text="See"),
        ImagePart(path="dot.png", media_type="image/png"),
        ImagePart(path="gone.png", media_type="image/png"),
    )
    (found,) = sent(message(Role.USER, *parts), attachments=tmp_path)
    kinds = [part["type"] for part in found["content"]]
    assert kinds == ["text", "image_url", "text"]
    assert found["content"][1]["image_url"]["url"] == "data:image/png;base64,iVBORw=="


def test_a_request_begins_with_the_bytes_of_the_one_before() -> None:
    history = (
        message(Role.SYSTEM, text="Be brief."),
        user("Grüße 😀"),
        message(Role.ASSISTANT, CALL),
        message(Role.TOOL, RESULT),
        message(Role.ASSISTANT, text="Seen."),
        user("And?"),
    )
    tools = (ToolSpec(name="look", description="Looks.", parameters={"type": "object"}),)
    bodies = [
        encode(ChatRequest(messages=history[:count], tools=tools), model="m") for count in (2, 4, 6)
    ]
    prefixes = [body[: body.index(b'],"tools"')] for body in bodies]
    assert prefixes[1].startswith(prefixes[0])
    assert prefixes[2].startswith(prefixes[1])
    assert "😀".encode() in bodies[0]


def test_half_a_character_is_replaced() -> None:
    (found,) = sent(user("a\ud83db"))
    assert found["content"] == "a\ufffdb"


def test_what_a_server_refused_is_left_out() -> None:
    body = json.loads(encode(question(), model="m", without={"stream_options"}))
    assert set(body) == {"model", "messages", "stream"}


def test_without_streaming_no_stream_options_are_sent() -> None:
    body = json.loads(encode(question(streaming=False), model="m"))
    assert body["stream"] is False
    assert "stream_options" not in body


def test_large_texts_and_pictures_are_heavy() -> None:
    picture = ImagePart(path="dot.png", media_type="image/png")
    assert not is_heavy(question("short"))
    assert is_heavy(question("x" * (HEAVY_CHARS + 1)))
    assert is_heavy(ChatRequest(messages=(message(Role.USER, picture),)))


WORDS = st.text("ab \n\ud83d", min_size=1, max_size=8).filter(str.strip)
CALLS = st.builds(
    ToolCallPart,
    call_id=st.sampled_from([CallId("c1"), CallId("c2")]),
    name=st.just("look"),
    arguments=st.sampled_from(["{}", "", "[1]", "{"]),
)
RESULTS = st.builds(
    ToolResultPart,
    call_id=st.sampled_from([CallId("c1"), CallId("c2"), CallId("c3")]),
    name=st.just("look"),
    content=st.just("seen"),
)
USERS = st.builds(user, WORDS)
ANSWER_PARTS = st.lists(
    st.builds(TextPart, text=WORDS) | CALLS,
    min_size=1,
    max_size=3,
    unique_by=lambda part: part.call_id if isinstance(part, ToolCallPart) else part.text,
)
ANSWERS = st.builds(
    lambda parts, ending: replace(message(Role.ASSISTANT, *parts), ending=ending),
    ANSWER_PARTS,
    st.sampled_from(list(Ending)),
)
TOOLS = st.builds(lambda parts: message(Role.TOOL, *parts), st.lists(RESULTS, min_size=1))


@given(st.lists(USERS | ANSWERS | TOOLS, max_size=8), USERS, st.booleans())
def test_any_history_becomes_one_that_a_strict_server_takes(
    history: list[Message], last: Message, user_after_tool: bool
) -> None:
    messages = sent(user("Hi"), *history, last, user_after_tool=user_after_tool)
    assert violations(messages, user_after_tool=user_after_tool, prefill=False) == []
