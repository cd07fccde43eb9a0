"""All conversations at work: takes the front end's commands, tells what comes of them.

Lives on the agent loop. A conversation is read from disk when it is first named; what is asked of
it until then is done in order once it is there. Each has one session and one agent, kept for the
life of the process.
"""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import replace
from typing import Any

from app.agent.agent import Agent
from app.agent.agents import Agents
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
    SaveDraft,
    Submit,
)
from app.core.errors import ProblemError
from app.core.events import (
    Completed,
    Event,
    Failed,
    MessageCommitted,
    QueueChanged,
    StorageTrouble,
    TurnEnded,
    TurnStarted,
)
from app.core.ids import ConversationId
from app.core.messages import Conversation, Draft, Mark, Tree, WaitState, joined
from app.core.ports import Clock, Store, StoredConversation

QUIT_S = 1.0  # more than any turn takes to unwind; what is still being saved is the storage's


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
        self._emit = emit
        self._clock = clock
        self._sessions: dict[ConversationId, Session] = {}
        self._agents = Agents(make_agent)
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
        elif conversation_id in self._pending:
            self._pending[conversation_id].append(command)
        elif isinstance(command, CreateConversation):
            self._dispatch(self._adopt(self._blank(conversation_id)), command)
        else:
            self._pending[conversation_id] = [command]
            self._spawn(self._load(conversation_id))

    def list_conversations(self) -> None:
        """Tell the list anew."""
        self._listing.refresh()

    def renew_agents(self) -> None:
        """Let every conversation get a new agent for its next turn: the settings changed."""
        self._agents.renew(lambda conversation_id: self._sessions[conversation_id].live is not None)

    async def until_handled(self) -> None:
        """Wait until nothing that was asked waits for its conversation to be read."""
        while self._pending:
            await asyncio.wait(self._tasks)

    async def quit(self) -> None:
        """Stop every turn, start nothing more, wait for their ends, let go of connections."""
        self._closed = True
        self._listing.close()
        for commands in self._pending.values():
            self._keep(commands)
        for session in self._sessions.values():
            session.quit()
        until = _now() + QUIT_S
        while (tasks := self._under_way()) and (left := until - _now()) > 0:
            await asyncio.wait(tasks, timeout=left)
        await self._agents.let_go()

    def _under_way(self) -> set["asyncio.Task[None]"]:
        theirs = {task for session in self._sessions.values() for task in session.tasks}
        return theirs | self._tasks

    def _blank(self, conversation_id: ConversationId) -> StoredConversation:
        now = self._clock.now()
        conversation = Conversation(id=conversation_id, title="", created_at=now, updated_at=now)
        return StoredConversation(conversation=conversation, tree=Tree())

    async def _load(self, conversation_id: ConversationId) -> None:
        try:
            stored = await self._store.load(conversation_id)
        except ProblemError as error:
            # Not a blank one in its place: that would hide what the disk has.
            self._keep(self._pending.pop(conversation_id))
            self._emit(StorageTrouble(conversation_id=conversation_id, problem=error.problem))
            return
        stored = stored or self._blank(conversation_id)
        session = self._adopt(stored)
        for command in self._pending.pop(conversation_id):
            self._dispatch(session, _beside(stored.draft, command))
            if stored.draft.text and isinstance(command, Submit):
                session.save_draft(stored.draft)  # nobody had seen it: it was not what was sent

    def _adopt(self, stored: StoredConversation) -> Session:
        conversation_id = stored.conversation.id
        session = Session(
            stored=stored,
            store=self._store,
            agent=lambda: self._agents.of(conversation_id),
            emit=self._heard,
            clock=self._clock,
        )
        self._sessions[conversation_id] = session
        if self._closed:
            session.quit()
        return session

    def _keep(self, commands: list[Command]) -> None:
        """Put what was written on disk, held, where there is no session to take it."""
        for command in commands:
            if isinstance(command, Submit):
                saved = self._store.accept(command.order, command.intent)
                self._spawn(self._report(command.conversation_id, saved))

    async def _report(self, conversation_id: ConversationId, change: Awaitable[None]) -> None:
        try:
            await change
        except ProblemError as error:
            self._emit(StorageTrouble(conversation_id=conversation_id, problem=error.problem))

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
        self._listing.refresh()  # what was left may be nothing but a draft: it is listed now

    def _relist_after(self, session: Session, change: Awaitable[None]) -> None:
        async def relist() -> None:
            await self._report(session.id, change)
            self._listing.refresh()

        self._spawn(relist())

    def _heard(self, event: Event) -> None:
        """Pass on what a session says, and keep the list true."""
        self._emit(event)
        match event:
            case MessageCommitted():
                self._listing.refresh()
            case TurnEnded(conversation_id=conversation_id, outcome=outcome):
                if conversation_id != self._shown and isinstance(outcome, Completed):
                    self._answered_unseen.add(conversation_id)
                self._agents.turn_ended(conversation_id)
                self._listing.refresh()
            case TurnStarted() | QueueChanged():
                self._listing.remark()
            case _:
                pass

    def _mark(self, conversation_id: ConversationId) -> Mark | None:
        """Say what a conversation is doing; None if only the disk knows."""
        session = self._sessions.get(conversation_id)
        if session is None:
            return None
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


def _beside(stored: Draft, command: Command) -> Command:
    """Put words that were written before the stored draft was read behind it."""
    if isinstance(command, SaveDraft):
        return replace(command, draft=joined(stored, command.draft))
    return command


def _now() -> float:
    return asyncio.get_running_loop().time()
