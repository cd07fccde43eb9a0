"""When the disk refuses: it is told, nothing is lost, and nothing pretends to be empty."""

import asyncio
import logging
from pathlib import Path

import pytest

from app.agent.providers.fake import ScriptedProvider
from app.core.commands import (
    Command,
    DeleteConversation,
    OpenConversation,
    RenameConversation,
    RestoreConversation,
    SaveDraft,
    SendHeld,
)
from app.core.errors import Problem, ProblemError, ProblemKind
from app.core.events import (
    Completed,
    ConversationOpened,
    ConversationsChanged,
    StorageTrouble,
    TurnStarted,
)
from app.core.ids import ConversationId
from app.core.messages import Draft, Role, WaitState
from tests.fakes.stores import open_store
from tests.harness.loops import pass_ticks
from tests.unit.agent.played import played
from tests.unit.agent.stage import CHAT, Stage, agent_of, on_disk, spoken, staged
from tests.unit.agent.virtual import PacedStore, run_virtually

OTHER = ConversationId("other")
A, U = Role.ASSISTANT, Role.USER


class Refusing:
    """A store whose disk fails on demand; everything else goes to the real one."""

    def __init__(self, inner: object) -> None:
        self._inner = inner
        self.refused: set[str] = set()
        self.hangs: set[str] = set()

    def __getattr__(self, name: str) -> object:
        if name in self.hangs:
            return lambda *_, **__: asyncio.get_running_loop().create_future()
        if name in self.refused:
            return lambda *_, **__: _refusal()
        return getattr(self._inner, name)


def _refusal() -> "asyncio.Future[None]":
    future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
    future.set_exception(ProblemError(Problem(kind=ProblemKind.STORAGE_FULL)))
    return future


@played
async def test_a_conversation_that_cannot_be_read_is_not_replaced_by_an_empty_one(
    tmp_path: Path,
) -> None:
    async with staged(tmp_path / "a.db", ScriptedProvider()) as stage:
        stage.send("One")
        await stage.until_ended()
    provider = ScriptedProvider()
    with open_store(tmp_path / "a.db") as store:
        disk = Refusing(store)
        disk.refused = {"load"}
        stage = Stage(disk, agent_of(provider))  # type: ignore[arg-type]
        stage.do(OpenConversation(conversation_id=CHAT))
        stage.send("Two")
        trouble = await stage.until_heard(StorageTrouble)
        assert (trouble.conversation_id, trouble.problem.kind) == (CHAT, ProblemKind.STORAGE_FULL)
        await pass_ticks(20)
        assert stage.all(ConversationOpened) == []
        assert provider.requests == []
        disk.refused = set()
        stage.open()
        opened = await stage.until_heard(ConversationOpened)
        assert spoken(opened.tree.path())[0] == (U, "One")
        assert [(w.order.text, w.state) for w in opened.waiting] == [("Two", WaitState.HELD)]
        await stage.sessions.quit()


def test_quit_does_not_wait_for_a_disk_that_never_answers(tmp_path: Path) -> None:
    async def scenario() -> None:
        store = PacedStore(tmp_path / "a.db", pace=lambda: 0.0)
        disk = Refusing(store)
        stage = Stage(disk, agent_of(ScriptedProvider()))  # type: ignore[arg-type]
        stage.create()
        disk.hangs = {"accept"}
        stage.send("Hi")
        await stage.sessions.quit()  # in virtual time: waiting for ever raises
        assert stage.all(TurnStarted) == []
        assert store.close(1.0)

    run_virtually(scenario())


@played
async def test_a_message_the_disk_refuses_is_held_in_sight_and_saved_when_it_is_released(
    tmp_path: Path,
) -> None:
    with open_store(tmp_path / "a.db") as store:
        disk = Refusing(store)
        disk.refused = {"accept"}
        stage = Stage(disk, agent_of(provider := ScriptedProvider()))  # type: ignore[arg-type]
        stage.create()
        stage.send("Hi")
        trouble = await stage.until_heard(StorageTrouble)
        assert trouble.conversation_id == CHAT
        assert [w.state for w in stage.waiting] == [WaitState.HELD]
        assert provider.requests == []
        disk.refused = set()
        stage.do(SendHeld(conversation_id=CHAT))
        assert await stage.until_ended() == Completed()
        await stage.sessions.quit()
    assert spoken(on_disk(tmp_path / "a.db").tree.path())[0] == (U, "Hi")


@played
async def test_saving_a_refused_message_again_leaves_the_draft_written_meanwhile(
    tmp_path: Path,
) -> None:
    with open_store(tmp_path / "a.db") as store:
        disk = Refusing(store)
        disk.refused = {"accept"}
        stage = Stage(disk, agent_of(ScriptedProvider()))  # type: ignore[arg-type]
        stage.create()
        stage.send("Hi")
        await stage.until_heard(StorageTrouble)
        stage.do(SaveDraft(conversation_id=CHAT, draft=Draft(text="And then")))
        disk.refused = set()
        stage.do(SendHeld(conversation_id=CHAT))
        assert await stage.until_ended() == Completed()
        await stage.sessions.quit()
    assert on_disk(tmp_path / "a.db").draft.text == "And then"


@played
async def test_a_list_that_cannot_be_read_is_told(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with open_store(tmp_path / "a.db") as store:
        disk = Refusing(store)
        disk.refused = {"conversations"}
        stage = Stage(disk, agent_of(ScriptedProvider()))  # type: ignore[arg-type]
        with caplog.at_level(logging.WARNING):
            stage.sessions.list_conversations()
            trouble = await stage.until_heard(StorageTrouble)
        assert trouble.conversation_id is None
        disk.refused = set()
        stage.sessions.list_conversations()
        await stage.until_heard(ConversationsChanged)


@pytest.mark.parametrize("refused", ["rename", "delete", "restore"])
@played
async def test_a_change_the_disk_refuses_is_told(refused: str, tmp_path: Path) -> None:
    commands: dict[str, Command] = {
        "rename": RenameConversation(conversation_id=CHAT, title="x"),
        "delete": DeleteConversation(conversation_id=CHAT),
        "restore": RestoreConversation(conversation_id=CHAT),
    }
    with open_store(tmp_path / "a.db") as store:
        disk = Refusing(store)
        disk.refused = {refused}
        stage = Stage(disk, agent_of(ScriptedProvider()))  # type: ignore[arg-type]
        stage.create()
        stage.do(commands[refused])
        await stage.until_heard(StorageTrouble)
        await stage.sessions.quit()
