"""The services as the window uses them: each conversation asks whom it was told to, and no more."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from app.core.choices import with_choice
from app.core.commands import CreateConversation, Submit
from app.core.errors import ProblemKind
from app.core.events import Completed, Event, Failed, Retrying, TurnEnded
from app.core.ids import ConversationId, MessageId, new_message_id
from app.core.messages import Order, text_parts
from app.core.models import AskNow, LeaveOut, ListModels
from app.core.settings import Endpoint, Settings
from app.lifecycle.lease import Leases
from app.main.engine import Engine
from app.main.keys import Keys
from app.system.paths import Paths
from tests.fakes.script import failing, saying
from tests.fakes.server import FakeServer
from tests.unit.agent.played import played

HERE, THERE = ConversationId("here"), ConversationId("there")


class Front:
    """A front end that asks and waits for the end of each turn."""

    def __init__(self) -> None:
        self.engine: Engine
        self._ended: asyncio.Queue[TurnEnded] = asyncio.Queue()
        self.listed = asyncio.Event()
        self.retries: asyncio.Queue[Retrying] = asyncio.Queue()

    def heard(self, event: Event) -> None:
        if isinstance(event, TurnEnded):
            self._ended.put_nowait(event)
        if isinstance(event, Retrying):
            self.retries.put_nowait(event)

    async def ask(self, chat: ConversationId, text: str) -> MessageId:
        message_id = new_message_id()
        order = Order(id=message_id, conversation_id=chat, parts=text_parts(text))
        self.engine.handle(Submit(conversation_id=chat, order=order))
        self.last = await self._ended.get()
        return message_id


@asynccontextmanager
async def opened(home: Path, settings: Settings) -> AsyncIterator[Front]:
    paths = Paths.find({"BELAY_HOME": str(home)})
    paths.make()
    lease = Leases(paths.data).take("test")
    front = Front()
    front.engine = Engine(
        paths=paths,
        settings=settings,
        keys=Keys({}),
        environ={},
        lease=lease,
        emit=front.heard,
        emit_models=lambda _: front.listed.set(),
    )
    front.engine.open()
    for chat in (HERE, THERE):
        front.engine.handle(CreateConversation(conversation_id=chat))
    try:
        yield front
    finally:
        await front.engine.close()
        front.engine.store.close(5)
        lease.release()


def contents(server: FakeServer) -> list[str]:
    return [str(message["content"]) for message in server.log.chats[-1].messages]


@played
async def test_a_model_chosen_for_a_conversation_answers_there_and_nowhere_else(
    tmp_path: Path,
) -> None:
    with FakeServer() as first, FakeServer() as second:
        one = Endpoint(base_url=first.url, model="one")
        two = Endpoint(base_url=second.url, model="two")
        settings = Settings(endpoints=(one, two))
        async with opened(tmp_path, settings) as front:
            await front.ask(HERE, "Who are you?")
            front.engine.use(with_choice(settings, HERE, two))
            await front.ask(HERE, "And now?")
            await front.ask(THERE, "And here?")
        assert [contents(server)[-1] for server in (first, second)] == ["And here?", "And now?"]
        assert len(second.log.chats) == 1


@played
async def test_what_is_left_out_is_sent_no_more_until_it_is_taken_back(tmp_path: Path) -> None:
    with FakeServer() as server:
        settings = Settings(endpoints=(Endpoint(base_url=server.url, model="m"),))
        async with opened(tmp_path, settings) as front:
            old = await front.ask(HERE, "Something old")
            front.engine.handle_models(LeaveOut(conversation_id=HERE, message_ids=frozenset({old})))
            await front.ask(HERE, "Something new")
            assert "Something old" not in contents(server)
            front.engine.handle_models(LeaveOut(conversation_id=HERE, message_ids=frozenset()))
            await front.ask(HERE, "And all of it")
            assert contents(server)[0] == "Something old"
        assert server.log.violations == []


@played
async def test_a_wait_for_the_next_attempt_ends_when_the_person_says_so(tmp_path: Path) -> None:
    with FakeServer() as server:
        # Twice: waited for to the end, both are longer than any test may take.
        for _ in range(2):
            server.script(failing(503, retry_after="50"))
        server.script(saying("At once"))
        settings = Settings(endpoints=(Endpoint(base_url=server.url, model="m"),))
        async with opened(tmp_path, settings) as front:
            asking = asyncio.ensure_future(front.ask(HERE, "Hello"))
            for _ in range(2):
                retrying = await front.retries.get()
                assert retrying.wait_s > 49
                front.engine.handle_models(AskNow(conversation_id=THERE))
                front.engine.handle_models(AskNow(conversation_id=HERE))
            await asking
            assert isinstance(front.last.outcome, Completed)
        assert len(server.log.chats) == 3


@played
async def test_what_cannot_fit_fails_before_it_is_sent(tmp_path: Path) -> None:
    with FakeServer() as server:
        small = Endpoint(base_url=server.url, model="m", context_window=50)
        async with opened(tmp_path, Settings(endpoints=(small,))) as front:
            await front.ask(HERE, "word " * 200)
            assert isinstance(front.last.outcome, Failed)
            assert front.last.outcome.problem.kind is ProblemKind.TOO_LONG
        assert server.log.chats == []


@played
async def test_the_window_that_a_server_tells_counts_from_then_on(tmp_path: Path) -> None:
    with FakeServer() as server:
        server.models, server.windows = ["m"], {"m": 50}
        settings = Settings(endpoints=(Endpoint(base_url=server.url, model="m"),))
        async with opened(tmp_path, settings) as front:
            front.engine.handle_models(ListModels(base_url=server.url))
            await front.listed.wait()
            await front.ask(HERE, "word " * 200)
            assert isinstance(front.last.outcome, Failed)
            assert front.last.outcome.problem.params["limit"] == 50
        assert server.log.chats == []
