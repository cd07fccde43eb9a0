"""JSON lines: the shape that scripts rely on, and its documentation."""

import json
import re
from pathlib import Path
from typing import Any, get_args

import pytest

from app.cli.json_events import SCHEMA, json_line, trouble_line
from app.core.errors import Problem, ProblemKind
from app.core.events import (
    Completed,
    ConversationsChanged,
    Event,
    Failed,
    MessageCommitted,
    Outcome,
    QueueChanged,
    Retrying,
    Stopped,
    StopReason,
    StorageTrouble,
    TextDelta,
    TurnEnded,
    TurnEvent,
)
from app.core.ids import ConversationId, MessageId, TurnId

CHAT, TURN, ANSWER = ConversationId("c"), TurnId("t"), MessageId("m")
PROBLEM = Problem(kind=ProblemKind.UNREACHABLE, params={"host": "here"}, detail="never shown")
PLAIN_PROBLEM = {
    "kind": "unreachable",
    "params": {"host": "here"},
    "sentence": "here cannot be reached. Check its address, or start it.",
}
DOCUMENT = Path(__file__).parents[3] / "docs" / "json-events.md"


def parsed(event: Event) -> dict[str, Any]:
    line = json_line(event)
    assert line is not None
    assert line.endswith("\n")
    assert line.count("\n") == 1
    plain: dict[str, Any] = json.loads(line)
    return plain


def ended(outcome: Outcome) -> TurnEnded:
    return TurnEnded(conversation_id=CHAT, turn_id=TURN, epoch=3, outcome=outcome)


def test_a_delta_is_a_flat_object_with_its_type_and_schema() -> None:
    event = TextDelta(conversation_id=CHAT, turn_id=TURN, message_id=ANSWER, text="Hé\n\x1b[1m")
    assert parsed(event) == {
        "schema": SCHEMA,
        "type": "text_delta",
        "conversation_id": "c",
        "turn_id": "t",
        "message_id": "m",
        "text": "Hé\n\x1b[1m",
    }


def test_lines_are_ascii_so_that_no_terminal_obeys_them() -> None:
    line = json_line(
        TextDelta(conversation_id=CHAT, turn_id=TURN, message_id=ANSWER, text="ü\x9b\ud83d")
    )
    assert line is not None
    assert line.isascii()
    assert line.strip().isprintable()


@pytest.mark.parametrize(
    ("outcome", "plain"),
    [
        (Completed(), {"kind": "completed"}),
        (
            Stopped(reason=StopReason.PERSON, closed_in_s=0.5),
            {"kind": "stopped", "reason": "person", "closed_in_s": 0.5},
        ),
        (Failed(problem=PROBLEM), {"kind": "failed", "problem": PLAIN_PROBLEM}),
    ],
)
def test_outcomes_name_their_kind(outcome: Outcome, plain: dict[str, Any]) -> None:
    assert parsed(ended(outcome))["outcome"] == plain


def test_problems_carry_kind_parameters_and_sentence_but_no_detail() -> None:
    event = Retrying(
        conversation_id=CHAT, turn_id=TURN, problem=PROBLEM, attempt=2, attempts=4, wait_s=1.5
    )
    assert parsed(event)["problem"] == PLAIN_PROBLEM
    assert parsed(StorageTrouble(problem=PROBLEM))["conversation_id"] is None
    assert json.loads(trouble_line(PROBLEM)) == {
        "schema": SCHEMA,
        "type": "trouble",
        "problem": PLAIN_PROBLEM,
    }


def test_what_only_a_window_wants_is_left_out() -> None:
    assert json_line(QueueChanged(conversation_id=CHAT, waiting=())) is None
    assert json_line(ConversationsChanged(conversations=())) is None


def test_every_event_that_can_be_printed_is_documented() -> None:
    told = [
        kind
        for kind in get_args(Event)
        if issubclass(kind, TurnEvent | MessageCommitted | StorageTrouble)
    ]
    names = {re.sub(r"(?<!^)(?=[A-Z])", "_", kind.__name__).lower(): kind for kind in told}
    document = DOCUMENT.read_text()
    rows = {
        name: row
        for row in document.splitlines()
        for name in names
        if row.startswith(f"| `{name}` |")
    }
    assert rows.keys() == names.keys()
    for name, kind in names.items():
        own = set(kind.__dataclass_fields__) - {"conversation_id", "turn_id"}
        missing = [field for field in own if f"`{field}`" not in rows[name]]
        assert not missing, f"{name}: {missing}"
