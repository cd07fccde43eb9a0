"""The agents of all conversations: made once each, renewed when the settings change.

Lives on the agent loop. An agent that is replaced while its turn runs is closed when that turn
has ended: closing it earlier would cut off the answer. Of those at rest only the last few are
kept, for each may hold a connection open; another is made when its conversation goes on.
"""

import asyncio
import logging
from collections.abc import Callable, Iterable

from app.agent.agent import Agent
from app.agent.provider import ChatRequest, Emit, Reply
from app.agent.tools.tool import Toolbox
from app.core.errors import Problem, ProblemError, ProblemKind
from app.core.ids import ConversationId
from app.core.tokens import CancelToken

log = logging.getLogger(__name__)

LET_GO_S = 0.2
KEPT_AT_REST = 4


class Agents:
    """Who answers where."""

    def __init__(self, make: Callable[[ConversationId], Agent]) -> None:
        self._make = make
        self._agents: dict[ConversationId, Agent] = {}
        self._retired: dict[ConversationId, list[Agent]] = {}
        self._at_rest: dict[ConversationId, None] = {}  # the longest at rest first
        self._closing: set[asyncio.Task[None]] = set()

    def of(self, conversation_id: ConversationId) -> Agent:
        """Find a conversation's agent; one that cannot be made fails its turns with the reason."""
        self._at_rest.pop(conversation_id, None)
        if conversation_id not in self._agents:
            try:
                self._agents[conversation_id] = self._make(conversation_id)
            except ProblemError as error:
                return _unavailable(error.problem)
            except Exception as error:
                log.exception("no agent could be made")
                return _unavailable(Problem(kind=ProblemKind.INTERNAL, detail=repr(error)))
        return self._agents[conversation_id]

    def renew(self, is_busy: Callable[[ConversationId], bool]) -> None:
        """Make every conversation's agent anew for its next turn."""
        agents, self._agents = self._agents, {}
        self._at_rest.clear()
        for conversation_id, agent in agents.items():
            self._retired.setdefault(conversation_id, []).append(agent)
            if not is_busy(conversation_id):
                self.turn_ended(conversation_id)

    def turn_ended(self, conversation_id: ConversationId) -> None:
        """Close what was replaced meanwhile, and what has rested longest if there are many."""
        self._close(self._retired.pop(conversation_id, ()))
        if conversation_id in self._agents:
            self._at_rest.pop(conversation_id, None)
            self._at_rest[conversation_id] = None
        while len(self._at_rest) > KEPT_AT_REST:
            oldest = next(iter(self._at_rest))
            del self._at_rest[oldest]
            self._close([self._agents.pop(oldest)])

    async def let_go(self) -> None:
        """Close all connections, without waiting long for it."""
        self._close((*self._agents.values(), *(a for each in self._retired.values() for a in each)))
        self._agents, self._retired = {}, {}
        if self._closing:
            await asyncio.wait(self._closing, timeout=LET_GO_S)

    def _close(self, agents: Iterable[Agent]) -> None:
        for agent in agents:
            task = asyncio.get_running_loop().create_task(agent.provider.aclose())
            self._closing.add(task)
            task.add_done_callback(self._closing.discard)


def _unavailable(reason: Problem) -> Agent:
    return Agent(provider=_Excuse(reason), toolbox=Toolbox())


class _Excuse:
    """Stands in for a provider that could not be made."""

    def __init__(self, reason: Problem) -> None:
        self._reason = reason

    @property
    def model(self) -> str:
        return ""

    async def stream(self, request: ChatRequest, token: CancelToken, emit: Emit) -> Reply:
        del request, emit
        token.check()
        raise ProblemError(self._reason)

    async def aclose(self) -> None:
        """Nothing is open."""
