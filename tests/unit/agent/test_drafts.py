"""What stands unsent survives: drafts and open edits, however the conversation comes and goes."""

from pathlib import Path

from app.agent.providers.fake import ScriptedProvider
from app.core.commands import SaveDraft, SaveEdit
from app.core.events import ConversationOpened, ConversationsChanged
from app.core.ids import ConversationId
from app.core.messages import Draft
from tests.unit.agent.played import played
from tests.unit.agent.stage import CHAT, Stage, on_disk, staged

OTHER = ConversationId("other")


def titles(stage: Stage) -> list[str]:
    told = stage.all(ConversationsChanged)
    return [each.title for each in told[-1].conversations] if told else []


@played
async def test_a_draft_that_was_left_unsent_is_listed(tmp_path: Path) -> None:
    async with staged(tmp_path / "a.db", ScriptedProvider()) as stage:
        stage.do(SaveDraft(conversation_id=CHAT, draft=Draft(text="Half a thought")))
        stage.create(OTHER)
        await stage.until(lambda: titles(stage) == ["Half a thought"])


async def left_with_a_draft(path: Path) -> None:
    async with staged(path, ScriptedProvider()) as stage:
        stage.send("First")
        await stage.until_ended()
        stage.do(SaveDraft(conversation_id=CHAT, draft=Draft(text="stored")))


@played
async def test_words_written_before_the_draft_is_read_do_not_replace_it(tmp_path: Path) -> None:
    await left_with_a_draft(tmp_path / "a.db")
    async with staged(tmp_path / "a.db", ScriptedProvider(), chat=None) as stage:
        stage.open()
        stage.do(SaveDraft(conversation_id=CHAT, draft=Draft(text="early", cursor=5)))
        await stage.until_heard(ConversationOpened)
    assert on_disk(tmp_path / "a.db").draft == Draft(text="stored\nearly", cursor=12)


@played
async def test_words_for_a_conversation_still_being_read_are_handled_in_the_end(
    tmp_path: Path,
) -> None:
    await left_with_a_draft(tmp_path / "a.db")
    async with staged(tmp_path / "a.db", ScriptedProvider(), chat=None) as stage:
        stage.do(SaveDraft(conversation_id=CHAT, draft=Draft(text="spoken")))
        await stage.sessions.until_handled()
        await stage.store.conversations()  # it sees every write before it
        assert on_disk(tmp_path / "a.db").draft.text == "stored\nspoken"


@played
async def test_a_message_sent_before_the_draft_is_read_does_not_end_it(tmp_path: Path) -> None:
    await left_with_a_draft(tmp_path / "a.db")
    async with staged(tmp_path / "a.db", ScriptedProvider(), chat=None) as stage:
        stage.open()
        stage.send("Second")
        await stage.until_ended()
    assert on_disk(tmp_path / "a.db").draft.text == "stored"


@played
async def test_words_of_an_open_edit_come_back_and_end_with_it(tmp_path: Path) -> None:
    async with staged(tmp_path / "a.db", ScriptedProvider()) as stage:
        stage.send("First")
        await stage.until_ended()
        edited = next(iter(on_disk(tmp_path / "a.db").tree.messages))
        stage.do(SaveEdit(conversation_id=CHAT, message_id=edited, text="First of"))
    async with staged(tmp_path / "a.db", ScriptedProvider(), chat=None) as stage:
        stage.open()
        await stage.until_heard(ConversationOpened)
        assert stage.all(ConversationOpened)[0].edits == {edited: "First of"}
        stage.do(SaveEdit(conversation_id=CHAT, message_id=edited, text=""))
    assert on_disk(tmp_path / "a.db").edits == {}


@played
async def test_quit_keeps_words_written_while_the_conversation_is_read(tmp_path: Path) -> None:
    await left_with_a_draft(tmp_path / "a.db")
    async with staged(tmp_path / "a.db", ScriptedProvider(), chat=None) as stage:
        stage.open()
        stage.do(SaveDraft(conversation_id=CHAT, draft=Draft(text="early")))
    assert on_disk(tmp_path / "a.db").draft.text == "stored\nearly"


@played
async def test_a_draft_ends_when_it_is_sent(tmp_path: Path) -> None:
    async with staged(tmp_path / "a.db", ScriptedProvider()) as stage:
        stage.do(SaveDraft(conversation_id=CHAT, draft=Draft(text="Hel", cursor=3)))
        stage.open()
        assert stage.all(ConversationOpened)[-1].draft.text == "Hel"
        stage.send("Hello")
        stage.open()
        assert stage.all(ConversationOpened)[-1].draft == Draft()
        await stage.until_ended()
    assert on_disk(tmp_path / "a.db").draft == Draft()
