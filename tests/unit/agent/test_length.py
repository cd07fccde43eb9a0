"""An answer that a limit cut off says so, and can be continued."""

from pathlib import Path

from app.core.events import Completed
from app.core.messages import Ending
from app.core.wording import caption
from tests.fakes.script import Answer, Done, Finish, Text
from tests.fakes.server import FakeServer
from tests.unit.agent.played import played
from tests.unit.agent.stage import on_disk, staged
from tests.unit.agent.wire import asking


@played
async def test_an_answer_at_its_limit_is_kept_as_cut_off(
    tmp_path: Path, server: FakeServer
) -> None:
    server.script(Answer(steps=(Text("Once upon a"), Finish("length"), Done())))
    async with staged(tmp_path / "a.db", asking(server.url)) as stage:
        stage.send("A story")
        assert isinstance(await stage.until_ended(), Completed)
    answer = on_disk(tmp_path / "a.db").tree.path()[-1]
    assert (answer.text, answer.ending) == ("Once upon a", Ending.TOO_LONG)
    assert answer.ending.is_interrupted
    assert caption(answer.ending) == "Cut off: longest answer reached"
