"""What waits: queued and held messages, through stops, failures and restarts."""

from pathlib import Path

import pytest

from app.agent.provider import TextChunk
from app.agent.providers.fake import Gate, ScriptedProvider
from app.core.commands import (
    SendHeld,
)
from app.core.errors import Problem, ProblemKind
from app.core.events import (
    Completed,
    ConversationOpened,
    Failed,
    QueueChanged,
    TurnStarted,
)
from app.core.messages import Intent, Role, WaitState
from tests.harness.loops import pass_ticks
from tests.unit.agent.played import played
from tests.unit.agent.stage import CHAT, asked_of, on_disk, spoken, staged

U = Role.USER
SERVER_FAULT = Problem(kind=ProblemKind.SERVER_FAULT)


@played
async def test_queued_messages_wait_and_run_one_turn_each(tmp_path: Path) -> None:
    gate = Gate()
    provider = ScriptedProvider([TextChunk(text="One"), gate])
    async with staged(tmp_path / "a.db", provider) as stage:
        stage.send("First")
        await gate.reached.wait()
        stage.send("Second", Intent.QUEUE)
        stage.send("Third", Intent.QUEUE)
        await stage.until_waiting("Second", "Third")
        await pass_ticks(20)
        assert len(provider.requests) == 1
        gate.open()
        await stage.until_ended(3)
    assert asked_of(provider, 1) == ["First", "Second"]
    assert asked_of(provider, 2) == ["First", "Second", "Third"]


@played
async def test_stop_holds_what_waits_and_a_new_message_runs_alone(tmp_path: Path) -> None:
    gate = Gate()
    provider = ScriptedProvider([TextChunk(text="One"), gate])
    async with staged(tmp_path / "a.db", provider) as stage:
        stage.send("First")
        await gate.reached.wait()
        stage.send("Queued", Intent.QUEUE)
        await stage.until_waiting("Queued")
        stage.stop()
        await stage.until_ended()
        assert stage.states == [("Queued", WaitState.HELD)]
        stage.send("New")
        assert await stage.until_ended(2) == Completed()
        await pass_ticks(20)
        assert stage.states == [("Queued", WaitState.HELD)]
        stage.do(SendHeld(conversation_id=CHAT))
        assert await stage.until_ended(3) == Completed()
    assert asked_of(provider, 1) == ["First", "New"]
    assert asked_of(provider, 2) == ["First", "New", "Queued"]


@played
async def test_a_failed_turn_holds_the_queue(tmp_path: Path) -> None:
    gate = Gate()
    provider = ScriptedProvider([gate, SERVER_FAULT])
    async with staged(tmp_path / "a.db", provider) as stage:
        stage.send("First")
        await gate.reached.wait()
        await stage.until_saved(stage.send("Queued", Intent.QUEUE))
        gate.open()
        assert isinstance(await stage.until_ended(), Failed)
        await pass_ticks(20)
        assert stage.states == [("Queued", WaitState.HELD)]
    assert len(provider.requests) == 1


@played
async def test_after_a_restart_everything_is_held_and_nothing_runs_by_itself(
    tmp_path: Path,
) -> None:
    gate = Gate()
    provider = ScriptedProvider([TextChunk(text="One"), gate])
    async with staged(tmp_path / "a.db", provider) as stage:
        stage.send("First")
        await gate.reached.wait()
        stage.send("Second", Intent.QUEUE)
        stage.send("Third", Intent.QUEUE)
        await stage.until_waiting("Second", "Third")
    again = ScriptedProvider()
    async with staged(tmp_path / "a.db", again, chat=None) as stage:
        stage.open()
        await stage.until_heard(ConversationOpened)
        await pass_ticks(50)
        assert again.requests == []
        held = stage.all(ConversationOpened)[0].waiting
        assert [(w.order.text, w.state) for w in held] == [
            ("Second", WaitState.HELD),
            ("Third", WaitState.HELD),
        ]
        stage.do(SendHeld(conversation_id=CHAT))
        await stage.until_ended(2)
    assert asked_of(again) == ["First", "Second", "Third"]
    assert [e.epoch for e in stage.all(TurnStarted)] == [2, 3]


@played
async def test_quit_holds_what_waits_on_disk(tmp_path: Path) -> None:
    gate = Gate()
    async with staged(tmp_path / "a.db", ScriptedProvider([gate])) as stage:
        stage.send("First")
        await gate.reached.wait()
        stage.send("Second", Intent.QUEUE)  # not even saved when Quit comes
    kept = on_disk(tmp_path / "a.db")
    assert [order.text for order, _ in kept.waiting] == ["Second"]
    assert spoken(kept.tree.path()) == [(U, "First")]


@played
async def test_the_same_message_sent_twice_runs_once(tmp_path: Path) -> None:
    provider = ScriptedProvider()
    async with staged(tmp_path / "a.db", provider) as stage:
        stage.send("Hi")
        order = stage.all(QueueChanged)[0].waiting[0].order
        session = stage.sessions.session(CHAT)
        assert session is not None
        assert not session.submit(order, Intent.REDIRECT)
        await stage.until_ended()
        assert not session.submit(order, Intent.REDIRECT)
        await pass_ticks(20)
    assert len(provider.requests) == 1


@pytest.mark.parametrize("text", ["", "  \n "])
@played
async def test_a_message_that_says_nothing_is_not_accepted(text: str, tmp_path: Path) -> None:
    provider = ScriptedProvider()
    async with staged(tmp_path / "a.db", provider) as stage:
        stage.send(text)
        await pass_ticks(20)
        assert stage.all(QueueChanged) == []
    assert provider.requests == []
