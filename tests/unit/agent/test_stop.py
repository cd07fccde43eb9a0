"""Stop, at every instant: what runs ends once, what waits is held, nothing of it comes back."""

import asyncio
from pathlib import Path

from app.agent.provider import ReasoningChunk, RetryAnnounced, TextChunk
from app.agent.providers.fake import Gate, ScriptedProvider
from app.core.commands import SendHeld, StopTurn
from app.core.events import (
    Completed,
    Event,
    Failed,
    HistoryChanged,
    ReasoningDelta,
    Retrying,
    Stopped,
    StopReason,
    TextDelta,
    TurnEnded,
    TurnEvent,
    TurnStarted,
)
from app.core.messages import Ending, Intent, ReasoningPart, Role, TextPart, WaitState
from tests.harness.loops import pass_ticks
from tests.unit.agent.misbehaving import (
    DROPPED,
    LATE,
    HookedProvider,
    LeakyProvider,
    SelfCancellingProvider,
    StubbornProvider,
)
from tests.unit.agent.played import played
from tests.unit.agent.stage import CHAT, Stage, on_disk, spoken, staged

A, U = Role.ASSISTANT, Role.USER


def words(*texts: str) -> list[TextChunk]:
    return [TextChunk(text=text) for text in texts]


def held(stage: Stage) -> list[str]:
    return [w.order.text for w in stage.waiting if w.state is WaitState.HELD]


def reasons(stage: Stage) -> list[StopReason]:
    return [outcome.reason for outcome in stage.outcomes if isinstance(outcome, Stopped)]


@played
async def test_stop_in_mid_stream_keeps_the_partial_in_events_and_on_disk(tmp_path: Path) -> None:
    gate = Gate()
    provider = ScriptedProvider([ReasoningChunk(text="hm"), *words("Half", " an"), gate])
    async with staged(tmp_path / "a.db", provider) as stage:
        stage.send("Hi")
        await gate.reached.wait()
        stage.stop()
        assert (await stage.until_ended()).__class__ is Stopped
    assert "".join(e.text for e in stage.all(TextDelta)) == "Half an"
    assert "".join(e.text for e in stage.all(ReasoningDelta)) == "hm"
    kept = on_disk(tmp_path / "a.db").tree.path()[-1]
    assert kept.parts == (ReasoningPart(text="hm"), TextPart(text="Half an"))
    assert kept.ending is Ending.STOPPED


@played
async def test_stop_before_the_first_word_leaves_no_empty_answer(tmp_path: Path) -> None:
    gate = Gate()
    async with staged(tmp_path / "a.db", ScriptedProvider([gate])) as stage:
        stage.send("Hi")
        await gate.reached.wait()
        stage.stop()
        await stage.until_ended()
    assert spoken(on_disk(tmp_path / "a.db").tree.path()) == [(U, "Hi")]


@played
async def test_a_worker_that_swallows_its_cancel_is_not_heard_in_the_next_turn(
    tmp_path: Path,
) -> None:
    provider = StubbornProvider()
    async with staged(tmp_path / "a.db", provider) as stage:
        stage.send("One")
        await stage.until_heard(TextDelta)
        stage.stop()
        await asyncio.sleep(0)
        stage.send("Two")
        await provider.swallowed.wait()
        second = await stage.until_heard(TurnStarted, 2)
        provider.let_go.set()
        await provider.has_ended.wait()
        assert await stage.until_ended(2) == Completed()
    assert isinstance(stage.outcomes[0], Stopped)
    assert stage.outcomes[0].closed_in_s is None, "nobody knows whether it closed"
    assert stage.said(second) == "New words"
    assert not any(LATE in repr(event) for event in stage.events)
    assert spoken(on_disk(tmp_path / "a.db").tree.path()) == [
        (U, "One"),
        (A, "Old words"),
        (U, "Two"),
        (A, "New words"),
    ]


@played
async def test_a_late_worker_is_not_heard_while_nothing_runs_either(tmp_path: Path) -> None:
    provider = StubbornProvider()
    async with staged(tmp_path / "a.db", provider) as stage:
        stage.send("One")
        await stage.until_heard(TextDelta)
        stage.stop()
        await stage.until_ended()
        provider.let_go.set()
        await provider.has_ended.wait()
    assert not any(LATE in repr(event) for event in stage.events)
    assert on_disk(tmp_path / "a.db").tree.path()[-1].text == "Old words"


@played
async def test_a_turn_that_ended_by_itself_is_not_heard_any_more(tmp_path: Path) -> None:
    async with staged(tmp_path / "a.db", provider := LeakyProvider()) as stage:
        stage.send("One")
        assert await stage.until_ended() == Completed()
        provider.let_go.set()
        assert provider.leak is not None
        await provider.leak
    assert not any(LATE in repr(event) for event in stage.events)


@played
async def test_nothing_is_told_of_the_answer_between_stop_and_the_end(tmp_path: Path) -> None:
    told: list[Event] = []

    async with staged(tmp_path / "a.db", provider := StubbornProvider()) as stage:
        stage.send("One")
        await stage.until_heard(TextDelta)
        stage.stop()
        await provider.swallowed.wait()
        stage.on_event.append(told.append)
        provider.let_go.set()
        await stage.until_ended()
    turn_events = [event for event in told if isinstance(event, TurnEvent)]
    assert [type(event) for event in turn_events] == [TurnEnded]


@played
async def test_no_retry_is_announced_after_stop(tmp_path: Path) -> None:
    gate = Gate()
    retry = RetryAnnounced(problem=DROPPED, attempt=2, attempts=4, wait_s=9.0)
    async with staged(tmp_path / "a.db", ScriptedProvider([gate, retry])) as stage:
        stage.send("Hi")
        await gate.reached.wait()
        stage.stop()
        gate.open()
        assert isinstance(await stage.until_ended(), Stopped)
    assert stage.all(Retrying) == []


@played
async def test_two_stops_are_one(tmp_path: Path) -> None:
    gate = Gate()
    async with staged(tmp_path / "a.db", ScriptedProvider([*words("Half"), gate])) as stage:
        stage.send("Hi")
        await gate.reached.wait()
        stage.stop()
        stage.stop()
        await stage.until_ended()
        stage.stop()
        await pass_ticks(20)
    assert len(stage.outcomes) == 1


@played
async def test_a_late_stop_changes_nothing(tmp_path: Path) -> None:
    gate = Gate()
    provider = ScriptedProvider(words("One"), [gate, *words("Two")])
    async with staged(tmp_path / "a.db", provider) as stage:
        stage.send("First")
        await stage.until_ended()
        stage.stop(epoch=1)
        stage.send("Second")
        await gate.reached.wait()
        stage.send("Third", Intent.QUEUE)
        stage.stop(epoch=1)
        await pass_ticks(20)
        assert held(stage) == []
        gate.open()
        await stage.until_ended(3)
    assert stage.outcomes == [Completed()] * 3


@played
async def test_stop_between_enter_and_the_start_holds_the_message(tmp_path: Path) -> None:
    async with staged(tmp_path / "a.db", provider := ScriptedProvider()) as stage:
        stage.send("Hi")
        stage.stop(epoch=1)
        await stage.until(lambda: held(stage) == ["Hi"])
        await stage.until(lambda: stage.waiting[0].state is WaitState.HELD)
        await pass_ticks(50)
        assert stage.all(TurnStarted) == []
        stage.do(SendHeld(conversation_id=CHAT))
        assert await stage.until_ended() == Completed()
    assert len(provider.requests) == 1


@played
async def test_stop_while_a_redirect_is_cancelling_holds_the_redirect(tmp_path: Path) -> None:
    async with staged(tmp_path / "a.db", provider := StubbornProvider()) as stage:
        stage.send("One")
        await stage.until_heard(TextDelta)
        stage.send("Two")
        await provider.swallowed.wait()
        stage.stop(epoch=2)
        await stage.until(lambda: held(stage) == ["Two"])
        provider.let_go.set()
        await stage.until_ended()
        await pass_ticks(50)
    assert reasons(stage) == [StopReason.REDIRECT]
    assert len(provider.requests) == 1
    stored = on_disk(tmp_path / "a.db")
    assert [order.text for order, _ in stored.waiting] == ["Two"]


@played
async def test_a_stop_that_expected_the_redirect_reaches_it_once_it_runs(tmp_path: Path) -> None:
    first, second = Gate(), Gate()
    async with staged(tmp_path / "a.db", ScriptedProvider([first], [second])) as stage:
        stage.send("One")
        await first.reached.wait()
        stage.send("Two")
        await second.reached.wait()
        stage.stop(epoch=2)
        await stage.until_ended(2)
    assert reasons(stage) == [StopReason.REDIRECT, StopReason.PERSON]


@played
async def test_a_stop_that_outruns_its_own_command_still_holds_what_waits(tmp_path: Path) -> None:
    # The turn is in its last step: it ends before the command, which is in line, is handled.
    async with staged(tmp_path / "a.db", provider := ScriptedProvider()) as stage:

        def queue_and_stop(event: Event) -> None:
            if isinstance(event, HistoryChanged) and event.added[-1].role is A:
                stage.send("Queued", Intent.QUEUE)
                stage.stop()

        stage.on_event.append(queue_and_stop)
        stage.send("One")
        assert await stage.until_ended() == Completed()
        assert held(stage) == ["Queued"]
        await pass_ticks(50)
    assert len(provider.requests) == 1


@played
async def test_an_answer_that_lost_its_last_words_to_stop_is_not_called_whole(
    tmp_path: Path,
) -> None:
    provider = HookedProvider()
    async with staged(tmp_path / "a.db", provider) as stage:
        provider.during = stage.stop
        stage.send("Hi")
        assert isinstance(await stage.until_ended(), Stopped)
    kept = on_disk(tmp_path / "a.db").tree.path()[-1]
    assert (kept.text, kept.ending) == ("You wrote: ", Ending.STOPPED)


@played
async def test_something_inside_that_cancels_itself_fails_the_turn_and_not_the_session(
    tmp_path: Path,
) -> None:
    async with staged(tmp_path / "a.db", SelfCancellingProvider()) as stage:
        stage.send("One")
        assert isinstance(await stage.until_ended(), Failed)
        stage.send("Two")
        assert await stage.until_ended(2) == Completed()


@played
async def test_a_stop_for_an_unknown_conversation_is_harmless(tmp_path: Path) -> None:
    async with staged(tmp_path / "a.db", ScriptedProvider()) as stage:
        stage.do(StopTurn(conversation_id=CHAT, epoch=0))
        stage.send("Hi")
        assert await stage.until_ended() == Completed()
