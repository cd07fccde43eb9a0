"""What the transcript shows after events, whatever their order."""

from hypothesis import given
from hypothesis import strategies as st

from app.core.errors import Problem, ProblemKind
from app.core.events import (
    ConversationOpened,
    Event,
    Failed,
    FellBack,
    HistoryChanged,
    Stopped,
    StopReason,
)
from app.core.events import TextDelta as Delta
from app.core.ids import CallId, ConversationId, MessageId, TurnId
from app.core.messages import Draft, Ending, Role, ToolCallPart, ToolResultPart, Tree
from app.ui.transcript.changes import Grew, Reset, Spliced, Touched
from app.ui.transcript.entry import NoticeKind
from app.ui.transcript.model import TranscriptModel
from app.ui.transcript.parts import Call, CallState, Thought, Words
from tests.ui.transcript.conversation import (
    HERE,
    asked,
    changed,
    ended,
    message,
    opened,
    said,
    started,
    thought,
    tool_finished,
    tool_output,
    tool_started,
    tree,
)

STOPPED = Stopped(reason=StopReason.PERSON)
BROKEN = Problem(kind=ProblemKind.BROKEN_OFF)


def after(*events: Event) -> TranscriptModel:
    model = TranscriptModel()
    for event in events:
        model.apply(event)
    return model


def words(model: TranscriptModel) -> list[str]:
    return [entry.words for entry in model.entries]


def running(*events: Event) -> TranscriptModel:
    return after(opened(asked("u1", "Why?")), started(), *events)


def test_opening_shows_the_path_from_root_to_leaf() -> None:
    model = after(opened(asked("u1", "Why?"), message("a1", "Because.", parent="u1")))
    assert words(model) == ["Why?", "Because."]


def test_opening_another_conversation_forgets_the_first() -> None:
    model = running(said("Half an ans"))
    change = model.apply(
        ConversationOpened(
            conversation_id=ConversationId("c2"), tree=Tree(), waiting=(), draft=Draft()
        )
    )
    assert change == (Reset(),)
    assert model.entries == []
    assert model.running is None


def test_events_of_another_conversation_change_nothing() -> None:
    model = running()
    foreign = Delta(
        conversation_id=ConversationId("c2"),
        turn_id=TurnId("t9"),
        message_id=MessageId("a1"),
        text="Not for here",
    )
    assert model.apply(foreign) == ()
    assert words(model) == ["Why?"]


def test_first_delta_opens_the_answer_and_the_next_ones_grow_it() -> None:
    model = running()
    assert model.apply(said("Be")) == (Spliced(1),)
    (change,) = model.apply(said("cause."))
    assert isinstance(change, Grew)
    assert (change.index, change.text) == (1, "cause.")
    assert words(model) == ["Why?", "Because."]


def test_reasoning_and_words_are_parts_in_the_order_they_came() -> None:
    model = running(thought("Hm"), thought("m."), said("Because."))
    parts = model.entries[1].parts
    assert [type(part) for part in parts] == [Thought, Words]
    assert model.entries[1].words == "Because."


def test_history_that_knows_the_answer_keeps_its_entry() -> None:
    model = running(said("Because."))
    entry = model.entries[1]
    model.apply(changed(asked("u1", "Why?"), message("a1", "Because.", parent="u1")))
    assert model.entries[1] is entry
    assert entry.ending is Ending.COMPLETE


def test_history_behind_the_stream_does_not_shorten_an_open_answer() -> None:
    model = running(said("Because it"))
    stored = message("a1", "Beca", parent="u1", ending=Ending.OPEN)
    model.apply(changed(asked("u1", "Why?"), stored))
    model.apply(said(" is."))
    assert words(model) == ["Why?", "Because it is."]


def test_history_wins_over_the_stream_once_an_answer_is_closed() -> None:
    model = running(said("Because it is. And"))
    model.apply(changed(asked("u1", "Why?"), message("a1", "Because it is.", parent="u1")))
    assert words(model) == ["Why?", "Because it is."]


def test_history_without_the_running_answer_leaves_it_at_the_end() -> None:
    model = running(said("Beca"))
    model.apply(changed(asked("u1", "Why?")))
    model.apply(said("use."))
    assert words(model) == ["Why?", "Because."]


def test_message_sent_before_the_turn_starts_comes_before_its_answer() -> None:
    model = after(opened(), started(), changed(asked("u1", "Why?")), said("Because."))
    assert words(model) == ["Why?", "Because."]


def test_opening_amid_a_turn_goes_on_with_the_open_answer() -> None:
    stored = message("a1", "Because", parent="u1", ending=Ending.OPEN)
    model = after(opened(asked("u1", "Why?"), stored, running=True), said(" it is."))
    assert words(model) == ["Why?", "Because it is."]


def test_stop_keeps_the_partial_answer_and_says_who_stopped() -> None:
    model = running(said("Beca"), ended(STOPPED))
    assert model.entries[1].ending is Ending.STOPPED
    assert model.running is None


def test_stop_before_a_word_leaves_a_notice_under_the_question() -> None:
    model = running(ended(STOPPED))
    notice = model.entries[0].notice
    assert notice is not None
    assert notice.kind is NoticeKind.NO_ANSWER


def test_redirect_before_a_word_leaves_no_notice() -> None:
    model = running(ended(Stopped(reason=StopReason.REDIRECT)))
    assert model.entries[0].notice is None


def test_failure_stands_under_the_last_entry_until_the_next_turn() -> None:
    model = running(said("Beca"), ended(Failed(problem=BROKEN)))
    notice = model.entries[1].notice
    assert notice is not None
    assert notice.problem == BROKEN
    assert model.entries[1].ending is Ending.CONNECTION_LOST
    assert model.apply(started()) == (Touched(1),)
    assert model.entries[1].notice is None


def test_history_knows_better_how_an_answer_ended() -> None:
    whole = message("a1", "Because.", parent="u1", ending=Ending.COMPLETE)
    model = running(said("Because."), changed(asked("u1", "Why?"), whole))
    model.apply(ended(Failed(problem=Problem(kind=ProblemKind.TOO_MANY_STEPS))))
    assert model.entries[1].ending is Ending.COMPLETE
    assert model.entries[1].notice is not None


def test_tool_runs_in_the_answer_that_called_it() -> None:
    model = running(said("Let me look."), tool_started(), tool_output("found"))
    call = model.entries[1].parts[1]
    assert isinstance(call, Call)
    assert (call.state, call.output.text) == (CallState.RUNNING, "found")
    model.apply(tool_finished("found 3"))
    assert (call.state, call.output.text) == (CallState.DONE, "found 3")


def test_tool_without_a_word_before_it_opens_an_answer() -> None:
    model = running(tool_started())
    assert isinstance(model.entries[1].parts[0], Call)


def test_tool_announced_by_the_history_first_is_one_card() -> None:
    asking = message(
        "a1",
        "",
        parent="u1",
        parts=(ToolCallPart(call_id=CallId("k1"), name="search", arguments="{}"),),
    )
    model = running(changed(asked("u1", "Why?"), asking), tool_started(), tool_finished("3"))
    calls = [p for entry in model.entries for p in entry.parts if isinstance(p, Call)]
    assert [call.state for call in calls] == [CallState.DONE]


def test_tool_still_running_when_the_turn_stops_is_shown_as_stopped() -> None:
    model = running(said("Let me look."), tool_started(), ended(STOPPED))
    call = model.entries[1].parts[1]
    assert isinstance(call, Call)
    assert call.state is CallState.STOPPED


def test_stored_tool_result_is_shown_in_the_card_of_its_call() -> None:
    call = ToolCallPart(call_id=CallId("k1"), name="search", arguments="{}")
    result = ToolResultPart(call_id=CallId("k1"), name="search", content="3", is_error=True)
    model = after(
        opened(
            asked("u1", "Why?"),
            message("a1", "", parent="u1", parts=(call,)),
            message("r1", "", parent="a1", role=Role.TOOL, parts=(result,)),
            message("a2", "Because.", parent="r1"),
        )
    )
    assert [entry.id for entry in model.entries] == ["u1", "a1", "a2"]
    shown = model.entries[1].parts[0]
    assert isinstance(shown, Call)
    assert (shown.state, shown.output.text) == (CallState.FAILED, "3")
    assert model.group_of(1) == (1, 2)


def test_fallback_is_noted_at_the_answer_it_led_to() -> None:
    fell = FellBack(
        conversation_id=HERE, turn_id=TurnId("t1"), from_model="A", to_model="B", problem=BROKEN
    )
    model = running(fell, said("Because."))
    assert model.entries[1].notes == ("The connection broke. Asked B instead of A.",)


def test_branches_are_counted_where_siblings_are() -> None:
    first = message("a1", "One", parent="u1", at=1)
    second = message("a2", "Two", parent="u1", at=2)
    third = message("a3", "Three", parent="u1", at=3)
    model = after(opened(asked("u1", "Why?"), first, second, third, leaf="a2"))
    branch = model.entries[1].branch
    assert branch is not None
    assert (branch.index, branch.count) == (2, 3)
    assert (branch.previous, branch.following) == ("a1", "a3")
    assert model.entries[0].branch is None


def test_answer_in_a_hidden_branch_is_neither_shown_nor_lost() -> None:
    question, old = asked("u1", "Why?"), message("a0", "Old", parent="u1", at=1)
    new = message("a1", "", parent="u1", ending=Ending.OPEN, at=2)
    model = after(opened(question, old, new, leaf="a1", running=True), said("Ne"))
    model.apply(changed(question, old, new, leaf="a0"))
    assert model.apply(said("w")) == ()
    assert words(model) == ["Why?", "Old"]
    hidden = model.answering_elsewhere()
    assert hidden is not None
    assert (hidden.index, hidden.count, hidden.following) == (2, 2, "a1")
    model.apply(changed(question, old, new, leaf="a1"))
    assert words(model) == ["Why?", "New"]
    assert model.answering_elsewhere() is None


def test_branch_that_grows_out_of_sight_is_counted() -> None:
    question, old = asked("u1", "Why?"), message("a0", "Old", parent="u1", at=1)
    model = after(opened(question, old))
    hidden = message("a1", "New", parent="u1", at=2)
    changes = model.apply(
        HistoryChanged(
            conversation_id=HERE, tree=tree(question, old, hidden, leaf="a0"), added=(hidden,)
        )
    )
    branch = model.entries[1].branch
    assert branch is not None
    assert (branch.index, branch.count) == (1, 2)
    assert changes == (Touched(1),)


def test_tool_result_that_comes_with_the_history_reaches_its_card() -> None:
    call = ToolCallPart(call_id=CallId("k1"), name="search", arguments="{}")
    result = ToolResultPart(call_id=CallId("k1"), name="search", content="3")
    question, asking = asked("u1", "Why?"), message("a1", "", parent="u1", parts=(call,))
    answered = message("r1", "", parent="a1", role=Role.TOOL, parts=(result,))
    model = after(opened(question, asking), changed(question, asking, answered))
    shown = model.entries[1].parts[0]
    assert isinstance(shown, Call)
    assert (shown.state, shown.output.text) == (CallState.DONE, "3")


def test_going_back_to_an_earlier_leaf_takes_the_rest_away() -> None:
    path = (
        asked("u1", "Why?"),
        message("a1", "Because.", parent="u1"),
        asked("u2", "And?", parent="a1"),
    )
    model = after(opened(*path))
    assert model.apply(changed(*path, leaf="a1")) == (Spliced(2),)
    assert words(model) == ["Why?", "Because."]
    assert model.index_of(MessageId("u2")) is None
    assert model.apply(changed(*path)) == (Spliced(2),)
    assert words(model) == ["Why?", "Because.", "And?"]


@given(st.data())
def test_entries_are_those_of_the_path_after_any_history(data: st.DataObject) -> None:
    messages = [asked("m0", "0")]
    model = after(opened(*messages))
    for number in range(1, data.draw(st.integers(1, 12))):
        parent = data.draw(st.sampled_from(messages)).id
        one = message(
            f"m{number}",
            str(number),
            parent=parent,
            role=data.draw(st.sampled_from([Role.USER, Role.ASSISTANT])),
            at=float(number),
        )
        messages.append(one)
        leaf = data.draw(st.sampled_from(messages)).id
        now = tree(*messages, leaf=leaf)
        told = data.draw(st.booleans())
        model.apply(HistoryChanged(conversation_id=HERE, tree=now, added=(one,) if told else ()))
        assert [entry.id for entry in model.entries] == [m.id for m in now.path()]
        for index, entry in enumerate(model.entries):
            beside = now.siblings(entry.id)
            count = entry.branch.count if entry.branch else 1
            place = entry.branch.index if entry.branch else 1
            assert (count, place) == (len(beside), beside.index(entry.id) + 1)
            assert model.index_of(entry.id) == index
