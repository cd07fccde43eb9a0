"""The agent thread on real threads: order, one ending, Stop by both roads, a bounded end."""

import asyncio
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QThread
from pytestqt.qtbot import QtBot

from app.agent.provider import ChatRequest, Emit, Provider, Reply, RequestBegun, TextChunk
from app.agent.providers.fake import Gate, ScriptedProvider
from app.core.commands import Command, CreateConversation, OpenConversation, SendHeld, StopTurn
from app.core.events import (
    Completed,
    ConversationOpened,
    MessageCommitted,
    Stopped,
    StopReason,
    StorageTrouble,
    TextDelta,
    TurnEnded,
    TurnEvent,
    TurnStarted,
)
from app.core.messages import Intent, Role, WaitState
from app.core.tokens import CancelToken
from tests.bridge.hosted import LIMIT_MS, HostedDesk, Window
from tests.unit.agent.promises import check_turns
from tests.unit.agent.stage import CHAT, on_disk, spoken

LIMIT_S = LIMIT_MS / 1000


class BlockingProvider:
    """Holds up the whole loop, as no provider should, until it is let go."""

    model = "blocking"

    def __init__(self) -> None:
        self.blocks = threading.Event()
        self.let_go = threading.Event()

    async def stream(self, request: ChatRequest, token: CancelToken, emit: Emit) -> Reply:
        emit(RequestBegun(model=self.model))
        self.blocks.set()
        assert self.let_go.wait(LIMIT_S)
        token.check()
        emit(TextChunk(text="Done"))
        return Reply(model=self.model, text="Done")

    async def aclose(self) -> None:
        """Nothing is open."""


class DeafProvider:
    """Never ends by itself, whatever is cancelled."""

    model = "deaf"

    def __init__(self) -> None:
        self.is_asked = threading.Event()

    async def stream(self, request: ChatRequest, token: CancelToken, emit: Emit) -> Reply:
        emit(TextChunk(text="Half"))
        self.is_asked.set()
        while True:
            try:
                await asyncio.get_running_loop().create_future()
            except asyncio.CancelledError:
                continue

    async def aclose(self) -> None:
        """Nothing is open."""


class Opener:
    """Makes windows and ends them with the test."""

    def __init__(self, qtbot: QtBot, path: Path) -> None:
        self._qtbot = qtbot
        self._path = path
        self.window: Window | None = None

    def __call__(self, provider: Provider, *, start: bool = True) -> Window:
        self.window = Window(self._qtbot, self._path, provider)
        if start:
            self.window.open()
        return self.window


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "a.db"


@pytest.fixture
def opened(qtbot: QtBot, path: Path) -> Iterator[Opener]:
    opener = Opener(qtbot, path)
    yield opener
    if opener.window is not None and not opener.window.agent.isFinished():
        opener.window.finish()


def test_a_turn_is_heard_in_order_on_the_gui_thread(opened: Opener) -> None:
    window = opened(ScriptedProvider())
    window.send("Hello there")
    assert window.until_ended().outcome == Completed()
    window.finish()
    check_turns(window.events)
    assert window.said == "You wrote: Hello there"
    kinds = [type(event) for event in window.events if isinstance(event, TurnEvent)]
    assert (kinds[0], kinds[-1]) == (TurnStarted, TurnEnded)
    assert window.agent.thread() == QThread.currentThread()


def test_what_is_asked_before_the_thread_runs_is_done_in_order(opened: Opener) -> None:
    window = opened(ScriptedProvider(), start=False)
    window.agent.ask(CreateConversation(conversation_id=CHAT))
    sent = [window.send("One"), window.send("Two", Intent.QUEUE)]
    window.agent.start()
    window.until_ended(1)
    window.until(lambda: window.is_idle and len(window.all(MessageCommitted)) == 2)
    assert [event.message_id for event in window.all(MessageCommitted)] == sent
    assert isinstance(window.events[0], ConversationOpened)


def test_commands_of_one_thread_arrive_in_the_order_they_were_asked(opened: Opener) -> None:
    window = opened(ScriptedProvider(), start=False)
    early: list[Command] = [SendHeld(conversation_id=CHAT), OpenConversation(conversation_id=CHAT)]
    early *= 20
    for command in early:
        window.agent.ask(command)
    window.agent.start()
    late = [StopTurn(conversation_id=CHAT, epoch=-epoch) for epoch in range(200)]
    for stop in late:
        window.agent.ask(stop)
    window.until(lambda: window.desk is not None and len(window.desk.handled) == 240)
    assert window.desk is not None
    assert window.desk.handled == [*early, *late]


def test_stop_before_the_start_up_has_finished_holds_the_message(opened: Opener) -> None:
    window = opened(provider := ScriptedProvider(), start=False)
    window.agent.ask(CreateConversation(conversation_id=CHAT))
    window.send("Hi")
    window.stop(epoch=1)
    window.agent.start()
    window.until(lambda: [w.state for w in window.waiting] == [WaitState.HELD])
    window.until(lambda: window.all(MessageCommitted))
    window.finish()
    assert window.all(TurnStarted) == []
    assert provider.requests == []


def test_stop_in_mid_answer_ends_the_turn_once_and_keeps_the_partial(
    opened: Opener, path: Path
) -> None:
    gate = Gate()
    window = opened(ScriptedProvider([TextChunk(text="Half an"), gate]))
    window.send("Hi")
    assert gate.reached.wait_blocking(LIMIT_S)
    window.until(lambda: window.said)
    window.stop()
    window.stop()
    ended = window.until_ended()
    assert isinstance(ended.outcome, Stopped)
    assert ended.outcome.reason is StopReason.PERSON
    window.finish()
    check_turns(window.events)
    assert spoken(on_disk(path).tree.path()) == [(Role.USER, "Hi"), (Role.ASSISTANT, "Half an")]


def test_stop_reaches_the_token_although_the_loop_is_held_up(opened: Opener) -> None:
    window = opened(provider := BlockingProvider())
    window.send("Hi")
    assert provider.blocks.wait(LIMIT_S)
    token = window.live.token
    window.stop(epoch=1)
    assert token.reason is StopReason.PERSON, "it waits behind what the loop is doing"
    provider.let_go.set()
    assert isinstance(window.until_ended().outcome, Stopped)
    assert window.said == ""


def test_the_command_is_in_line_before_the_token_is_cancelled(opened: Opener) -> None:
    window = opened(provider := BlockingProvider())
    window.send("Hi")
    assert provider.blocks.wait(LIMIT_S)
    assert window.desk is not None
    handled = window.desk.handled
    before_end: list[bool] = []

    def at_cancel() -> None:  # what is posted now is in line behind the command
        window.agent.post(lambda: before_end.append(isinstance(handled[-1], StopTurn)))

    window.live.token.on_cancel(at_cancel)
    window.stop(epoch=1)
    provider.let_go.set()
    window.until(lambda: before_end)
    assert before_end == [True]


def test_a_stale_stop_leaves_the_running_turn_alone(opened: Opener) -> None:
    first, second = Gate(), Gate()
    provider = ScriptedProvider([TextChunk(text="One"), first], [second, TextChunk(text="Two")])
    window = opened(provider)
    window.send("First")
    assert first.reached.wait_blocking(LIMIT_S)
    window.send("Second")
    assert second.reached.wait_blocking(LIMIT_S)
    window.stop(epoch=1)
    assert not window.live.token.is_cancelled
    second.open()
    assert window.until_ended(2).outcome == Completed()


def test_many_words_come_as_few_signals_and_none_is_missing(opened: Opener) -> None:
    words = [f"w{n} " for n in range(3000)]
    window = opened(ScriptedProvider([TextChunk(text=word) for word in words]))
    window.send("Talk")
    window.until_ended()
    assert window.said == "".join(words)
    assert len(window.all(TextDelta)) < len(words) / 5


def test_finish_ends_a_running_turn_and_the_thread(opened: Opener, path: Path) -> None:
    gate = Gate()
    window = opened(ScriptedProvider([TextChunk(text="Half"), gate]))
    window.send("Hi")
    assert gate.reached.wait_blocking(LIMIT_S)
    window.finish()
    window.until(lambda: window.all(TurnEnded))
    (ended,) = window.all(TurnEnded)
    assert isinstance(ended.outcome, Stopped)
    assert ended.outcome.reason is StopReason.QUIT
    check_turns(window.events)
    assert spoken(on_disk(path).tree.path())[-1] == (Role.ASSISTANT, "Half")


def test_finish_does_not_wait_for_a_provider_that_never_ends(opened: Opener, path: Path) -> None:
    window = opened(provider := DeafProvider())
    window.send("Hi")
    assert provider.is_asked.wait(LIMIT_S)
    window.finish()
    window.until(lambda: window.all(TurnEnded))
    check_turns(window.events)
    assert spoken(on_disk(path).tree.path())[-1] == (Role.ASSISTANT, "Half")


def test_finish_before_the_thread_runs_and_finish_twice_end_it_all_the_same(
    opened: Opener,
) -> None:
    window = opened(ScriptedProvider(), start=False)
    window.agent.finish()
    window.agent.start()
    window.agent.finish()
    window.until(window.agent.isFinished)
    window.finish()


def test_services_that_cannot_be_built_are_told_and_what_is_sent_is_held(
    qtbot: QtBot, monkeypatch: pytest.MonkeyPatch, path: Path
) -> None:
    def no_services(*_: object) -> None:
        raise RuntimeError("sk-abcdefghijklmnop does not open")

    monkeypatch.setattr(HostedDesk, "__init__", no_services)
    window = Window(qtbot, path, ScriptedProvider())
    window.open()
    window.send("Anybody?")
    window.until(lambda: [waiting.order.text for waiting in window.waiting] == ["Anybody?"])
    assert window.waiting[0].state is WaitState.HELD
    (told, again) = window.all(StorageTrouble)
    assert told == again
    assert "does not open" in told.problem.detail
    assert "sk-abcdefghijklmnop" not in told.problem.detail
    window.finish()


def test_what_is_asked_after_the_end_is_harmless(opened: Opener) -> None:
    window = opened(provider := ScriptedProvider())
    window.send("Hi")
    window.until_ended()
    window.finish()
    before = len(window.events)
    window.send("Too late")
    window.stop()
    window.agent.post(window.events.clear)
    window.agent.finish()
    assert len(window.events) == before
    assert len(provider.requests) == 1
