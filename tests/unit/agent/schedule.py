"""One random schedule: a person who cannot decide, and everything that must hold all the same."""

import asyncio
import json
import random
from collections.abc import Callable
from dataclasses import dataclass, field

from app.agent.provider import ChatRequest
from app.agent.providers.encoding import encode
from app.agent.session import Session
from app.core.commands import (
    BeginListening,
    BeginRevision,
    Command,
    DiscardWaiting,
    EndListening,
    EndRevision,
    MoveWaiting,
    OpenConversation,
    PromoteWaiting,
    RestoreWaiting,
    SelectBranch,
    SendHeld,
    StopTurn,
)
from app.core.events import (
    Event,
    HistoryChanged,
    QueueChanged,
    TextDelta,
    ToolFinished,
    ToolOutput,
    TurnEnded,
    TurnEvent,
    TurnStarted,
)
from app.core.ids import ConversationId, MessageId, TurnId
from app.core.messages import Intent, OrderKind, Role, WaitState
from app.core.ports import Store
from tests.fakes.history import violations
from tests.unit.agent.moody import MoodyProvider, MoodyTool
from tests.unit.agent.promises import check_places, check_turns, check_words
from tests.unit.agent.stage import Stage, agent_of, submission
from tests.unit.agent.virtual import weighted

ACTS = weighted(
    {
        "redirect": 8,
        "queue": 4,
        "steer": 4,
        "stop": 6,
        "stale stop": 1,
        "send held": 2,
        "promote": 1,
        "discard": 1,
        "restore": 1,
        "move": 1,
        "revise": 1,
        "edit": 1,
        "retry": 1,
        "continue": 1,
        "select": 1,
        "open": 1,
        "speak": 1,
    }
)
INTENTS = {"redirect": Intent.REDIRECT, "queue": Intent.QUEUE, "steer": Intent.STEER}


@dataclass
class Ghost:
    """What the person did and saw, to hold against what is there in the end."""

    sent: set[MessageId] = field(default_factory=set)  # with words of their own
    discarded: set[MessageId] = field(default_factory=set)
    held: set[MessageId] = field(default_factory=set)  # shown as held, not released since
    silenced: set[TurnId] = field(default_factory=set)  # turns whose token Stop has cancelled


class Person:
    """Acts on a stage by the dice."""

    def __init__(self, stage: Stage, dice: random.Random, chat: ConversationId) -> None:
        self.ghost = Ghost()
        self._stage = stage
        self._dice = dice
        self._chat = chat
        self._count = 0
        stage.on_event.append(self._watch)

    async def live(self) -> None:
        """Do a dozen things, at moments of all kinds."""
        for _ in range(self._dice.randint(4, 14)):
            self.act(self._dice.choice(ACTS))
            for _ in range(self._dice.choice([0, 0, 1, 2, 3, 5, 9])):
                await asyncio.sleep(0)
            if self._dice.random() < 0.4:
                await asyncio.sleep(self._dice.choice([0.001, 0.01, 0.06, 0.3, 1.0]))

    def _watch(self, event: Event) -> None:
        if isinstance(event, QueueChanged):
            states = {w.order.id: w.state for w in event.waiting}
            self.ghost.held |= {i for i, state in states.items() if state is WaitState.HELD}
        if isinstance(event, HistoryChanged):
            ran = {message.id for message in event.added} & self.ghost.held
            assert not ran, "ran what was held"
        if isinstance(event, TurnEvent) and event.turn_id in self.ghost.silenced:
            assert isinstance(event, ToolFinished | TurnEnded), f"heard after Stop: {event}"
        # As on another thread: in the middle of whatever the agent's loop is doing.
        if isinstance(event, TextDelta | TurnStarted | ToolOutput) and self._dice.random() < 0.04:
            self._stop(self._stage.epoch)

    def act(self, what: str) -> None:
        """Do one thing."""
        match what:
            case "redirect" | "queue" | "steer":
                self._send(INTENTS[what])
            case "edit" | "retry" | "continue":
                self._branch(OrderKind(what))
            case "stop":
                self._stop(self._stage.epoch + self._dice.choice([0, 0, 1]))
            case "stale stop":
                self._stop(self._stage.epoch - 1)
            case "send held":
                self._post(SendHeld(conversation_id=self._chat), self.ghost.held.clear)
            case "open":
                self._post(OpenConversation(conversation_id=self._chat))
            case "select":
                self._select()
            case "speak":
                self._speak()
            case _:
                self._handle_a_chip(what)

    def _post(self, command: Command, then: Callable[[], object] = lambda: None) -> None:
        """Hand a command over as the bridge does: in line, behind what was posted before."""

        def arrive() -> None:
            then()
            self._stage.do(command)

        asyncio.get_running_loop().call_soon(arrive)

    def _words(self, what: str = "message") -> str:
        self._count += 1
        return f"{what} {self._count}."

    def _send(self, intent: Intent) -> None:
        command = submission(self._words(), intent, chat=self._chat)
        self.ghost.sent.add(command.order.id)
        self._post(command)

    def _stop(self, epoch: int) -> None:
        self._post(StopTurn(conversation_id=self._chat, epoch=epoch))
        session = self._stage.sessions.session(self._chat)
        live = session.live if session else None
        if live is not None and live.epoch <= epoch:
            self.ghost.silenced.add(live.started.turn_id)
        self._stage.cancel_directly(epoch, self._chat)

    def _branch(self, kind: OrderKind) -> None:
        told = self._stage.all(HistoryChanged)
        path = told[-1].tree.path() if told else ()
        role = Role.USER if kind is OrderKind.EDIT else Role.ASSISTANT
        targets = [message.id for message in path if message.role is role]
        if not targets:
            return
        text = self._words() if kind is OrderKind.EDIT else ""
        target = self._dice.choice(targets)
        command = submission(text, kind=kind, target=target, chat=self._chat)
        if text:
            self.ghost.sent.add(command.order.id)
        self._post(command)

    def _speak(self) -> None:
        self._post(BeginListening(conversation_id=self._chat))
        end = EndListening(conversation_id=self._chat)
        asyncio.get_running_loop().call_later(self._dice.choice([0, 0.1]), self._post, end)

    def _select(self) -> None:
        told = self._stage.all(HistoryChanged)
        if told:
            chosen = self._dice.choice(list(told[-1].tree.messages))
            self._post(SelectBranch(conversation_id=self._chat, message_id=chosen))

    def _handle_a_chip(self, what: str) -> None:
        ghost, chat = self.ghost, self._chat
        if what == "restore":
            self._restore()
            return
        ids = [waiting.order.id for waiting in self._stage.waiting]
        if not ids:
            return
        chosen = self._dice.choice(ids)
        match what:
            case "promote":
                promote = PromoteWaiting(conversation_id=chat, message_id=chosen)
                self._post(promote, lambda: ghost.held.discard(chosen))
            case "discard":
                discard = DiscardWaiting(conversation_id=chat, message_ids=(chosen,))
                self._post(discard, lambda: ghost.discarded.add(chosen))
            case "move":
                index = self._dice.randint(-1, len(ids))
                self._post(MoveWaiting(conversation_id=chat, message_id=chosen, index=index))
            case _:
                self._revise(chosen)

    def _restore(self) -> None:
        if self.ghost.discarded:
            back = min(self.ghost.discarded)
            restore = RestoreWaiting(conversation_id=self._chat, message_id=back)
            self._post(restore, lambda: self.ghost.discarded.discard(back))

    def _revise(self, chosen: MessageId) -> None:
        self._post(BeginRevision(conversation_id=self._chat, message_id=chosen))
        text = self._dice.choice([None, "", self._words("revised")])
        end = EndRevision(conversation_id=self._chat, message_id=chosen, text=text)
        asyncio.get_running_loop().call_later(self._dice.choice([0, 0.05]), self._post, end)


async def play_schedule(seed: int, store: Store) -> None:
    """Let the person of this seed loose, quit, and check what is left."""
    dice = random.Random(seed)
    chat = ConversationId(f"chat {seed}")
    provider, tool = MoodyProvider(dice), MoodyTool(dice)
    stage = Stage(store, agent_of(provider, tool))
    stage.create(chat)
    person = Person(stage, dice, chat)
    await person.live()
    if dice.random() < 0.7:
        await asyncio.sleep(60.0)  # let everything come to its end, else quit in the middle
        check_at_rest(stage, chat)
    await stage.sessions.quit()
    await asyncio.sleep(1.0)
    check_turns(stage.events)
    session = stage.sessions.session(chat)
    assert session is not None
    waiting = [waiting.order.id for waiting in session.waiting]
    check_places(stage.events, person.ghost.sent, waiting, person.ghost.discarded)
    check_words(stage.events, session.describe().tree)
    await check_disk(stage, session)
    check_requests(provider)


def check_at_rest(stage: Stage, chat: ConversationId) -> None:
    session = stage.sessions.session(chat)
    assert session is not None
    assert session.live is None, "a turn runs for ever"
    states = {waiting.state for waiting in session.waiting}
    assert states <= {WaitState.HELD}, f"stranded: {states}"


async def check_disk(stage: Stage, session: Session) -> None:
    """The disk has what was told: the same messages, the same branch, the same queue."""
    stored = await stage.store.load(session.id)
    if stored is None:
        assert session.is_empty
        return
    told = session.describe()
    assert stored.tree.messages == told.tree.messages
    assert stored.tree.leaf == told.tree.leaf
    waiting = [(w.order, w.intent) for w in told.waiting]
    assert [(order, intent) for order, intent in stored.waiting] == waiting


def check_requests(provider: MoodyProvider) -> None:
    """A strict server would have taken every request, and no message stood in one twice."""
    for request in provider.requests:
        for user_after_tool in (True, False):
            found = violations(
                _encoded(request, user_after_tool), user_after_tool=user_after_tool, prefill=False
            )
            assert found == []
        ids = [message.id for message in request.messages]
        assert len(ids) == len(set(ids))


def _encoded(request: ChatRequest, user_after_tool: bool) -> object:
    return json.loads(encode(request, model="m", user_after_tool=user_after_tool))["messages"]
