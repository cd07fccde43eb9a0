"""Any history, whatever Stop did to it, becomes one that a strict server accepts."""

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from app.agent.provider import ChatRequest
from app.agent.providers.encoding import encode
from app.agent.repair import INTERRUPTED, NOT_RUN, PASSED_ON, repair
from app.core.ids import CallId, ConversationId, MessageId
from app.core.messages import (
    Ending,
    ImagePart,
    Message,
    Part,
    ReasoningPart,
    Role,
    TextPart,
    ToolCallPart,
    ToolResultPart,
    text_parts,
)
from tests.fakes.history import violations

ENDINGS = [ending for ending in Ending if ending is not Ending.OPEN]


def message(role: Role, *parts: Part, ending: Ending = Ending.COMPLETE) -> Message:
    return Message(
        id=MessageId("m"),
        conversation_id=ConversationId("c"),
        parent_id=None,
        role=role,
        parts=parts,
        created_at=1.0,
        ending=ending,
    )


def user(text: str) -> Message:
    return message(Role.USER, *text_parts(text))


def assistant(text: str, *calls: ToolCallPart, ending: Ending = Ending.COMPLETE) -> Message:
    return message(Role.ASSISTANT, *text_parts(text), *calls, ending=ending)


def call(call_id: str, arguments: str = "{}") -> ToolCallPart:
    return ToolCallPart(call_id=CallId(call_id), name="clock", arguments=arguments)


def result(*call_ids: str) -> Message:
    parts = [ToolResultPart(call_id=CallId(i), name="clock", content=f"at {i}") for i in call_ids]
    return message(Role.TOOL, *parts)


words = st.text(min_size=1, max_size=12).filter(lambda text: bool(text.strip()))
sloppy = st.one_of(st.just(""), st.just("  \n"), words)
arguments = st.sampled_from(["{}", '{"a": 1}', "", "{", "[]", "null", "1e", '{"a": "' + "x" * 9])
call_ids = st.lists(st.sampled_from(["1", "2", "3"]), max_size=3, unique=True)
users = st.builds(user, sloppy)
assistants = st.builds(
    lambda text, thought, ids, args, ending: message(
        Role.ASSISTANT,
        *([ReasoningPart(text=thought)] if thought else []),
        *([TextPart(text=text)] if text else []),
        *(call(i, args) for i in ids),
        ending=ending,
    ),
    sloppy,
    st.sampled_from(["", "hm"]),
    call_ids,
    arguments,
    st.sampled_from(ENDINGS),
)
results = st.builds(lambda ids: result(*ids), call_ids)
histories = st.builds(
    lambda first, middle, last: (user(first), *middle, user(last)),
    words,
    st.lists(st.one_of(users, assistants, results), max_size=12),
    words,
)


def sent(messages: tuple[Message, ...], *, user_after_tool: bool = True) -> list[dict[str, Any]]:
    body = encode(ChatRequest(messages=messages), model="m", user_after_tool=user_after_tool)
    plain: list[dict[str, Any]] = json.loads(body)["messages"]
    return plain


@given(histories, st.booleans())
def test_whatever_comes_in_a_strict_server_accepts_what_goes_out(
    history: tuple[Message, ...], user_after_tool: bool
) -> None:
    plain = sent(history, user_after_tool=user_after_tool)
    assert violations(plain, user_after_tool=user_after_tool, prefill=False) == []


@given(histories, st.booleans())
def test_repairing_twice_changes_nothing_more(
    history: tuple[Message, ...], user_after_tool: bool
) -> None:
    once = repair(history, user_after_tool=user_after_tool)
    assert repair(once, user_after_tool=user_after_tool) == once


@given(histories, st.booleans())
def test_nothing_the_person_wrote_is_lost_or_reordered(
    history: tuple[Message, ...], user_after_tool: bool
) -> None:
    repaired = repair(history, user_after_tool=user_after_tool)
    said = "\0".join(
        part.content if isinstance(part, ToolResultPart) else getattr(part, "text", "")
        for each in repaired
        if each.role in (Role.USER, Role.TOOL)
        for part in each.parts
    )
    at = 0
    for written in (each.text for each in history if each.role is Role.USER and each.text.strip()):
        at = said.index(written, at) + len(written)


@given(histories)
def test_what_the_model_said_is_kept_with_what_it_asked_for(
    history: tuple[Message, ...],
) -> None:
    repaired = repair(history)
    said = "\0".join(each.text for each in repaired if each.role is Role.ASSISTANT)
    for each in history:
        if each.role is Role.ASSISTANT and each.text.strip():
            assert each.text in said
    asked = [c.call_id for m in history for c in m.tool_calls if m.role is Role.ASSISTANT]
    assert [c.call_id for m in repaired for c in m.tool_calls] == asked


def test_a_valid_history_is_left_alone() -> None:
    history = (user("Hi"), assistant("", call("1")), result("1"), assistant("Ten."), user("Thanks"))
    assert [m.parts for m in repair(history)] == [m.parts for m in history]


def test_a_call_that_stop_left_unanswered_is_answered() -> None:
    repaired = repair((user("Hi"), assistant("", call("1"), call("2")), result("1"), user("So?")))
    parts = repaired[2].parts
    contents = [part.content for part in parts if isinstance(part, ToolResultPart)]
    assert contents == ["at 1", NOT_RUN]


def test_a_cut_off_answer_says_so_to_the_model() -> None:
    repaired = repair((user("Hi"), assistant("Half an", ending=Ending.STOPPED), user("Go")))
    assert repaired[1].text == f"Half an\n\n{INTERRUPTED}"


def test_an_answer_and_its_continuation_are_one() -> None:
    halves = (assistant("Half an", ending=Ending.STOPPED), assistant(" answer"))
    repaired = repair((user("Hi"), *halves, user("Thanks")))
    assert [m.text for m in repaired] == ["Hi", "Half an answer", "Thanks"]


def test_an_empty_answer_leaves_the_questions_joined() -> None:
    repaired = repair((user("One"), assistant(""), user("Two")))
    assert [m.text for m in repaired] == ["One\n\nTwo"]


def test_a_steer_rides_in_the_last_result_where_it_must() -> None:
    history = (user("Hi"), assistant("", call("1"), call("2")), result("1", "2"), user("Wait"))
    repaired = repair(history, user_after_tool=False)
    assert [m.role for m in repaired] == [Role.USER, Role.ASSISTANT, Role.TOOL]
    first, last = repaired[-1].parts
    assert isinstance(first, ToolResultPart)
    assert isinstance(last, ToolResultPart)
    assert first.content == "at 1"
    assert last.content == f"at 2\n\n{PASSED_ON}\nWait"


def test_a_picture_that_cannot_ride_in_a_result_is_not_lost() -> None:
    picture = ImagePart(path="p.png", media_type="image/png")
    shown = message(Role.USER, *text_parts("Look"), picture)
    history = (user("Hi"), assistant("", call("1")), result("1"), shown)
    repaired = repair(history, user_after_tool=False)
    assert picture in repaired[-1].parts
    plain = sent(history, user_after_tool=False)
    assert violations(plain, user_after_tool=False, prefill=False) == []


def test_a_message_of_blanks_is_not_sent() -> None:
    repaired = repair((user("Hi"), assistant("One"), user(" \n"), assistant("Two"), user("So?")))
    assert [m.text for m in repaired] == ["Hi", "OneTwo", "So?"]
