"""All conversations at work: takes the front end's commands, tells what comes of them.

Lives on the agent loop. A conversation is read from disk when it is first named; what is asked of
it until then is done in order once it is there. Each has one session and one agent, kept for the
life of the process.
"""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any

from app.agent.agent import Agent
from app.agent.dispatch import carry_out
from app.agent.listing import Listing
from app.agent.session import Session
from app.core.commands import (
    Command,
    CreateConversation,
    DeleteConversation,
    OpenConversation,
    RenameConversation,
    RestoreConversation,
)
from app.core.errors import ProblemError
from app.core.events import (
    Event,
    Failed,
    MessageCommitted,
    QueueChanged,
    StorageTrouble,
    TurnEnded,
    TurnStarted,
)
from app.core.ids import ConversationId
from app.core.messages import Conversation, Mark, Tree, WaitState
from app.core.ports import Clock, Store, StoredConversation


class Sessions:
    """The desk where commands arrive."""

    def __init__(
        self,
        *,
        store: Store,
        make_agent: Callable[[ConversationId], Agent],
        emit: Callable[[Event], None],
        clock: Clock,
    ) -> None:
        self._store = store
        self._make_agent = make_agent
        self._emit = emit
        self._clock = clock
        self._sessions: dict[ConversationId, Session] = {}
        self._agents: dict[ConversationId, Agent] = {}
        self._pending: dict[ConversationId, list[Command]] = {}
        self._listing = Listing(store=store, mark=self._mark, emit=emit)
        self._answered_unseen: set[ConversationId] = set()
        self._shown: ConversationId | None = None
        self._closed = False
        self._tasks: set[asyncio.Task[None]] = set()

    def session(self, conversation_id: ConversationId) -> Session | None:
        """Find a session that is loaded; the one method that other threads may call."""
        return self._sessions.get(conversation_id)

    def handle(self, command: Command) -> None:
        """Do what a front end asks, now or once the conversation is loaded."""
        conversation_id = command.conversation_id
        session = self._sessions.get(conversation_id)
        if session is not None:
            self._dispatch(session, command)
        elif isinstance(command, CreateConversation):
            self._dispatch(self._adopt(self._blank(conversation_id)), command)
        elif conversation_id in self._pending:
            self._pending[conversation_id].append(command)
        else:
            self._pending[conversation_id] = [command]
            self._spawn(self._load(conversation_id))

    def list_conversations(self) -> None:
        """Tell the list anew."""
        self._listing.refresh()

    def renew_agents(self) -> None:
        """Let every conversation get a new agent for its next turn: the settings changed."""
        for agent in self._agents.values():
            self._spawn(agent.provider.aclose())
        self._agents.clear()

    async def quit(self) -> None:
        """Stop every turn, start nothing more, and wait until all have ended."""
        self._closed = True
        for session in self._sessions.values():
            session.quit()
        while tasks := {t for s in self._sessions.values() for t in s.tasks}:
            await asyncio.wait(tasks)

    def _blank(self, conversation_id: ConversationId) -> StoredConversation:
        now = self._clock.now()
        conversation = Conversation(id=conversation_id, title="", created_at=now, updated_at=now)
        return StoredConversation(conversation=conversation, tree=Tree())

    async def _load(self, conversation_id: ConversationId) -> None:
        try:
            stored = await self._store.load(conversation_id)
        except ProblemError as error:
            self._emit(StorageTrouble(conversation_id=conversation_id, problem=error.problem))
            stored = None
        session = self._adopt(stored or self._blank(conversation_id))
        for command in self._pending.pop(conversation_id):
            self._dispatch(session, command)

    def _adopt(self, stored: StoredConversation) -> Session:
        conversation_id = stored.conversation.id
        session = Session(
            stored=stored,
            store=self._store,
            agent=lambda: self._agent(conversation_id),
            emit=self._heard,
            clock=self._clock,
        )
        self._sessions[conversation_id] = session
        if self._closed:
            session.quit()
        return session

    def _agent(self, conversation_id: ConversationId) -> Agent:
        if conversation_id not in self._agents:
            self._agents[conversation_id] = self._make_agent(conversation_id)
        return self._agents[conversation_id]

    def _dispatch(self, session: Session, command: Command) -> None:
        match command:
            case OpenConversation() | CreateConversation():
                self._show(session)
            case RenameConversation(title=title):
                self._relist_after(session, self._store.rename(session.id, title))
            case DeleteConversation():
                session.stop_everything()
                self._relist_after(session, self._store.delete(session.id))
            case RestoreConversation():
                self._relist_after(session, self._store.restore(session.id))
            case _:
                carry_out(session, command)

    def _show(self, session: Session) -> None:
        self._shown = session.id
        self._answered_unseen.discard(session.id)
        self._emit(session.describe())
        self._listing.remark()

    def _relist_after(self, session: Session, change: Awaitable[None]) -> None:
        async def relist() -> None:
            try:
                await change
            except ProblemError as error:
                self._emit(StorageTrouble(conversation_id=session.id, problem=error.problem))
            self._listing.refresh()

        self._spawn(relist())

    def _heard(self, event: Event) -> None:
        """Pass on what a session says, and keep the list true."""
        self._emit(event)
        match event:
            case MessageCommitted():
                self._listing.refresh()
            case TurnEnded(conversation_id=conversation_id):
                if conversation_id != self._shown:
                    self._answered_unseen.add(conversation_id)
                self._listing.refresh()
            case TurnStarted() | QueueChanged():
                self._listing.remark()
            case _:
                pass

    def _mark(self, conversation_id: ConversationId) -> Mark:
        session = self._sessions.get(conversation_id)
        if session is None:
            return Mark.NONE
        if session.live is not None:
            return Mark.WORKING
        if any(waiting.state is WaitState.HELD for waiting in session.waiting):
            return Mark.HELD
        if isinstance(session.last_outcome, Failed):
            return Mark.FAILED
        return Mark.ANSWERED if conversation_id in self._answered_unseen else Mark.NONE

    def _spawn(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
