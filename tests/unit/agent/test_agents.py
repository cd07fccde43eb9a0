"""The agents at rest: the last few are kept, the others let go of their connections."""

from app.agent.agent import Agent
from app.agent.agents import KEPT_AT_REST, Agents
from app.agent.providers.fake import ScriptedProvider
from app.agent.tools.tool import Toolbox
from app.core.ids import ConversationId
from tests.harness.loops import pass_ticks
from tests.unit.agent.played import played


class Closable(ScriptedProvider):
    """Remembers whether it was closed."""

    is_closed = False

    async def aclose(self) -> None:
        """Note it."""
        self.is_closed = True


class Made:
    """Makes agents and remembers them."""

    def __init__(self) -> None:
        self.providers: list[Closable] = []
        self.agents = Agents(self._make)

    def _make(self, _: ConversationId) -> Agent:
        self.providers.append(Closable())
        return Agent(provider=self.providers[-1], toolbox=Toolbox())

    @property
    def closed(self) -> list[bool]:
        """Which of them were closed, in the order they were made."""
        return [provider.is_closed for provider in self.providers]


def ids(count: int) -> list[ConversationId]:
    return [ConversationId(str(number)) for number in range(count)]


@played
async def test_only_the_longest_at_rest_is_let_go() -> None:
    made = Made()
    for conversation_id in ids(KEPT_AT_REST + 1):
        made.agents.of(conversation_id)
        made.agents.turn_ended(conversation_id)
    await pass_ticks(2)
    assert made.closed == [True] + [False] * KEPT_AT_REST


@played
async def test_busy_agents_are_kept_however_many_there_are() -> None:
    made = Made()
    for conversation_id in ids(KEPT_AT_REST * 3):
        made.agents.of(conversation_id)
    made.agents.turn_ended(ids(1)[0])
    await pass_ticks(2)
    assert not any(made.closed)


@played
async def test_conversation_that_goes_on_gets_another_agent() -> None:
    made = Made()
    for conversation_id in ids(KEPT_AT_REST + 1):
        made.agents.of(conversation_id)
        made.agents.turn_ended(conversation_id)
    made.agents.of(ids(1)[0])
    await pass_ticks(2)
    assert made.closed == [True] + [False] * (KEPT_AT_REST + 1)
