"""What waits: steers, queued messages, held ones, and what the person does with them."""

from collections.abc import Iterator
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
    SendHeld,
)
from app.core.errors import Problem, ProblemKind
from app.core.events import (
    Completed,
    ConversationOpened,
    Failed,
    QueueChanged,
    Stopped,
    ToolStarted,
    TurnStarted,
)
from app.core.ids import CallId
from app.core.messages import Intent, Role, ToolCallPart, WaitState
from tests.fakes.script import ToolCall, calling, saying
from tests.fakes.server import FakeServer
from tests.harness.loops import pass_ticks
from tests.unit.agent.misbehaving import HookedTool
from tests.unit.agent.played import played
from tests.unit.agent.stage import CHAT, Stage, on_disk, spoken, staged
from tests.unit.agent.wire import asking

A, U, T = Role.ASSISTANT, Role.USER, Role.TOOL
CALL = ToolCallPart(call_id=CallId("1"), name="hooked", arguments="{}")
SERVER_FAULT = Problem(kind=ProblemKind.SERVER_FAULT)


@pytest.fixture
def server() -> Iterator[FakeServer]:
    with FakeServer() as running:
        yield running


def asked(provider: ScriptedProvider, index: int = -1) -> list[str]:
    return [m.text for m in provider.requests[index].messages if m.role is U]


def states(stage: Stage) -> list[tuple[str, WaitState]]:
    return [(waiting.order.text, waiting.state) for waiting in stage.waiting]


async def until_waiting(stage: Stage, *texts: str) -> None:
    wanted = [(text, WaitState.WAITING) for text in texts]
    await stage.until(lambda: states(stage) == wanted)


@played
async def test_a_steer_with_a_tool_step_ahead_is_passed_on_there(tmp_path: Path) -> None:
    tool = HookedTool()
    tool.waits = True
    provider = ScriptedProvider([CALL], [TextChunk(text="Done")])
    async with staged(tmp_path / "a.db", provider, tool) as stage:
        stage.send("Work")
        await tool.started.wait()
        steer = stage.send("By the way", Intent.STEER)
        await stage.until_saved(steer)
        assert states(stage) == [("By the way", WaitState.WAITING)]
        tool.let_go.set()
        assert await stage.until_ended() == Completed()
    assert len(stage.all(TurnStarted)) == 1
    assert asked(provider) == ["Work", "By the way"]
    kept = on_disk(tmp_path / "a.db")
    assert kept.waiting == ()
    assert [(m.role, m.steered) for m in kept.tree.path()] == [
        (U, False),
        (A, False),
        (T, False),
        (U, True),
        (A, False),
    ]


@played
async def test_a_steer_with_no_step_ahead_becomes_the_next_turn(tmp_path: Path) -> None:
    gate = Gate()
    provider = ScriptedProvider([TextChunk(text="One"), gate])
    async with staged(tmp_path / "a.db", provider, HookedTool()) as stage:
        stage.send("Talk")
        await gate.reached.wait()
        first, second = stage.send("Aside", Intent.STEER), stage.send("Another", Intent.STEER)
        await stage.until_saved(second)
        await stage.until_saved(first)
        gate.open()
        assert await stage.until_ended(2) == Completed()
    assert asked(provider) == ["Talk", "Aside", "Another"]
    assert len(provider.requests) == 2
    assert stage.outcomes == [Completed(), Completed()]


@played
async def test_a_steer_to_a_turn_without_tools_is_queued(tmp_path: Path) -> None:
    gate = Gate()
    provider = ScriptedProvider([TextChunk(text="One"), gate])
    async with staged(tmp_path / "a.db", provider) as stage:
        stage.send("Talk")
        await gate.reached.wait()
        stage.send("Aside", Intent.STEER)
        assert [waiting.intent for waiting in stage.waiting] == [Intent.QUEUE]
        gate.open()
        await stage.until_ended(2)


@played
async def test_a_strict_server_gets_the_steer_inside_the_tool_result(
    server: FakeServer, tmp_path: Path
) -> None:
    server.user_after_tool = False
    server.script(calling(ToolCall("hooked")), saying("Done"), saying("Welcome"))
    tool = HookedTool()
    tool.waits = True
    provider = asking(server.url, user_after_tool=False)
    async with staged(tmp_path / "a.db", provider, tool) as stage:
        stage.send("Work")
        await tool.started.wait()
        await stage.until_saved(stage.send("By the way", Intent.STEER))
        tool.let_go.set()
        assert await stage.until_ended() == Completed()
        stage.send("Thanks")
        assert await stage.until_ended(2) == Completed()
    assert server.log.violations == []
    roles = [message["role"] for message in server.log.chats[1].messages]
    assert roles == ["user", "assistant", "tool"]
    assert "By the way" in server.log.chats[1].messages[-1]["content"]


@played
async def test_a_server_that_allows_it_gets_the_steer_as_a_message(
    server: FakeServer, tmp_path: Path
) -> None:
    server.script(calling(ToolCall("hooked")), saying("Done"))
    tool = HookedTool()
    tool.waits = True
    async with staged(tmp_path / "a.db", asking(server.url), tool) as stage:
        stage.send("Work")
        await tool.started.wait()
        await stage.until_saved(stage.send("By the way", Intent.STEER))
        tool.let_go.set()
        assert await stage.until_ended() == Completed()
    assert server.log.violations == []
    assert server.log.chats[1].messages[-1] == {"role": "user", "content": "By the way"}


@played
async def test_a_steer_is_held_when_stop_hits_the_tool(tmp_path: Path) -> None:
    tool = HookedTool()
    tool.waits = True
    provider = ScriptedProvider([CALL])
    async with staged(tmp_path / "a.db", provider, tool) as stage:
        stage.send("Work")
        await tool.started.wait()
        await stage.until_saved(stage.send("By the way", Intent.STEER))
        stage.stop()
        assert isinstance(await stage.until_ended(), Stopped)
        assert states(stage) == [("By the way", WaitState.HELD)]
    assert len(provider.requests) == 1


@played
async def test_a_steer_is_not_passed_on_to_a_turn_that_stop_has_reached_directly(
    tmp_path: Path,
) -> None:
    # The tool is done, the token is cancelled, the command is still in line.
    tool = HookedTool()
    tool.waits = True
    async with staged(tmp_path / "a.db", ScriptedProvider([CALL]), tool) as stage:
        stage.send("Work")
        await tool.started.wait()
        await stage.until_saved(stage.send("By the way", Intent.STEER))
        tool.let_go.set()
        tool.on_done = stage.stop
        assert isinstance(await stage.until_ended(), Stopped)
        assert states(stage) == [("By the way", WaitState.HELD)]
    assert [m.text for m in on_disk(tmp_path / "a.db").tree.path() if m.role is U] == ["Work"]


@played
async def test_queued_messages_wait_and_run_one_turn_each(tmp_path: Path) -> None:
    gate = Gate()
    provider = ScriptedProvider([TextChunk(text="One"), gate])
    async with staged(tmp_path / "a.db", provider) as stage:
        stage.send("First")
        await gate.reached.wait()
        stage.send("Second", Intent.QUEUE)
        stage.send("Third", Intent.QUEUE)
        await until_waiting(stage, "Second", "Third")
        await pass_ticks(20)
        assert len(provider.requests) == 1
        gate.open()
        await stage.until_ended(3)
    assert asked(provider, 1) == ["First", "Second"]
    assert asked(provider, 2) == ["First", "Second", "Third"]


@played
async def test_stop_holds_what_waits_and_a_new_message_runs_alone(tmp_path: Path) -> None:
    gate = Gate()
    provider = ScriptedProvider([TextChunk(text="One"), gate])
    async with staged(tmp_path / "a.db", provider) as stage:
        stage.send("First")
        await gate.reached.wait()
        stage.send("Queued", Intent.QUEUE)
        await until_waiting(stage, "Queued")
        stage.stop()
        await stage.until_ended()
        assert states(stage) == [("Queued", WaitState.HELD)]
        stage.send("New")
        assert await stage.until_ended(2) == Completed()
        await pass_ticks(20)
        assert states(stage) == [("Queued", WaitState.HELD)]
        stage.do(SendHeld(conversation_id=CHAT))
        assert await stage.until_ended(3) == Completed()
    assert asked(provider, 1) == ["First", "New"]
    assert asked(provider, 2) == ["First", "New", "Queued"]


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
        assert states(stage) == [("Queued", WaitState.HELD)]
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
        await until_waiting(stage, "Second", "Third")
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
    assert asked(again) == ["First", "Second", "Third"]
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
async def test_a_discarded_message_comes_back_where_it_was_and_held(tmp_path: Path) -> None:
    gate = Gate()
    provider = ScriptedProvider([TextChunk(text="One"), gate])
    async with staged(tmp_path / "a.db", provider) as stage:
        stage.send("First")
        await gate.reached.wait()
        second = stage.send("Second", Intent.QUEUE)
        stage.send("Third", Intent.QUEUE)
        await until_waiting(stage, "Second", "Third")
        stage.do(DiscardWaiting(conversation_id=CHAT, message_ids=(second,)))
        assert stage.waiting_texts == ["Third"]
        stage.do(RestoreWaiting(conversation_id=CHAT, message_id=second))
        assert states(stage) == [("Second", WaitState.HELD), ("Third", WaitState.WAITING)]
        gate.open()
        await stage.until_ended(2)
        await pass_ticks(20)
        assert states(stage) == [("Second", WaitState.HELD)]
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
        await until_waiting(stage, "Second")
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
        await until_waiting(stage, "Second", "Third")
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
        await until_waiting(stage, "Second")
        stage.do(BeginRevision(conversation_id=CHAT, message_id=second))
        gate.open()
        await stage.until_ended()
        await pass_ticks(20)
        assert states(stage) == [("Second", WaitState.EDITING)]
        stage.do(EndRevision(conversation_id=CHAT, message_id=second, text="Better"))
        await stage.until_ended(2)
    assert asked(provider) == ["First", "Better"]
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
        await until_waiting(stage, "Second")
        stage.do(BeginRevision(conversation_id=CHAT, message_id=second))
        stage.do(EndRevision(conversation_id=CHAT, message_id=second, text=text))
        gate.open()
        await stage.until_ended(2)
    assert asked(provider) == ["First", "Second"]


@played
async def test_a_revision_that_ends_after_its_chip_was_held_is_kept(tmp_path: Path) -> None:
    gate = Gate()
    async with staged(tmp_path / "a.db", ScriptedProvider([gate])) as stage:
        stage.send("First")
        await gate.reached.wait()
        second = stage.send("Second", Intent.QUEUE)
        await until_waiting(stage, "Second")
        stage.stop()
        await stage.until_ended()
        stage.do(EndRevision(conversation_id=CHAT, message_id=second, text="Better"))
        assert states(stage) == [("Better", WaitState.HELD)]
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
        await until_waiting(stage, "Second", "Third")
        stage.do(PromoteWaiting(conversation_id=CHAT, message_id=third))
        await stage.until_ended(3)
    assert asked(provider, 1) == ["First", "Third"]
    assert asked(provider, 2) == ["First", "Third", "Second"]
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
        await until_waiting(stage, "Second", "Third")
        stage.stop()
        await stage.until_ended()
        stage.do(PromoteWaiting(conversation_id=CHAT, message_id=third))
        await stage.until_ended(2)
        await pass_ticks(20)
        assert states(stage) == [("Second", WaitState.HELD)]
    assert asked(provider) == ["First", "Third"]


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


@played
async def test_no_tool_starts_after_stop(tmp_path: Path) -> None:
    tool = HookedTool()
    calls = [ToolCallPart(call_id=CallId(n), name="hooked", arguments="{}") for n in "12"]
    async with staged(tmp_path / "a.db", ScriptedProvider(calls), tool) as stage:
        tool.on_done = stage.stop
        stage.send("Work")
        assert isinstance(await stage.until_ended(), Stopped)
    assert len(tool.calls) == 1
    assert [event.call_id for event in stage.all(ToolStarted)] == ["1"]
