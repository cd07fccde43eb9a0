"""A stage for whole conversations: the real sessions over a real store, with an audience.

`Stage` acts as the window does. Stop takes both roads: the command in line, then the running
turn's token directly. Everything told is kept in order, and can be waited for.
"""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TypeVar

from app.agent.agent import Agent
from app.agent.provider import Provider
from app.agent.providers.fake import ScriptedProvider
from app.agent.sessions import Sessions
from app.agent.tools.tool import Tool, Toolbox
from app.core.commands import Command, CreateConversation, OpenConversation, StopTurn, Submit
from app.core.events import (
    Event,
    MessageCommitted,
    Outcome,
    QueueChanged,
    StopReason,
    TextDelta,
    TurnEnded,
    TurnStarted,
)
from app.core.ids import ConversationId, MessageId, new_message_id
from app.core.messages import (
    Intent,
    Message,
    Order,
    OrderKind,
    Role,
    Waiting,
    WaitState,
    text_parts,
)
from app.core.ports import Store, StoredConversation
from tests.fakes.stores import BOUND_S, open_store
from tests.harness.loops import LIMIT_S
from tests.unit.agent.promises import check_turns

CHAT = ConversationId("chat")
E = TypeVar("E", bound=Event)


class SteadyClock:
    """Time that goes on by one second at each look."""

    def __init__(self, start: float = 1000.0) -> None:
        self._now = start

    def now(self) -> float:
        self._now += 1.0
        return self._now

    def monotonic(self) -> float:
        return self.now()


class Stage:
    """Sessions, and everything they told."""

    def __init__(
        self,
        store: Store,
        make_agent: Callable[[ConversationId], Agent],
        clock: SteadyClock | None = None,
    ) -> None:
        self.store = store
        self.events: list[Event] = []
        self.on_event: list[Callable[[Event], None]] = []
        self.sessions = Sessions(
            store=store, make_agent=make_agent, emit=self._hear, clock=clock or SteadyClock()
        )
        self._changed = asyncio.Event()

    def _hear(self, event: Event) -> None:
        self.events.append(event)
        self._changed.set()
        for listener in tuple(self.on_event):
            listener(event)

    def do(self, command: Command) -> None:
        self.sessions.handle(command)

    def create(self, chat: ConversationId = CHAT) -> None:
        self.do(CreateConversation(conversation_id=chat))

    def open(self, chat: ConversationId = CHAT) -> None:
        self.do(OpenConversation(conversation_id=chat))

    def send(
        self,
        text: str,
        intent: Intent = Intent.REDIRECT,
        *,
        kind: OrderKind = OrderKind.SEND,
        target: MessageId | None = None,
        chat: ConversationId = CHAT,
    ) -> MessageId:
        command = submission(text, intent, kind=kind, target=target, chat=chat)
        self.do(command)
        return command.order.id

    def stop(self, epoch: int | None = None, chat: ConversationId = CHAT) -> None:
        """Stop as the bridge does: the command in line first, then the token."""
        wanted = self.epoch if epoch is None else epoch
        loop = asyncio.get_running_loop()
        loop.call_soon(self.do, StopTurn(conversation_id=chat, epoch=wanted))
        self.cancel_directly(wanted, chat)

    def cancel_directly(self, epoch: int, chat: ConversationId = CHAT) -> None:
        session = self.sessions.session(chat)
        live = session.live if session else None
        if live is not None and live.epoch <= epoch:
            live.token.cancel(StopReason.PERSON)

    @property
    def epoch(self) -> int:
        return max((e.epoch for e in self.all(TurnStarted)), default=0)

    def all(self, kind: type[E]) -> list[E]:
        return [event for event in self.events if isinstance(event, kind)]

    @property
    def outcomes(self) -> list[Outcome]:
        return [event.outcome for event in self.all(TurnEnded)]

    @property
    def waiting(self) -> tuple[Waiting, ...]:
        told = self.all(QueueChanged)
        return told[-1].waiting if told else ()

    @property
    def waiting_texts(self) -> list[str]:
        return [waiting.order.text for waiting in self.waiting]

    @property
    def states(self) -> list[tuple[str, WaitState]]:
        return [(waiting.order.text, waiting.state) for waiting in self.waiting]

    def said(self, event: TurnStarted) -> str:
        deltas = [e for e in self.all(TextDelta) if e.turn_id == event.turn_id]
        return "".join(delta.text for delta in deltas)

    async def until(self, holds: Callable[[], object]) -> None:
        """Wait until something told makes it true."""
        try:
            async with asyncio.timeout(LIMIT_S / 2):
                while not holds():
                    self._changed.clear()
                    await self._changed.wait()
        except TimeoutError:
            heard = [type(event).__name__ for event in self.events]
            raise AssertionError(f"never came true; heard {heard}") from None

    async def until_heard(self, kind: type[E], count: int = 1) -> E:
        await self.until(lambda: len(self.all(kind)) >= count)
        return self.all(kind)[count - 1]

    async def until_ended(self, count: int = 1) -> Outcome:
        return (await self.until_heard(TurnEnded, count)).outcome

    async def until_saved(self, order_id: MessageId) -> None:
        await self.until(lambda: any(e.message_id == order_id for e in self.all(MessageCommitted)))

    async def until_waiting(self, *texts: str) -> None:
        """Wait until exactly these are saved and wait for their turn."""
        wanted = [(text, WaitState.WAITING) for text in texts]
        await self.until(lambda: self.states == wanted)


def submission(
    text: str,
    intent: Intent = Intent.REDIRECT,
    *,
    kind: OrderKind = OrderKind.SEND,
    target: MessageId | None = None,
    chat: ConversationId = CHAT,
) -> Submit:
    """Make the command that sends these words."""
    order = Order(
        id=new_message_id(),
        conversation_id=chat,
        kind=kind,
        parts=text_parts(text) if text else (),
        target=target,
        created_at=1.0,
    )
    return Submit(conversation_id=chat, order=order, intent=intent)


def agent_of(
    provider: Provider, *tools: Tool, system_prompt: str = ""
) -> Callable[[ConversationId], Agent]:
    """Make every conversation's agent of one provider and some tools."""
    agent = Agent(provider=provider, toolbox=Toolbox(tools), system_prompt=system_prompt)
    return lambda _: agent


@asynccontextmanager
async def staged(
    path: Path,
    provider: Provider,
    *tools: Tool,
    make_agent: Callable[[ConversationId], Agent] | None = None,
    chat: ConversationId | None = CHAT,
) -> AsyncIterator[Stage]:
    """Play over the database at `path`; the conversation is new unless it is `None`."""
    with open_store(path) as store:
        stage = Stage(store, make_agent or agent_of(provider, *tools))
        if chat is not None:
            stage.create(chat)
        yield stage
        await stage.sessions.quit()
        check_turns(stage.events)


def on_disk(path: Path, chat: ConversationId = CHAT) -> StoredConversation:
    """Read a conversation as the next start would."""
    with open_store(path, lease="reader", live_leases=lambda: {"reader"}) as store:
        found = store.load(chat).wait(BOUND_S)
    assert found is not None
    return found


def asked_of(provider: ScriptedProvider, index: int = -1) -> list[str]:
    """List what the person said, as a request to the provider carried it."""
    messages = provider.requests[index].messages
    return [message.text for message in messages if message.role is Role.USER]


def spoken(messages: tuple[Message, ...]) -> list[tuple[Role, str]]:
    """Boil messages down to who said what."""
    return [(message.role, message.text) for message in messages]
