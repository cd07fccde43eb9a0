"""Edit, Retry and Continue make branches; switching between them never stops anything."""

from pathlib import Path

from app.agent.provider import TextChunk
from app.agent.providers.fake import Gate, ScriptedProvider
from app.agent.turn import GO_ON
from app.core.commands import SelectBranch
from app.core.events import Completed, HistoryChanged, Stopped, TextDelta
from app.core.ids import MessageId
from app.core.messages import Ending, Message, OrderKind, Role
from tests.harness.loops import pass_ticks
from tests.unit.agent.played import played
from tests.unit.agent.stage import CHAT, Stage, on_disk, spoken, staged

A, U = Role.ASSISTANT, Role.USER


def says(*texts: str) -> list[TextChunk]:
    return [TextChunk(text=text) for text in texts]


def shown(stage: Stage) -> tuple[Message, ...]:
    return stage.all(HistoryChanged)[-1].tree.path()


def last_id(stage: Stage, role: Role) -> MessageId:
    return [message.id for message in shown(stage) if message.role is role][-1]


def select(stage: Stage, message_id: MessageId) -> None:
    stage.do(SelectBranch(conversation_id=CHAT, message_id=message_id))


@played
async def test_an_edit_stands_beside_the_message_and_nothing_is_overwritten(
    tmp_path: Path,
) -> None:
    provider = ScriptedProvider(says("One"), says("Two"))
    async with staged(tmp_path / "a.db", provider) as stage:
        first = stage.send("Question")
        await stage.until_ended()
        stage.send("Better question", kind=OrderKind.EDIT, target=first)
        await stage.until_ended(2)
        assert spoken(shown(stage)) == [(U, "Better question"), (A, "Two")]
        select(stage, first)
        assert spoken(shown(stage)) == [(U, "Question"), (A, "One")]
    assert [m.text for m in provider.requests[1].messages] == ["Better question"]
    kept = on_disk(tmp_path / "a.db").tree
    assert spoken(kept.path()) == [(U, "Question"), (A, "One")]
    assert len(kept.siblings(first)) == 2


@played
async def test_a_retry_puts_a_new_answer_beside_the_old(tmp_path: Path) -> None:
    provider = ScriptedProvider(says("One"), says("Two"))
    async with staged(tmp_path / "a.db", provider) as stage:
        stage.send("Question")
        await stage.until_ended()
        old = last_id(stage, A)
        stage.send("", kind=OrderKind.RETRY, target=old)
        await stage.until_ended(2)
        assert spoken(shown(stage)) == [(U, "Question"), (A, "Two")]
    assert [m.text for m in provider.requests[1].messages] == ["Question"]
    kept = on_disk(tmp_path / "a.db").tree
    assert spoken(kept.path()) == [(U, "Question"), (A, "Two")]
    assert len(kept.siblings(old)) == 2


@played
async def test_a_retry_of_the_answer_that_is_being_written_redirects(tmp_path: Path) -> None:
    gate = Gate()
    provider = ScriptedProvider([*says("Half"), gate], says("Whole"))
    async with staged(tmp_path / "a.db", provider) as stage:
        stage.send("Question")
        await gate.reached.wait()
        writing = stage.all(TextDelta)[0].message_id
        stage.send("", kind=OrderKind.RETRY, target=writing)
        assert await stage.until_ended(2) == Completed()
    kept = on_disk(tmp_path / "a.db").tree
    assert spoken(kept.path()) == [(U, "Question"), (A, "Whole")]
    assert kept.messages[writing].ending is Ending.REDIRECTED


@played
async def test_a_retry_stopped_before_its_first_word_shows_the_old_answer_again(
    tmp_path: Path,
) -> None:
    gate = Gate()
    provider = ScriptedProvider(says("Old"), [gate])
    async with staged(tmp_path / "a.db", provider) as stage:
        stage.send("Question")
        await stage.until_ended()
        stage.send("", kind=OrderKind.RETRY, target=last_id(stage, A))
        await gate.reached.wait()
        stage.stop()
        assert isinstance(await stage.until_ended(2), Stopped)
        assert spoken(shown(stage)) == [(U, "Question"), (A, "Old")]
    assert spoken(on_disk(tmp_path / "a.db").tree.path()) == [(U, "Question"), (A, "Old")]


@played
async def test_continue_goes_on_below_the_partial_answer(tmp_path: Path) -> None:
    gate = Gate()
    provider = ScriptedProvider([*says("Half an"), gate], says(" answer"), says("Yes"))
    async with staged(tmp_path / "a.db", provider) as stage:
        stage.send("Question")
        await gate.reached.wait()
        stage.stop()
        await stage.until_ended()
        stage.send("", kind=OrderKind.CONTINUE, target=last_id(stage, A))
        assert await stage.until_ended(2) == Completed()
        stage.send("Thanks")
        await stage.until_ended(3)
    asked = provider.requests[1].messages
    assert [m.text for m in asked] == ["Question", "Half an", GO_ON]
    assert [m.text for m in provider.requests[2].messages] == [
        "Question",
        "Half an",
        " answer",
        "Thanks",
    ]
    kept = on_disk(tmp_path / "a.db").tree.path()
    assert [(m.text, m.continues) for m in kept[:3]] == [
        ("Question", False),
        ("Half an", False),
        (" answer", True),
    ]


@played
async def test_an_order_whose_target_is_unknown_is_not_accepted(tmp_path: Path) -> None:
    async with staged(tmp_path / "a.db", provider := ScriptedProvider()) as stage:
        for kind in (OrderKind.RETRY, OrderKind.CONTINUE, OrderKind.EDIT):
            stage.send("Words", kind=kind, target=MessageId("nowhere"))
        await pass_ticks(20)
        assert stage.waiting == ()
    assert provider.requests == []


@played
async def test_switching_branches_never_stops_the_turn_and_leads_back_to_it(
    tmp_path: Path,
) -> None:
    gate = Gate()
    provider = ScriptedProvider(says("Old"), [*says("New"), gate, *says(" words")])
    async with staged(tmp_path / "a.db", provider) as stage:
        stage.send("Question")
        await stage.until_ended()
        old = last_id(stage, A)
        stage.send("", kind=OrderKind.RETRY, target=old)
        await gate.reached.wait()
        writing = stage.all(TextDelta)[-1].message_id
        select(stage, old)
        assert spoken(shown(stage)) == [(U, "Question"), (A, "Old")]
        assert writing in stage.all(HistoryChanged)[-1].tree.messages
        select(stage, writing)
        assert spoken(shown(stage)) == [(U, "Question"), (A, "New")]
        gate.open()
        assert await stage.until_ended(2) == Completed()
        assert spoken(shown(stage)) == [(U, "Question"), (A, "New words")]
    assert spoken(on_disk(tmp_path / "a.db").tree.path()) == [(U, "Question"), (A, "New words")]


@played
async def test_an_answer_finished_in_a_hidden_branch_does_not_come_to_the_front(
    tmp_path: Path,
) -> None:
    gate = Gate()
    provider = ScriptedProvider(says("Old"), [*says("New"), gate])
    async with staged(tmp_path / "a.db", provider) as stage:
        stage.send("Question")
        await stage.until_ended()
        old = last_id(stage, A)
        stage.send("", kind=OrderKind.RETRY, target=old)
        await gate.reached.wait()
        select(stage, old)
        gate.open()
        await stage.until_ended(2)
        assert spoken(shown(stage)) == [(U, "Question"), (A, "Old")]
    kept = on_disk(tmp_path / "a.db").tree
    assert spoken(kept.path()) == [(U, "Question"), (A, "Old")]
    assert len(kept.siblings(old)) == 2
