"""What the person does with chips: discard, restore, move, revise, promote."""

from pathlib import Path

import pytest

from app.agent.provider import TextChunk
from app.agent.providers.fake import Gate, ScriptedProvider
from app.core.commands import (
    BeginRevision,
    DiscardWaiting,
    EndRevision,
    MoveWaiting,
    PromoteWaiting,
    RestoreWaiting,
)
from app.core.events import (
    Stopped,
)
from app.core.messages import Intent, Role, WaitState
from tests.harness.loops import pass_ticks
from tests.unit.agent.played import played
from tests.unit.agent.stage import CHAT, asked_of, on_disk, staged

U = Role.USER


@played
async def test_a_discarded_message_comes_back_where_it_was_and_held(tmp_path: Path) -> None:
    gate = Gate()
    provider = ScriptedProvider([TextChunk(text="One"), gate])
    async with staged(tmp_path / "a.db", provider) as stage:
        stage.send("First")
        await gate.reached.wait()
        second = stage.send("Second", Intent.QUEUE)
        stage.send("Third", Intent.QUEUE)
        await stage.until_waiting("Second", "Third")
        stage.do(DiscardWaiting(conversation_id=CHAT, message_ids=(second,)))
        assert stage.waiting_texts == ["Third"]
        stage.do(RestoreWaiting(conversation_id=CHAT, message_id=second))
        assert stage.states == [("Second", WaitState.HELD), ("Third", WaitState.WAITING)]
        gate.open()
        await stage.until_ended(2)
        await pass_ticks(20)
        assert stage.states == [("Second", WaitState.HELD)]
    assert [order.text for order, _ in on_disk(tmp_path / "a.db").waiting] == ["Second"]


@played
async def test_a_discarded_message_is_neither_run_nor_there_after_a_restart(
    tmp_path: Path,
) -> None:
    gate = Gate()
    provider = ScriptedProvider([TextChunk(text="One"), gate])
    async with staged(tmp_path / "a.db", provider) as stage:
        stage.send("First")
        await gate.reached.wait()
        second = stage.send("Second", Intent.QUEUE)
        await stage.until_waiting("Second")
        stage.do(DiscardWaiting(conversation_id=CHAT, message_ids=(second,)))
        gate.open()
        await stage.until_ended()
        await pass_ticks(20)
    assert len(provider.requests) == 1
    assert on_disk(tmp_path / "a.db").waiting == ()


@played
async def test_moving_changes_the_order_on_disk_too(tmp_path: Path) -> None:
    gate = Gate()
    provider = ScriptedProvider([TextChunk(text="One"), gate])
    async with staged(tmp_path / "a.db", provider) as stage:
        stage.send("First")
        await gate.reached.wait()
        stage.send("Second", Intent.QUEUE)
        third = stage.send("Third", Intent.QUEUE)
        await stage.until_waiting("Second", "Third")
        stage.do(MoveWaiting(conversation_id=CHAT, message_id=third, index=0))
        assert stage.waiting_texts == ["Third", "Second"]
        stage.stop()
        await stage.until_ended()
    assert [order.text for order, _ in on_disk(tmp_path / "a.db").waiting] == ["Third", "Second"]


@played
async def test_a_chip_open_for_editing_does_not_start_and_runs_with_its_new_words(
    tmp_path: Path,
) -> None:
    gate = Gate()
    provider = ScriptedProvider([TextChunk(text="One"), gate])
    async with staged(tmp_path / "a.db", provider) as stage:
        stage.send("First")
        await gate.reached.wait()
        second = stage.send("Second", Intent.QUEUE)
        await stage.until_waiting("Second")
        stage.do(BeginRevision(conversation_id=CHAT, message_id=second))
        gate.open()
        await stage.until_ended()
        await pass_ticks(20)
        assert stage.states == [("Second", WaitState.EDITING)]
        stage.do(EndRevision(conversation_id=CHAT, message_id=second, text="Better"))
        await stage.until_ended(2)
    assert asked_of(provider) == ["First", "Better"]
    assert [m.text for m in on_disk(tmp_path / "a.db").tree.path() if m.role is U] == [
        "First",
        "Better",
    ]


@pytest.mark.parametrize("text", [None, "", "   "])
@played
async def test_a_chip_left_unchanged_or_emptied_keeps_its_words(
    text: str | None, tmp_path: Path
) -> None:
    gate = Gate()
    provider = ScriptedProvider([TextChunk(text="One"), gate])
    async with staged(tmp_path / "a.db", provider) as stage:
        stage.send("First")
        await gate.reached.wait()
        second = stage.send("Second", Intent.QUEUE)
        await stage.until_waiting("Second")
        stage.do(BeginRevision(conversation_id=CHAT, message_id=second))
        stage.do(EndRevision(conversation_id=CHAT, message_id=second, text=text))
        gate.open()
        await stage.until_ended(2)
    assert asked_of(provider) == ["First", "Second"]


@played
async def test_new_words_for_an_order_that_has_just_begun_redirect_it(tmp_path: Path) -> None:
    gate = Gate()
    provider = ScriptedProvider([gate])
    async with staged(tmp_path / "a.db", provider) as stage:
        order = stage.send("Make it shorten.")
        await gate.reached.wait()
        stage.do(BeginRevision(conversation_id=CHAT, message_id=order))
        stage.do(EndRevision(conversation_id=CHAT, message_id=order, text="Make it shorter."))
        await stage.until_ended(2)
        assert asked_of(provider) == ["Make it shorter."]


@played
async def test_a_revision_that_ends_after_its_chip_was_held_is_kept(tmp_path: Path) -> None:
    gate = Gate()
    async with staged(tmp_path / "a.db", ScriptedProvider([gate])) as stage:
        stage.send("First")
        await gate.reached.wait()
        second = stage.send("Second", Intent.QUEUE)
        await stage.until_waiting("Second")
        stage.stop()
        await stage.until_ended()
        stage.do(EndRevision(conversation_id=CHAT, message_id=second, text="Better"))
        assert stage.states == [("Better", WaitState.HELD)]
    assert [order.text for order, _ in on_disk(tmp_path / "a.db").waiting] == ["Better"]


@played
async def test_promoting_a_queued_message_redirects_with_it(tmp_path: Path) -> None:
    gate = Gate()
    provider = ScriptedProvider([TextChunk(text="One"), gate])
    async with staged(tmp_path / "a.db", provider) as stage:
        stage.send("First")
        await gate.reached.wait()
        stage.send("Second", Intent.QUEUE)
        third = stage.send("Third", Intent.QUEUE)
        await stage.until_waiting("Second", "Third")
        stage.do(PromoteWaiting(conversation_id=CHAT, message_id=third))
        await stage.until_ended(3)
    assert asked_of(provider, 1) == ["First", "Third"]
    assert asked_of(provider, 2) == ["First", "Third", "Second"]
    assert isinstance(stage.outcomes[0], Stopped)


@played
async def test_a_held_message_can_be_sent_alone(tmp_path: Path) -> None:
    gate = Gate()
    provider = ScriptedProvider([gate])
    async with staged(tmp_path / "a.db", provider) as stage:
        stage.send("First")
        await gate.reached.wait()
        stage.send("Second", Intent.QUEUE)
        third = stage.send("Third", Intent.QUEUE)
        await stage.until_waiting("Second", "Third")
        stage.stop()
        await stage.until_ended()
        stage.do(PromoteWaiting(conversation_id=CHAT, message_id=third))
        await stage.until_ended(2)
        await pass_ticks(20)
        assert stage.states == [("Second", WaitState.HELD)]
    assert asked_of(provider) == ["First", "Third"]
