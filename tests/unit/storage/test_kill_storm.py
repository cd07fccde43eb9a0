"""`kill -9` at any instant: what was acknowledged is there, exactly once, and nothing is torn.

The acknowledgements are held by this process; the killed one cannot take them along.
"""

import os
import random
import signal
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import apsw
import pytest

from app.core.ids import ConversationId, MessageId
from app.core.messages import Ending, Role
from app.core.ports import StoredConversation
from tests.fakes.stores import BOUND_S, open_store
from tests.harness.environment import is_proving

KILLS = 50 if is_proving() else 36
SEEDS = range(20) if is_proving() else range(1)

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs fork")


@dataclass(slots=True)
class Promises:
    """What one round acknowledged before it was killed."""

    orders: list[MessageId] = field(default_factory=list)
    words: dict[MessageId, int] = field(default_factory=dict)
    edits: dict[MessageId, str] = field(default_factory=dict)
    draft: tuple[str, int] | None = None  # and how many orders there were when it was written

    def hear(self, kind: str, about: str, count: int) -> None:
        """Take note of a promise."""
        if kind == "order":
            self.orders.append(MessageId(about))
        elif kind == "words":
            self.words[MessageId(about)] = count
        else:
            self.edits[MessageId(about)] = f"edit {count}"
            self.draft = f"draft {count}", len(self.orders)


class Storm:
    """The process that forks the ones to be killed."""

    def __init__(self, folder: Path) -> None:
        script = Path(__file__).with_name("child_storm.py")
        self._process = subprocess.Popen(
            [sys.executable, script],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            bufsize=1,
        )
        self._path = folder / "a.db"

    def round(self, number: int, chance: random.Random) -> Promises:
        """Let it work until it has said something, then kill it at once or a little later."""
        assert self._process.stdin is not None
        print(number, self._path, file=self._process.stdin, flush=True)
        patience, delay_s = chance.randrange(25), chance.choice([0.0, chance.random() * 0.01])
        promises, pid = Promises(), 0
        for said, words in enumerate(self._lines(number), start=1):
            if words[0] == "end":
                return promises
            if words[0] == "pid":
                pid = int(words[1])
            else:
                promises.hear(words[0], words[1], int(words[2]) if words[2:] else 0)
            if pid and said >= patience:
                threading.Event().wait(delay_s)
                os.kill(pid, signal.SIGKILL)
                pid = 0
        raise AssertionError("the storm ended by itself")

    def _lines(self, number: int) -> Iterator[list[str]]:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            said_by, *words = line.split()
            assert int(said_by) == number
            yield words

    def end(self) -> None:
        """End the forking process too."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.close()
        self._process.wait(BOUND_S)
        self._process.stdout.close()


@pytest.fixture
def storm(tmp_path: Path) -> Iterator[Storm]:
    storm = Storm(tmp_path)
    yield storm
    storm.end()


def check(found: StoredConversation | None, promises: Promises) -> None:
    if found is None:
        assert not promises.orders
        return
    tree = found.tree.messages
    asked = [m.id for m in tree.values() if m.role is Role.USER]
    places = Counter([*asked, *(order.id for order, _ in found.waiting)])
    assert [i for i in promises.orders if places[i] != 1] == [], "acknowledged once, there once"
    assert max(places.values(), default=1) == 1
    for message in tree.values():
        words = message.text.split()
        assert message.ending is not Ending.OPEN
        assert words, "no empty message"
        if message.role is Role.ASSISTANT:
            assert words == [str(i) for i in range(len(words))], "no word twice, none missing"
            assert len(words) >= promises.words.get(message.id, 0)
    assert set(promises.words) <= set(tree)
    assert promises.edits.items() <= found.edits.items()
    if promises.draft is not None:
        draft, orders = promises.draft
        has_new_order = places.total() > orders  # which ended it, whether or not it was told
        assert found.draft.text == draft or has_new_order


@pytest.mark.parametrize("seed", SEEDS)
def test_no_kill_loses_or_doubles_what_was_acknowledged(
    storm: Storm, tmp_path: Path, seed: int
) -> None:
    chance = random.Random(seed)
    kept: dict[int, Promises] = {}
    for number in range(seed * KILLS, (seed + 1) * KILLS):
        kept[number] = storm.round(number, chance)
        with open_store(tmp_path / "a.db", lease="parent", live_leases=lambda: {"parent"}) as store:
            chat = ConversationId(f"chat-{number}")
            check(store.load(chat).wait(BOUND_S), kept[number])
            assert not list(tmp_path.glob("*.unsaved-*"))
    with open_store(tmp_path / "a.db", lease="parent", live_leases=lambda: {"parent"}) as store:
        for number, promises in kept.items():
            check(store.load(ConversationId(f"chat-{number}")).wait(BOUND_S), promises)
    assert sum(len(promises.orders) for promises in kept.values()) > KILLS
    assert apsw.Connection(str(tmp_path / "a.db")).pragma("integrity_check") == "ok"
