"""Whatever the model asks for and the tool does, there is a result that the model can read."""

import asyncio
from datetime import UTC, datetime, tzinfo
from pathlib import Path

import pytest

from app.agent.provider import TextChunk
from app.agent.providers.fake import Gate, ScriptedProvider
from app.agent.repair import NOT_RUN
from app.agent.tools.current_time import CurrentTime
from app.agent.tools.tool import Toolbox, ToolFailed
from app.core.errors import ProblemKind
from app.core.events import Completed, Failed, Stopped, StopReason, ToolFinished, ToolOutput
from app.core.ids import CallId
from app.core.messages import Role, ToolCallPart, ToolResultPart
from app.core.tokens import Cancelled, CancelToken
from tests.unit.agent.misbehaving import LATE, HookedTool
from tests.unit.agent.played import played
from tests.unit.agent.stage import Stage, on_disk, staged


def call(name: str = "hooked", arguments: str = "{}", call_id: str = "1") -> ToolCallPart:
    return ToolCallPart(call_id=CallId(call_id), name=name, arguments=arguments)


async def run(tool: HookedTool | CurrentTime, asked: ToolCallPart) -> ToolResultPart:
    return await Toolbox([tool]).run(asked, CancelToken(), lambda _: None)


@played
async def test_a_tool_gets_its_arguments_and_its_words_become_the_result() -> None:
    tool = HookedTool()
    result = await run(tool, call(arguments='{"a": 1}'))
    assert tool.calls == [{"a": 1}]
    assert (result.content, result.is_error, result.call_id) == ("done", False, "1")


@pytest.mark.parametrize("arguments", ["{", "[]", "3", "null", "[" * 100_000])
@played
async def test_arguments_that_are_no_object_are_told_to_the_model(arguments: str) -> None:
    tool = HookedTool()
    result = await run(tool, call(arguments=arguments))
    assert result.is_error
    assert "JSON" in result.content
    assert tool.calls == []


@played
async def test_no_arguments_at_all_are_an_empty_object() -> None:
    tool = HookedTool()
    assert not (await run(tool, call(arguments=""))).is_error
    assert tool.calls == [{}]


@played
async def test_an_unknown_tool_is_told_to_the_model() -> None:
    result = await run(HookedTool(), call(name="rocket"))
    assert (result.is_error, result.content) == (True, "There is no tool named rocket.")


@pytest.mark.parametrize("error", [ToolFailed("No."), ValueError("No.")])
@played
async def test_a_tool_that_raises_is_told_to_the_model(error: Exception) -> None:
    tool = HookedTool()
    tool.raises = error
    result = await run(tool, call())
    assert result.is_error
    assert "No." in result.content


@played
async def test_a_tool_that_ignores_its_cancel_is_left_behind() -> None:
    tool = HookedTool()
    tool.waits = tool.is_stubborn = True
    token = CancelToken()
    running = asyncio.ensure_future(Toolbox([tool]).run(call(), token, lambda _: None))
    await tool.started.wait()
    token.cancel(StopReason.PERSON)
    with pytest.raises(Cancelled) as cancelled:
        await running
    assert cancelled.value.abandoned
    tool.let_go.set()


def results_of(stage: Stage) -> list[str]:
    return [event.content for event in stage.all(ToolFinished)]


@played
async def test_a_turn_asks_runs_and_asks_again(tmp_path: Path) -> None:
    provider = ScriptedProvider([call()], [TextChunk(text="It is done.")])
    async with staged(tmp_path / "a.db", provider, HookedTool()) as stage:
        stage.send("Work")
        assert await stage.until_ended() == Completed()
    assert results_of(stage) == ["done"]
    assert provider.requests[0].tools == (HookedTool().spec,)
    roles = [message.role for message in provider.requests[1].messages]
    assert roles == [Role.USER, Role.ASSISTANT, Role.TOOL]


@played
async def test_a_tool_that_fails_does_not_fail_the_turn(tmp_path: Path) -> None:
    tool = HookedTool()
    tool.raises = RuntimeError("broken")
    provider = ScriptedProvider([call()], [TextChunk(text="It could not.")])
    async with staged(tmp_path / "a.db", provider, tool) as stage:
        stage.send("Work")
        assert await stage.until_ended() == Completed()
    assert "broken" in results_of(stage)[0]


@played
async def test_stop_ends_a_running_tool_and_says_so_in_the_history(tmp_path: Path) -> None:
    tool = HookedTool()
    tool.waits = True
    provider = ScriptedProvider([call(call_id="1"), call(call_id="2")])
    async with staged(tmp_path / "a.db", provider, tool) as stage:
        stage.send("Work")
        await tool.started.wait()
        stage.stop()
        assert isinstance(await stage.until_ended(), Stopped)
    assert results_of(stage) == ["Stopped."]
    (result,) = on_disk(tmp_path / "a.db").tree.path()[-1].parts
    assert isinstance(result, ToolResultPart)
    assert (result.call_id, result.content) == ("1", "Stopped.")
    assert result.content != NOT_RUN, "it was begun"


@played
async def test_a_tool_that_talks_while_it_unwinds_is_not_heard(tmp_path: Path) -> None:
    tool = HookedTool()
    tool.waits = True
    tool.last_words = LATE
    async with staged(tmp_path / "a.db", ScriptedProvider([call()]), tool) as stage:
        stage.send("Work")
        await tool.started.wait()
        stage.stop()
        await stage.until_ended()
    assert [event.text for event in stage.all(ToolOutput)] == ["working"]


@played
async def test_a_tool_is_not_heard_after_its_own_end(tmp_path: Path) -> None:
    tool, gate = HookedTool(), Gate()
    provider = ScriptedProvider([call()], [gate, TextChunk(text="It is done.")])
    async with staged(tmp_path / "a.db", provider, tool) as stage:
        stage.send("Work")
        await gate.reached.wait()
        tool.output("while the turn goes on")
        gate.open()
        assert await stage.until_ended() == Completed()
        tool.output("when it is over")
    assert [event.text for event in stage.all(ToolOutput)] == ["working", LATE]


@played
async def test_an_abandoned_tool_is_not_heard_any_more(tmp_path: Path) -> None:
    tool = HookedTool()
    tool.waits = tool.is_stubborn = True
    async with staged(tmp_path / "a.db", ScriptedProvider([call()]), tool) as stage:
        stage.send("Work")
        await tool.started.wait()
        stage.stop()
        assert isinstance(await stage.until_ended(), Stopped)
        tool.let_go.set()
        stage.send("Hello")
        assert await stage.until_ended(2) == Completed()
    assert LATE not in [event.text for event in stage.all(ToolOutput)]


@played
async def test_a_tool_loop_without_end_is_ended(tmp_path: Path) -> None:
    scripts = [[call(call_id=str(n))] for n in range(60)]
    async with staged(tmp_path / "a.db", ScriptedProvider(*scripts), HookedTool()) as stage:
        stage.send("Work")
        outcome = await stage.until_ended()
        assert isinstance(outcome, Failed)
        assert outcome.problem.kind is ProblemKind.TOO_MANY_STEPS


def noon(zone: tzinfo | None) -> datetime:
    return datetime(2026, 11, 18, 12, tzinfo=UTC).astimezone(zone)


@played
async def test_the_time_is_told_in_the_zone_that_is_asked_for() -> None:
    asked = call("current_time", '{"timezone": "Asia/Tokyo"}')
    result = await run(CurrentTime(noon), asked)
    assert result.content == "Wednesday 18 November 2026, 21:00:00 JST (UTC+0900)"


@played
async def test_the_time_is_told_without_a_zone_too() -> None:
    result = await run(CurrentTime(), call("current_time"))
    assert not result.is_error
    assert "(UTC" in result.content


@pytest.mark.parametrize("zone", ["Atlantis", "../../etc/passwd", "/etc", "America", "a\\u0000b"])
@played
async def test_a_zone_that_does_not_exist_is_told_to_the_model(zone: str) -> None:
    result = await run(CurrentTime(noon), call("current_time", f'{{"timezone": "{zone}"}}'))
    assert result.is_error
    assert "no time zone" in result.content
