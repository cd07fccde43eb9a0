"""The desk: commands before their conversation is read, several at once, quit."""

import asyncio
from pathlib import Path

import pytest

from app.agent.agent import Agent
from app.agent.provider import Provider, TextChunk
from app.agent.providers.fake import Gate, ScriptedProvider
from app.agent.tools.tool import Toolbox
from app.core.commands import (
    DeleteConversation,
    RenameConversation,
    RestoreConversation,
)
from app.core.errors import Problem, ProblemError, ProblemKind
from app.core.events import (
    Completed,
    ConversationOpened,
    ConversationsChanged,
    Failed,
    Stopped,
    TextDelta,
    TurnEnded,
    TurnStarted,
)
from app.core.ids import ConversationId
from app.core.messages import Intent, Mark, Role, WaitState
from tests.fakes.stores import open_store
from tests.harness.loops import pass_ticks
from tests.unit.agent.played import played
from tests.unit.agent.promises import check_turns
from tests.unit.agent.stage import CHAT, Stage, agent_of, on_disk, spoken, staged

OTHER = ConversationId("other")
A, U = Role.ASSISTANT, Role.USER


def titles(stage: Stage) -> list[str]:
    told = stage.all(ConversationsChanged)
    return [each.title for each in told[-1].conversations] if told else []


def mark(stage: Stage, chat: ConversationId = CHAT) -> Mark | None:
    told = stage.all(ConversationsChanged)
    found = [each.mark for each in told[-1].conversations if each.id == chat] if told else []
    return found[0] if found else None


@played
async def test_commands_before_the_conversation_is_read_are_done_in_order(
    tmp_path: Path,
) -> None:
    async with staged(tmp_path / "a.db", ScriptedProvider()) as stage:
        stage.send("First")
        await stage.until_ended()
    provider = ScriptedProvider()
    async with staged(tmp_path / "a.db", provider, chat=None) as stage:
        stage.open()
        stage.send("Second")
        stage.send("Third", Intent.QUEUE)
        assert stage.sessions.session(CHAT) is None, "it is still being read"
        await stage.until_ended(1)
    kept = on_disk(tmp_path / "a.db")
    users = [message.text for message in kept.tree.path() if message.role is U]
    assert users[:2] == ["First", "Second"]
    assert isinstance(stage.events[0], ConversationOpened)
    assert "Third" in [*users, *(order.text for order, _ in kept.waiting)]


@played
async def test_an_unknown_conversation_begins_empty(tmp_path: Path) -> None:
    async with staged(tmp_path / "a.db", ScriptedProvider(), chat=None) as stage:
        stage.open(OTHER)
        opened = await stage.until_heard(ConversationOpened)
        assert (opened.tree.messages, opened.waiting, opened.last_epoch) == ({}, (), 0)
        stage.send("Hi", chat=OTHER)
        assert await stage.until_ended() == Completed()


@played
async def test_creating_what_is_being_read_does_not_replace_it(tmp_path: Path) -> None:
    async with staged(tmp_path / "a.db", ScriptedProvider()) as stage:
        stage.send("First")
        await stage.until_ended()
    async with staged(tmp_path / "a.db", ScriptedProvider(), chat=None) as stage:
        stage.open()
        stage.create()
        await stage.until_heard(ConversationOpened, 2)
        assert all(opened.tree.messages for opened in stage.all(ConversationOpened))


@played
async def test_several_conversations_are_independent(tmp_path: Path) -> None:
    gates = {CHAT: Gate(), OTHER: Gate()}
    providers = {
        chat: ScriptedProvider([TextChunk(text=chat), gate]) for chat, gate in gates.items()
    }

    def make_agent(chat: ConversationId) -> Agent:
        return Agent(provider=providers[chat], toolbox=Toolbox())

    async with staged(tmp_path / "a.db", providers[CHAT], make_agent=make_agent) as stage:
        stage.create(OTHER)
        stage.send("Here")
        stage.send("There", chat=OTHER)
        await gates[CHAT].reached.wait()
        await gates[OTHER].reached.wait()
        stage.send("Later", Intent.QUEUE, chat=OTHER)
        stage.stop(epoch=1)
        await stage.until_ended()
        assert stage.all(TurnEnded)[0].conversation_id == CHAT
        gates[OTHER].open()
        await stage.until_ended(3)
    outcomes = {(e.conversation_id, e.epoch): e.outcome for e in stage.all(TurnEnded)}
    assert isinstance(outcomes[CHAT, 1], Stopped)
    assert outcomes[OTHER, 1] == outcomes[OTHER, 2] == Completed()
    here = {e.text for e in stage.all(TextDelta) if e.conversation_id == CHAT}
    assert here == {CHAT}
    assert spoken(on_disk(tmp_path / "a.db", OTHER).tree.path())[0] == (U, "There")


@played
async def test_twenty_failing_turns_keep_one_agent(tmp_path: Path) -> None:
    fault = Problem(kind=ProblemKind.SERVER_FAULT)
    made: list[ConversationId] = []
    provider = ScriptedProvider(*[[fault]] * 20)

    def make_agent(chat: ConversationId) -> Agent:
        made.append(chat)
        return Agent(provider=provider, toolbox=Toolbox())

    async with staged(tmp_path / "a.db", provider, make_agent=make_agent) as stage:
        for n in range(20):
            stage.send(f"Try {n}")
            assert isinstance(await stage.until_ended(n + 1), Failed)
        stage.send("Once more")
        assert await stage.until_ended(21) == Completed()
    assert made == [CHAT]
    assert len(provider.requests) == 21


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (ProblemError(Problem(kind=ProblemKind.BAD_ADDRESS)), ProblemKind.BAD_ADDRESS),
        (RuntimeError("no"), ProblemKind.INTERNAL),
    ],
)
@played
async def test_an_agent_that_cannot_be_made_fails_the_turn_and_is_tried_again(
    error: Exception, kind: ProblemKind, tmp_path: Path
) -> None:
    provider = ScriptedProvider()
    errors = [error]

    def make_agent(_: ConversationId) -> Agent:
        if errors:
            raise errors.pop()
        return Agent(provider=provider, toolbox=Toolbox())

    async with staged(tmp_path / "a.db", provider, make_agent=make_agent) as stage:
        stage.send("One")
        outcome = await stage.until_ended()
        assert isinstance(outcome, Failed)
        assert outcome.problem.kind is kind
        stage.send("Two")
        assert await stage.until_ended(2) == Completed()


@played
async def test_new_settings_do_not_cut_off_the_running_answer(tmp_path: Path) -> None:
    gate = Gate()
    providers = [ScriptedProvider([TextChunk(text="Old"), gate]), ScriptedProvider()]
    unused: list[Provider] = list(reversed(providers))

    def make_agent(_: ConversationId) -> Agent:
        return Agent(provider=unused.pop(), toolbox=Toolbox())

    async with staged(tmp_path / "a.db", providers[0], make_agent=make_agent) as stage:
        stage.send("One")
        await gate.reached.wait()
        stage.sessions.renew_agents()
        await pass_ticks(20)
        assert [provider.is_closed for provider in providers] == [False, False]
        gate.open()
        assert await stage.until_ended() == Completed()
        await pass_ticks(5)
        assert [provider.is_closed for provider in providers] == [True, False]
        stage.send("Two")
        assert await stage.until_ended(2) == Completed()
        assert len(providers[1].requests) == 1
        stage.sessions.renew_agents()
        await pass_ticks(5)
        assert [provider.is_closed for provider in providers] == [True, True]


@played
async def test_quit_ends_every_turn_and_closes_every_provider(tmp_path: Path) -> None:
    gates = [Gate(), Gate()]
    provider = ScriptedProvider(*[[gate] for gate in gates])
    with open_store(tmp_path / "a.db") as store:
        stage = Stage(store, agent_of(provider))
        stage.create()
        stage.create(OTHER)
        stage.send("Here")
        stage.send("There", chat=OTHER)
        for gate in gates:
            await gate.reached.wait()
        await stage.sessions.quit()
        check_turns(stage.events)
        assert len(stage.outcomes) == 2
        stage.send("After the end")
        await pass_ticks(20)
        assert len(stage.all(TurnStarted)) == 2
    assert provider.is_closed
    assert [order.text for order, _ in on_disk(tmp_path / "a.db").waiting] == ["After the end"]


@played
async def test_what_was_sent_to_a_conversation_still_being_read_survives_quit(
    tmp_path: Path,
) -> None:
    async with staged(tmp_path / "a.db", ScriptedProvider(), chat=None) as stage:
        stage.send("Just in time")
        assert stage.sessions.session(CHAT) is None
    assert [order.text for order, _ in on_disk(tmp_path / "a.db").waiting] == ["Just in time"]


@played
async def test_a_conversation_read_only_after_quit_starts_nothing(tmp_path: Path) -> None:
    async with staged(tmp_path / "a.db", provider := ScriptedProvider(), chat=None) as stage:
        stage.open()
        late = stage.send("Too late")
        await asyncio.sleep(0)  # it is being read
        await stage.sessions.quit()
        await stage.until_saved(late)
        await pass_ticks(20)
        assert [waiting.state for waiting in stage.waiting] == [WaitState.HELD]
    assert provider.requests == []


@played
async def test_deleting_a_conversation_stops_it_and_restoring_brings_it_back(
    tmp_path: Path,
) -> None:
    gate = Gate()
    provider = ScriptedProvider([TextChunk(text="Half"), gate])
    async with staged(tmp_path / "a.db", provider) as stage:
        stage.send("One")
        await gate.reached.wait()
        await stage.until_saved(stage.send("Queued", Intent.QUEUE))
        stage.do(DeleteConversation(conversation_id=CHAT))
        assert isinstance(await stage.until_ended(), Stopped)
        await stage.until(lambda: not titles(stage))
        assert [w.state for w in stage.waiting] == [WaitState.HELD]
        stage.do(RestoreConversation(conversation_id=CHAT))
        await stage.until(lambda: titles(stage) == ["One"])
    assert spoken(on_disk(tmp_path / "a.db").tree.path()) == [(U, "One"), (A, "Half")]


@played
async def test_renaming_reaches_the_list(tmp_path: Path) -> None:
    async with staged(tmp_path / "a.db", ScriptedProvider()) as stage:
        stage.send("One")
        await stage.until_ended()
        stage.do(RenameConversation(conversation_id=CHAT, title="Ropes"))
        await stage.until(lambda: titles(stage) == ["Ropes"])


@played
async def test_the_list_says_what_each_conversation_is_doing(tmp_path: Path) -> None:
    gate = Gate()
    provider = ScriptedProvider([gate, TextChunk(text="One")], [Problem(kind=ProblemKind.TLS)])
    async with staged(tmp_path / "a.db", provider) as stage:
        stage.send("One")
        await stage.until(lambda: mark(stage) is Mark.WORKING)
        stage.create(OTHER)
        gate.open()
        await stage.until(lambda: mark(stage) is Mark.ANSWERED)
        stage.open()
        await stage.until(lambda: mark(stage) is Mark.NONE)
        stage.send("Two")
        await stage.until(lambda: mark(stage) is Mark.FAILED)
        stage.send("Three")
        stage.stop(epoch=3)
        await stage.until(lambda: mark(stage) is Mark.HELD)


@played
async def test_a_stopped_answer_in_the_background_is_not_marked_as_answered(
    tmp_path: Path,
) -> None:
    gate = Gate()
    async with staged(tmp_path / "a.db", ScriptedProvider([gate])) as stage:
        stage.send("One")
        await gate.reached.wait()
        stage.create(OTHER)
        stage.stop()
        await stage.until_ended()
        await stage.until(lambda: mark(stage) is Mark.NONE)
        await pass_ticks(20)
        assert mark(stage) is Mark.NONE


@played
async def test_after_a_restart_the_list_still_says_what_is_held(tmp_path: Path) -> None:
    async with staged(tmp_path / "a.db", ScriptedProvider()) as stage:
        stage.send("One")
        stage.stop(epoch=1)
        await stage.until(lambda: mark(stage) is Mark.HELD)
    async with staged(tmp_path / "a.db", ScriptedProvider(), chat=None) as stage:
        stage.sessions.list_conversations()
        await stage.until_heard(ConversationsChanged)
        assert mark(stage) is Mark.HELD


@played
async def test_a_view_that_opens_in_mid_answer_is_told_all_of_it(tmp_path: Path) -> None:
    gate = Gate()
    provider = ScriptedProvider([TextChunk(text="Half"), gate])
    async with staged(tmp_path / "a.db", provider) as stage:
        stage.send("One")
        await gate.reached.wait()
        stage.open()
        opened = stage.all(ConversationOpened)[-1]
        assert spoken(opened.tree.path()) == [(U, "One"), (A, "Half")]
        assert opened.running == stage.all(TurnStarted)[0]
        assert opened.last_epoch == 1
