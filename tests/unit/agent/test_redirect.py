"""A redirect at every instant: it runs next, exactly once, and nothing ends the turn after it."""

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest

from app.agent.provider import TextChunk
from app.agent.providers.fake import Gate, ScriptedProvider
from app.core.events import (
    Completed,
    ConversationEvent,
    Event,
    HistoryChanged,
    MessageCommitted,
    RequestSent,
    RequestStarted,
    Retrying,
    Stopped,
    StopReason,
    TextDelta,
    TurnEnded,
    TurnStarted,
)
from app.core.messages import Ending, Role
from tests.fakes.script import failing, gated
from tests.fakes.server import FakeServer
from tests.unit.agent.misbehaving import HookedProvider, StubbornProvider
from tests.unit.agent.played import played
from tests.unit.agent.stage import Stage, on_disk, spoken, staged
from tests.unit.agent.wire import asked_texts, asking

A, U = Role.ASSISTANT, Role.USER


def once(kind: type[ConversationEvent], act: Callable[[], object]) -> Callable[[Event], None]:
    """Act the first time that something of this kind is told, in the middle of telling it."""
    done: list[bool] = []

    def listen(event: Event) -> None:
        if isinstance(event, kind) and not done:
            done.append(True)
            act()

    return listen


def check_redirected(stage: Stage, path: Path, requests: list[list[str]]) -> None:
    """The redirect is in the history once, was asked once, last, and was answered whole."""
    kept = on_disk(path)
    users = [message.text for message in kept.tree.path() if message.role is U]
    assert users == ["One", "Two"]
    assert kept.waiting == ()
    assert stage.outcomes[-1] == Completed()
    assert requests[-1] == ["One", "Two"]
    assert len([asked for asked in requests if "Two" in asked]) == 1
    assert kept.tree.path()[-1].ending is Ending.COMPLETE


def asked(provider: HookedProvider | ScriptedProvider | StubbornProvider) -> list[list[str]]:
    return [[m.text for m in r.messages if m.role is U] for r in provider.requests]


INSTANTS: list[type[ConversationEvent]] = [
    MessageCommitted,
    HistoryChanged,
    TurnStarted,
    RequestStarted,
    RequestSent,
    TextDelta,
    TurnEnded,
]


@pytest.mark.parametrize("instant", INSTANTS, ids=lambda kind: kind.__name__)
@played
async def test_a_redirect_in_the_midst_of_an_event_runs_next_once(
    instant: type[ConversationEvent], tmp_path: Path
) -> None:
    async with staged(tmp_path / "a.db", provider := ScriptedProvider()) as stage:
        stage.on_event.append(once(instant, lambda: stage.send("Two")))
        stage.send("One")
        await stage.until(lambda: spoken_last(stage) == "You wrote: Two")
        await stage.until(lambda: len(stage.all(TurnEnded)) == len(stage.all(TurnStarted)))
    check_redirected(stage, tmp_path / "a.db", asked(provider))


def spoken_last(stage: Stage) -> str:
    return stage.said(stage.all(TurnStarted)[-1]) if stage.all(TurnStarted) else ""


@played
async def test_a_redirect_before_the_turn_task_took_its_first_step(tmp_path: Path) -> None:
    async with staged(tmp_path / "a.db", provider := ScriptedProvider()) as stage:
        soon = asyncio.get_running_loop().call_soon
        stage.on_event.append(once(TurnStarted, lambda: soon(stage.send, "Two")))
        stage.send("One")
        await stage.until_ended(2)
    check_redirected(stage, tmp_path / "a.db", asked(provider))


@played
async def test_a_redirect_after_the_last_check_of_a_finishing_turn(tmp_path: Path) -> None:
    # The answer is whole and nothing looks at the token any more.
    provider = HookedProvider()
    async with staged(tmp_path / "a.db", provider) as stage:

        def redirect_behind_the_last_step() -> None:
            provider.during = lambda: None
            asyncio.get_running_loop().call_soon(stage.send, "Two")

        provider.during = redirect_behind_the_last_step
        stage.send("One")
        await stage.until_ended(2)
    check_redirected(stage, tmp_path / "a.db", asked(provider))


@played
async def test_a_redirect_after_the_turn_finished(tmp_path: Path) -> None:
    async with staged(tmp_path / "a.db", provider := ScriptedProvider()) as stage:
        stage.send("One")
        await stage.until_ended()
        stage.send("Two")
        await stage.until_ended(2)
    check_redirected(stage, tmp_path / "a.db", asked(provider))
    assert stage.outcomes == [Completed(), Completed()]


@played
async def test_a_redirect_while_another_is_cancelling_joins_it(tmp_path: Path) -> None:
    async with staged(tmp_path / "a.db", provider := StubbornProvider()) as stage:
        stage.send("One")
        await stage.until_heard(TextDelta)
        stage.send("Two")
        await provider.swallowed.wait()
        stage.send("Three")
        provider.let_go.set()
        assert await stage.until_ended(2) == Completed()
    assert asked(provider) == [["One"], ["One", "Two", "Three"]]
    assert spoken(on_disk(tmp_path / "a.db").tree.path()) == [
        (U, "One"),
        (A, "Old words"),
        (U, "Two"),
        (U, "Three"),
        (A, "New words"),
    ]


@played
async def test_a_redirect_while_stopping_runs_although_the_rest_is_held(tmp_path: Path) -> None:
    async with staged(tmp_path / "a.db", provider := StubbornProvider()) as stage:
        stage.send("One")
        await stage.until_heard(TextDelta)
        stage.stop()
        await provider.swallowed.wait()
        stage.send("Two")
        provider.let_go.set()
        await stage.until_ended(2)
    check_redirected(stage, tmp_path / "a.db", asked(provider))
    assert stage.outcomes[0].__class__ is Stopped


@played
async def test_a_redirect_in_a_retry_wait_runs_at_once(server: FakeServer, tmp_path: Path) -> None:
    server.script(failing(503, retry_after="30"))
    async with staged(tmp_path / "a.db", asking(server.url)) as stage:
        stage.send("One")
        await stage.until_heard(Retrying)
        stage.send("Two")
        await stage.until_ended(2)
    assert len(server.log.chats) == 2
    assert asked_texts(server) == ["One\n\nTwo"]
    assert server.log.violations == []
    assert stage.outcomes[-1] == Completed()


@played
async def test_the_redirected_answer_is_kept_and_says_so(tmp_path: Path) -> None:
    gate = Gate()
    provider = ScriptedProvider([TextChunk(text="Half an"), gate])
    async with staged(tmp_path / "a.db", provider) as stage:
        stage.send("One")
        await gate.reached.wait()
        stage.send("Two")
        await stage.until_ended(2)
    partial = on_disk(tmp_path / "a.db").tree.path()[1]
    assert (partial.text, partial.ending) == ("Half an", Ending.REDIRECTED)
    assert isinstance(stage.outcomes[0], Stopped)
    assert stage.outcomes[0].reason is StopReason.REDIRECT


@pytest.mark.parametrize("ticks", [0, 1, 3, 10, 40])
@played
async def test_ten_redirects_in_a_burst_all_arrive_in_order(
    ticks: int, server: FakeServer, tmp_path: Path
) -> None:
    server.default = gated("Some words", " and more")
    numbers = [f"Redirect {n}." for n in range(10)]
    async with staged(tmp_path / "a.db", asking(server.url)) as stage:
        stage.send("Begin.")
        await stage.until_heard(TextDelta)
        for number in numbers:
            stage.send(number)
            for _ in range(ticks):
                await asyncio.sleep(0)
        last = numbers[-1]
        await server.log.until(lambda log: log.chats and last in asked_texts(server)[-1])
        server.release(times=50)
        await stage.until(lambda: Completed() in stage.outcomes)
    assert server.log.violations == []
    carried = " ".join(asked_texts(server)).split()
    assert carried == " ".join(["Begin.", *numbers]).split()
    kept = on_disk(tmp_path / "a.db").tree.path()
    assert [message.text for message in kept if message.role is U] == ["Begin.", *numbers]
    assert all(message.text for message in kept)
    assert stage.outcomes[-1] == Completed()
