"""Services on a real agent thread, and a listener on the GUI thread that keeps what it hears."""

from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from PySide6.QtCore import QObject, QThread, Slot
from pytestqt.qtbot import QtBot

from app.agent.provider import Provider
from app.agent.session import LiveTurn
from app.agent.sessions import Sessions
from app.agent.tools.tool import Tool
from app.bridge.agent_thread import AgentThread
from app.core.commands import Command, CreateConversation, StopTurn
from app.core.events import Event, QueueChanged, TextDelta, TurnEnded, TurnStarted
from app.core.ids import ConversationId, MessageId
from app.core.messages import Intent, Waiting
from app.storage.store import SqliteStore
from tests.fakes.stores import BOUND_S
from tests.unit.agent.stage import CHAT, SteadyClock, agent_of, submission

LIMIT_MS = 20_000
E = TypeVar("E", bound=Event)


class HostedDesk:
    """Sessions over a real store; remembers what it was told to do."""

    def __init__(
        self, path: Path, provider: Provider, tools: tuple[Tool, ...], emit: Callable[[Event], None]
    ) -> None:
        self.handled: list[Command] = []
        self.store = SqliteStore(path, lease="window", live_leases=lambda: {"window"})
        self.sessions = Sessions(
            store=self.store, make_agent=agent_of(provider, *tools), emit=emit, clock=SteadyClock()
        )

    def open(self) -> None:
        self.store.start()

    def handle(self, command: Command) -> None:
        self.handled.append(command)
        self.sessions.handle(command)

    def live(self, conversation_id: ConversationId) -> LiveTurn | None:
        session = self.sessions.session(conversation_id)
        return session.live if session else None

    async def close(self) -> None:
        await self.sessions.quit()


class Window(QObject):
    """What the GUI thread does and hears."""

    def __init__(self, qtbot: QtBot, path: Path, provider: Provider, *tools: Tool) -> None:
        super().__init__()
        self.events: list[Event] = []
        self.desk: HostedDesk | None = None
        self._qtbot = qtbot
        self._path = path
        self._provider = provider
        self._tools = tools
        self.agent = AgentThread(self._build)
        self.agent.heard.connect(self.on_heard)

    def _build(self, emit: Callable[[Event], None]) -> HostedDesk:
        self.desk = HostedDesk(self._path, self._provider, self._tools, emit)
        return self.desk

    @Slot(object)
    def on_heard(self, event: Event) -> None:
        assert QThread.currentThread() == self.thread(), "heard on another thread"
        self.events.append(event)

    def open(self) -> None:
        self.agent.start()
        self.agent.ask(CreateConversation(conversation_id=CHAT))

    def send(self, text: str, intent: Intent = Intent.REDIRECT) -> MessageId:
        command = submission(text, intent)
        self.agent.ask(command)
        return command.order.id

    def stop(self, epoch: int | None = None) -> None:
        wanted = self.epoch if epoch is None else epoch
        self.agent.ask(StopTurn(conversation_id=CHAT, epoch=wanted))

    @property
    def live(self) -> LiveTurn:
        assert self.desk is not None
        found = self.desk.live(CHAT)
        assert found is not None
        return found

    @property
    def epoch(self) -> int:
        return max((event.epoch for event in self.all(TurnStarted)), default=0)

    def all(self, kind: type[E]) -> list[E]:
        return [event for event in self.events if isinstance(event, kind)]

    @property
    def said(self) -> str:
        return "".join(event.text for event in self.all(TextDelta))

    @property
    def waiting(self) -> tuple[Waiting, ...]:
        told = self.all(QueueChanged)
        return told[-1].waiting if told else ()

    @property
    def is_idle(self) -> bool:
        return len(self.all(TurnEnded)) == len(self.all(TurnStarted))

    def until(self, holds: Callable[[], object]) -> None:
        self._qtbot.waitUntil(lambda: bool(holds()), timeout=LIMIT_MS)

    def until_ended(self, count: int = 1) -> TurnEnded:
        self.until(lambda: len(self.all(TurnEnded)) >= count)
        return self.all(TurnEnded)[count - 1]

    def finish(self) -> None:
        """End the thread and the storage, and hear the last of it."""
        self.agent.finish()
        self.until(self.agent.isFinished)
        assert self.agent.wait(LIMIT_MS)
        if self.desk is not None:
            assert self.desk.store.close(BOUND_S)
