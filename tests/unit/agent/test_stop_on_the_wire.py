"""Stop against a real server: in every phase the connection closes, and nothing is asked again."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from app.core.errors import ProblemKind
from app.core.events import (
    Completed,
    Failed,
    FellBack,
    RequestSent,
    RequestStarted,
    Retrying,
    Stopped,
    StopReason,
    TextDelta,
    TurnEnded,
    TurnEvent,
)
from app.core.messages import Ending, Role
from tests.fakes.script import Answer, Gate, Reset, Stall, Text, failing, gated, saying
from tests.fakes.server import FakeServer
from tests.unit.agent.played import played
from tests.unit.agent.stage import CHAT, Stage, on_disk, spoken, staged
from tests.unit.agent.wire import asking, connecting_to, deaf_server, until_connecting_to

BY_PERSON = StopReason.PERSON


@dataclass
class Phase:
    """A place where Stop can hit: what the server does, when we are there, what was said."""

    answer: Answer
    reached: Callable[[Stage, FakeServer], Awaitable[object]]
    said: str = ""


async def waiting_at_the_gate(stage: Stage, server: FakeServer) -> None:
    """Wait until the server has the request, and we know that it does."""
    await server.log.until(lambda log: log.gates_reached)
    await stage.until(lambda: stage.all(RequestSent))


PHASES = {
    "before the headers": Phase(Answer(before=(Gate(),)), waiting_at_the_gate),
    "before the first word": Phase(Answer(steps=(Gate(),)), waiting_at_the_gate),
    "in mid-stream": Phase(
        gated("Hello there", " again"),
        lambda stage, _: stage.until(lambda: said_by(stage) == "Hello there"),
        "Hello there",
    ),
    "in a stall": Phase(
        Answer(steps=(Text("Hello"), Stall())),
        lambda stage, _: stage.until(lambda: said_by(stage) == "Hello"),
        "Hello",
    ),
}


def said_by(stage: Stage) -> str:
    return "".join(delta.text for delta in stage.all(TextDelta))


def cancellations(caplog: pytest.LogCaptureFixture) -> list[logging.LogRecord]:
    ours = [r for r in caplog.records if r.name.startswith("app")]
    assert [r.getMessage() for r in ours if r.levelno > logging.INFO] == []
    assert not any("reconnect" in r.getMessage().lower() for r in ours)
    return [r for r in ours if "cancelled" in r.getMessage()]


@pytest.mark.parametrize("phase", PHASES.values(), ids=PHASES.keys())
@played
async def test_stop_closes_the_connection_and_keeps_what_was_said(
    phase: Phase, server: FakeServer, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG, logger="app")
    server.script(phase.answer)
    async with staged(tmp_path / "a.db", asking(server.url)) as stage:
        stage.send("Hi")
        await phase.reached(stage, server)
        stage.stop()
        outcome = await stage.until_ended()
        assert isinstance(outcome, Stopped)
        assert outcome.reason is BY_PERSON
        assert outcome.closed_in_s is not None
        await server.log.until(lambda log: not log.open_connections)
        (connection,) = server.log.connections
        assert connection.how in ("eof", "reset"), "the client closed it"
    assert len(server.log.chats) == 1
    assert stage.all(Retrying) == []
    assert stage.all(FellBack) == []
    turn_events = [event for event in stage.events if isinstance(event, TurnEvent)]
    assert isinstance(turn_events[-1], TurnEnded)
    assert len(stage.outcomes) == 1
    assert said_by(stage) == phase.said
    kept = on_disk(tmp_path / "a.db").tree.path()
    answers = [(Role.ASSISTANT, phase.said)] if phase.said else []
    assert spoken(kept) == [(Role.USER, "Hi"), *answers]
    if phase.said:
        assert kept[-1].ending is Ending.STOPPED
    assert [r.levelno for r in cancellations(caplog)] == [logging.DEBUG]


@played
async def test_stop_during_connect_leaves_no_half_open_socket(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG, logger="app")
    with deaf_server() as port:
        fillers = connecting_to(port)
        provider = asking(f"http://127.0.0.1:{port}/v1")
        async with staged(tmp_path / "a.db", provider) as stage:
            stage.send("Hi")
            await stage.until_heard(RequestStarted)
            await until_connecting_to(port, fillers)
            stage.stop()
            outcome = await stage.until_ended()
            assert outcome == Stopped(reason=BY_PERSON), "no connection came about to be closed"
            assert connecting_to(port) == fillers
        assert stage.all(Retrying) == []
    assert spoken(on_disk(tmp_path / "a.db").tree.path()) == [(Role.USER, "Hi")]
    assert [r.levelno for r in cancellations(caplog)] == [logging.DEBUG]


@played
async def test_stop_in_a_retry_wait_makes_no_further_request(
    server: FakeServer, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG, logger="app")
    server.script(failing(503, retry_after="30"))
    async with staged(tmp_path / "a.db", asking(server.url)) as stage:
        stage.send("Hi")
        await stage.until_heard(Retrying)
        stage.stop()
        outcome = await stage.until_ended()
        assert isinstance(outcome, Stopped)
        assert outcome.closed_in_s is None, "there was no connection to close"
    assert len(server.log.chats) == 1
    assert len(stage.all(Retrying)) == 1
    assert len(cancellations(caplog)) == 1


@played
async def test_stop_the_moment_a_retry_is_announced_makes_no_further_request(
    server: FakeServer, tmp_path: Path
) -> None:
    server.script(Answer(before=(Reset(),)))  # the first retry of a reset is immediate
    async with staged(tmp_path / "a.db", asking(server.url)) as stage:
        stage.on_event.append(lambda event: stage.stop() if isinstance(event, Retrying) else None)
        stage.send("Hi")
        outcome = await stage.until_ended()
        assert isinstance(outcome, Stopped)
    assert len(server.log.chats) == 1


@played
async def test_stop_in_a_fallback_closes_it_and_asks_nobody_else(
    server: FakeServer, second: FakeServer, tmp_path: Path
) -> None:
    server.script(failing(402, "You have no credit left."))
    second.script(gated("From the other", " model"))
    async with staged(tmp_path / "a.db", asking(server.url, second.url)) as stage:
        stage.send("Hi")
        await stage.until(lambda: said_by(stage) == "From the other")
        stage.stop()
        assert isinstance(await stage.until_ended(), Stopped)
        await second.log.until(lambda log: not log.open_connections)
    assert len(stage.all(FellBack)) == 1
    assert (len(server.log.chats), len(second.log.chats)) == (1, 1)
    assert on_disk(tmp_path / "a.db").tree.path()[-1].text == "From the other"


@played
async def test_stop_the_moment_a_fallback_is_announced_asks_nobody_else(
    server: FakeServer, second: FakeServer, tmp_path: Path
) -> None:
    server.script(failing(402, "You have no credit left."))
    async with staged(tmp_path / "a.db", asking(server.url, second.url)) as stage:
        stage.on_event.append(lambda event: stage.stop() if isinstance(event, FellBack) else None)
        stage.send("Hi")
        assert isinstance(await stage.until_ended(), Stopped)
    assert second.log.requests == []


@played
async def test_an_error_that_nobody_asked_for_is_retried_before_the_first_word(
    server: FakeServer, tmp_path: Path
) -> None:
    server.script(Answer(before=(Reset(),)), saying("There you are"))
    async with staged(tmp_path / "a.db", asking(server.url)) as stage:
        stage.send("Hi")
        assert await stage.until_ended() == Completed()
    assert len(stage.all(Retrying)) == 1
    assert len(server.log.chats) == 2
    assert said_by(stage) == "There you are"


@played
async def test_an_error_after_the_first_word_surfaces_and_keeps_the_words(
    server: FakeServer, tmp_path: Path
) -> None:
    server.script(Answer(steps=(Text("Half an"), Gate(), Reset(mid_chunk=True))))
    async with staged(tmp_path / "a.db", asking(server.url)) as stage:
        stage.send("Hi")
        await stage.until(lambda: said_by(stage) == "Half an")
        server.release()
        outcome = await stage.until_ended()
        assert isinstance(outcome, Failed)
        assert outcome.problem.kind is ProblemKind.BROKEN_OFF
    assert stage.all(Retrying) == []
    assert len(server.log.chats) == 1
    kept = on_disk(tmp_path / "a.db").tree.path()[-1]
    assert (kept.text, kept.ending) == ("Half an", Ending.CONNECTION_LOST)


@played
async def test_a_refused_request_is_made_once_and_fails(server: FakeServer, tmp_path: Path) -> None:
    server.script(failing(400, "That is not a request."))
    async with staged(tmp_path / "a.db", asking(server.url)) as stage:
        stage.send("Hi")
        outcome = await stage.until_ended()
        assert isinstance(outcome, Failed)
        assert outcome.problem.kind is ProblemKind.BAD_REQUEST
    assert len(server.log.chats) == 1
    assert stage.all(Retrying) == []


@played
async def test_an_empty_answer_is_a_failure_and_leaves_no_message(
    server: FakeServer, tmp_path: Path
) -> None:
    server.script(saying(""))
    async with staged(tmp_path / "a.db", asking(server.url)) as stage:
        stage.send("Hi")
        outcome = await stage.until_ended()
        assert isinstance(outcome, Failed)
        assert outcome.problem.kind is ProblemKind.EMPTY_REPLY
    assert spoken(on_disk(tmp_path / "a.db").tree.path()) == [(Role.USER, "Hi")]


@played
async def test_a_run_that_succeeded_on_a_fallback_tries_the_first_model_next(
    server: FakeServer, second: FakeServer, tmp_path: Path
) -> None:
    server.script(failing(402, "You have no credit left."), saying("First again"))
    second.script(saying("Second"))
    async with staged(tmp_path / "a.db", asking(server.url, second.url)) as stage:
        stage.send("One")
        assert await stage.until_ended(1) == Completed()
        stage.send("Two")
        assert await stage.until_ended(2) == Completed()
    assert (len(server.log.chats), len(second.log.chats)) == (2, 1)
    assert on_disk(tmp_path / "a.db").tree.path()[-1].text == "First again"


@played
async def test_stop_then_a_new_message_at_once_is_answered_and_hears_nothing_of_the_old(
    server: FakeServer, tmp_path: Path
) -> None:
    server.script(gated("Old words", " old words"), saying("New words"))
    async with staged(tmp_path / "a.db", asking(server.url)) as stage:
        stage.send("One")
        await stage.until(lambda: said_by(stage) == "Old words")
        stage.stop()
        await asyncio.sleep(0)
        stage.send("Two")
        assert isinstance(await stage.until_ended(1), Stopped)
        assert await stage.until_ended(2) == Completed()
        server.release()
    assert server.log.violations == []
    assert spoken(on_disk(tmp_path / "a.db", CHAT).tree.path()) == [
        (Role.USER, "One"),
        (Role.ASSISTANT, "Old words"),
        (Role.USER, "Two"),
        (Role.ASSISTANT, "New words"),
    ]
