"""Each turn has a token of its own: a late cancel finds only the turn it was meant for."""

from pathlib import Path

from app.agent.provider import TextChunk
from app.agent.providers.fake import Gate, ScriptedProvider
from app.agent.session import LiveTurn
from app.core.events import Completed, Stopped, StopReason
from tests.harness.loops import pass_ticks
from tests.unit.agent.played import played
from tests.unit.agent.stage import CHAT, Stage, staged


def running(stage: Stage) -> LiveTurn:
    """Find the running turn, as the window's thread does."""
    session = stage.sessions.session(CHAT)
    assert session is not None
    assert session.live is not None
    return session.live


@played
async def test_a_cancel_that_overtakes_the_turns_end_spares_the_next_turn(tmp_path: Path) -> None:
    first, second = Gate(), Gate()
    provider = ScriptedProvider([first], [second, TextChunk(text="Two")])
    async with staged(tmp_path / "a.db", provider) as stage:
        stage.send("First")
        await first.reached.wait()
        # The window's thread has found the running turn, and is held up here.
        found = running(stage)
        first.open()
        await stage.until_ended()
        stage.send("Second")
        await second.reached.wait()
        found.token.cancel(StopReason.PERSON)
        await pass_ticks(20)
        second.open()
        assert await stage.until_ended(2) == Completed()


@played
async def test_a_stopped_turns_token_stays_cancelled_when_the_next_begins(tmp_path: Path) -> None:
    first, second = Gate(), Gate()
    async with staged(tmp_path / "a.db", ScriptedProvider([first], [second])) as stage:
        stage.send("First")
        await first.reached.wait()
        found = running(stage)
        stage.stop()
        assert isinstance(await stage.until_ended(), Stopped)
        stage.send("Second")
        await second.reached.wait()
        assert found.token.is_cancelled
        assert not running(stage).token.is_cancelled
        second.open()
        await stage.until_ended(2)
