"""Steers: passed on at the next step, else the next turn, never stranded."""

from pathlib import Path

from app.agent.provider import TextChunk
from app.agent.providers.fake import Gate, ScriptedProvider
from app.core.events import (
    Completed,
    Event,
    HistoryChanged,
    Stopped,
    StopReason,
    ToolFinished,
    ToolStarted,
    TurnStarted,
)
from app.core.ids import CallId
from app.core.messages import Intent, Role, ToolCallPart, WaitState
from tests.fakes.script import ToolCall, calling, saying
from tests.fakes.server import FakeServer
from tests.unit.agent.misbehaving import HookedTool
from tests.unit.agent.played import played
from tests.unit.agent.stage import asked_of, on_disk, staged
from tests.unit.agent.wire import asking

A, U, T = Role.ASSISTANT, Role.USER, Role.TOOL
CALL = ToolCallPart(call_id=CallId("1"), name="hooked", arguments="{}")


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
        assert stage.states == [("By the way", WaitState.WAITING)]
        tool.let_go.set()
        assert await stage.until_ended() == Completed()
    assert len(stage.all(TurnStarted)) == 1
    assert asked_of(provider) == ["Work", "By the way"]
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
    assert asked_of(provider) == ["Talk", "Aside", "Another"]
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
async def test_a_stop_between_two_requests_claims_no_closed_connection(tmp_path: Path) -> None:
    tool = HookedTool()
    tool.waits = True
    async with staged(tmp_path / "a.db", ScriptedProvider([CALL]), tool) as stage:

        def stop_at_the_step(event: Event) -> None:
            if isinstance(event, HistoryChanged) and any(m.steered for m in event.added):
                stage.stop()

        stage.on_event.append(stop_at_the_step)
        stage.send("Work")
        await tool.started.wait()
        await stage.until_saved(stage.send("By the way", Intent.STEER))
        tool.let_go.set()
        assert await stage.until_ended() == Stopped(reason=StopReason.PERSON, closed_in_s=None)


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
        assert stage.states == [("By the way", WaitState.HELD)]
    assert len(provider.requests) == 1


@played
async def test_a_steer_is_not_passed_on_to_a_turn_that_stop_has_reached_directly(
    tmp_path: Path,
) -> None:
    # The tool is done, the token is cancelled, the command is in line behind this very step.
    tool = HookedTool()
    tool.waits = True
    async with staged(tmp_path / "a.db", ScriptedProvider([CALL]), tool) as stage:
        stage.send("Work")
        await tool.started.wait()
        await stage.until_saved(stage.send("By the way", Intent.STEER))
        stage.on_event.append(lambda e: stage.stop() if isinstance(e, ToolFinished) else None)
        tool.let_go.set()
        assert isinstance(await stage.until_ended(), Stopped)
        assert stage.states == [("By the way", WaitState.HELD)]
    assert [m.text for m in on_disk(tmp_path / "a.db").tree.path() if m.role is U] == ["Work"]


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
