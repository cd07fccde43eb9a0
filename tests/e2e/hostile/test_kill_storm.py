"""`kill -9` on the real `belay`, at any instant: what it acknowledged is on disk, exactly once.

The acknowledgements are held by this process. One home for the whole storm, so that every round
also recovers what the one before left.
"""

import faulthandler
import os
import random
import signal
import threading
from pathlib import Path

import pytest

from app.core.messages import Ending, Role
from tests.conftest import BelayStarter
from tests.e2e import stored
from tests.e2e.asking import events
from tests.e2e.hand import until
from tests.fakes.server import FakeServer
from tests.fakes.stores import BOUND_S, open_store
from tests.harness.environment import is_proving
from tests.harness.process import BelayProcess

KILLS = 48 if is_proving() else 3
SEED = 11


@pytest.fixture
def server() -> FakeServer:
    """Give a server that takes its time with every answer."""
    return FakeServer(rate=50.0)


def killed_sometime(belay: BelayProcess, chance: random.Random) -> list[dict[str, object]]:
    """Kill it before it says anything, or once it has said so much; give what it had said."""
    lines = chance.choice([0, 1, 2, 4, 6, 9])
    if lines:
        belay.stdout.wait_for(lambda text: text.count("\n") >= lines)
        threading.Event().wait(chance.choice([0.0, chance.random() * 0.2]))
    else:
        threading.Event().wait(chance.random() * 1.5)
    os.kill(belay.pid, signal.SIGKILL)
    belay.wait()
    whole = belay.stdout.read_to_end().rpartition("\n")[0]
    return events(whole)


def test_acknowledged_messages_survive_a_storm_of_kills_exactly_once(
    start_belay: BelayStarter, server: FakeServer, belay_home: Path
) -> None:
    faulthandler.cancel_dump_traceback_later()  # pytest's bound is too short for the long run
    chance, acknowledged, asked = random.Random(SEED), [], []
    with server:
        for number in range(KILLS):
            text = f"question {number} " + "with some words to echo " * 4
            belay = start_belay("ask", "--json", text, env={"OPENAI_BASE_URL": server.url})
            belay.close_stdin()
            asked.append(text.strip())
            told = killed_sometime(belay, chance)
            if any(event["type"] == "message_committed" for event in told):
                acknowledged.append(text.strip())
            until(lambda belay=belay: not belay.tree(), "no process is left")  # type: ignore[misc]
    kept = [text.strip() for text in stored.everything(belay_home)]
    assert len(kept) == len(set(kept)), "a message is there twice"
    assert set(acknowledged) <= set(kept) <= set(asked)
    assert acknowledged, "the storm killed everything before it began"
    _check_answers(belay_home)


def _check_answers(home: Path) -> None:
    """No answer is left open, and none is empty."""
    with open_store(home / "data" / "belay.db") as store:
        listed = store.conversations().wait(BOUND_S)
        loaded = [store.load(each.id).wait(BOUND_S) for each in listed]
    answers = [m for each in loaded if each for m in each.tree.path() if m.role is Role.ASSISTANT]
    assert all(answer.text and answer.ending is not Ending.OPEN for answer in answers)
