"""Two processes on one database: neither waits long, loses anything or touches the other's."""

import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from app.core.errors import Problem, ProblemKind
from app.core.ids import ConversationId
from app.core.messages import Ending, Intent, Mark
from tests.fakes.stores import BOUND_S, open_store
from tests.unit.storage.test_store import loaded
from tests.unit.storage.waiting import wait_until
from tests.unit.storage.words import CHAT, order

BOTH = frozenset({"this-process", "neighbour"})


class Neighbour:
    """A real second process, told what to do line by line."""

    def __init__(self, path: Path) -> None:
        script = Path(__file__).with_name("child_neighbour.py")
        self._process = subprocess.Popen(
            [sys.executable, script, path],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            bufsize=1,
        )
        self.wait()

    def ask(self, line: str) -> None:
        """Tell it to do something, without waiting."""
        assert self._process.stdin is not None
        self._process.stdin.write(line + "\n")

    def wait(self) -> None:
        """Wait until it has done so."""
        assert self._process.stdout is not None
        assert self._process.stdout.readline() == "done\n"

    def do(self, line: str) -> None:
        """Tell it to do something, and wait."""
        self.ask(line)
        self.wait()

    def kill(self) -> None:
        """End it without warning."""
        self._process.kill()
        self._process.wait(BOUND_S)
        for stream in (self._process.stdin, self._process.stdout):
            assert stream is not None
            stream.close()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "a.db"


@pytest.fixture
def neighbour(path: Path) -> Iterator[Neighbour]:
    neighbour = Neighbour(path)
    yield neighbour
    neighbour.kill()


def both() -> set[str]:
    return set(BOTH)


def test_an_order_that_another_process_keeps_out_is_saved_aside(
    path: Path, neighbour: Neighbour
) -> None:
    sent = order("meanwhile")
    told: list[Problem] = []
    with open_store(path, live_leases=both, patience_s=0.1, on_trouble=told.append) as store:
        neighbour.do("lock")
        store.accept(sent, Intent.QUEUE).wait(BOUND_S)
        assert list(path.parent.glob("*.unsaved-*"))
        assert not told, "a moment's wait is no trouble"
        wait_until(lambda: bool(told), "the trouble to be told")
        neighbour.do("unlock")
        store.flush().wait(BOUND_S)
        assert loaded(store).waiting == ((sent, Intent.QUEUE),)
        assert not list(path.parent.glob("*.unsaved-*"))
        assert [problem.kind for problem in told] == [ProblemKind.STORAGE_LOCKED]


def test_conversations_are_read_while_another_process_writes(
    path: Path, neighbour: Neighbour
) -> None:
    with open_store(path, live_leases=both) as store:
        store.accept(order("Hello"), Intent.QUEUE).wait(BOUND_S)
        neighbour.do("lock")
        assert len(store.conversations().wait(BOUND_S)) == 1
        assert len(loaded(store).waiting) == 1
        neighbour.do("unlock")


def test_what_another_process_writes_is_noticed_and_our_own_is_not(
    path: Path, neighbour: Neighbour
) -> None:
    noticed = threading.Event()
    with open_store(path, live_leases=both, on_foreign_change=noticed.set) as store:
        for _ in range(3):
            store.accept(order("ours"), Intent.QUEUE).wait(BOUND_S)
        assert not noticed.is_set()
        neighbour.do("accept elsewhere 1")
        assert noticed.wait(BOUND_S)


def test_two_processes_at_once_lose_nothing(path: Path, neighbour: Neighbour) -> None:
    with open_store(path, live_leases=both) as store:
        neighbour.ask("accept theirs 100")
        for number in range(100):
            store.accept(order(str(number), chat="ours"), Intent.QUEUE).wait(BOUND_S)
        neighbour.wait()
        texts = [waiting.text for waiting, _ in loaded(store, "ours").waiting]
        assert texts == [str(number) for number in range(100)]
        neighbour.kill()
    with open_store(path) as store:
        assert len(loaded(store, "theirs").waiting) == 100


def test_what_a_living_process_has_open_is_left_to_it(path: Path, neighbour: Neighbour) -> None:
    neighbour.do("answer chat")
    neighbour.do("accept chat 1")
    with open_store(path, live_leases=both) as store:
        (listed,) = store.conversations().wait(BOUND_S)
        assert listed.mark is Mark.WORKING
        found = loaded(store)
        (said,) = (m for m in found.tree.messages.values() if m.id == "said-next-door")
        assert (said.text, said.ending) == ("word", Ending.OPEN)
        assert found.waiting == ()
        store.save_queue(CHAT, ())
    neighbour.kill()
    with open_store(path) as store:
        assert [each.id for each, _ in loaded(store).waiting] == ["neighbour-0"]


def test_a_process_that_dies_is_noticed_by_one_that_lives_on(
    path: Path, neighbour: Neighbour
) -> None:
    alive = both()
    with open_store(path, live_leases=lambda: alive) as store:
        neighbour.do("answer chat")
        neighbour.do("accept chat 1")
        neighbour.kill()
        alive.remove("neighbour")
        (listed,) = store.conversations().wait(BOUND_S)
        assert listed.mark is Mark.HELD
        found = loaded(store)
        assert found.tree.path()[-1].ending is Ending.BELAY_CLOSED
        assert [each.id for each, _ in found.waiting] == ["neighbour-0"]
        store.save_queue(CHAT, ())
        assert loaded(store).waiting == (), "adopted: ours to discard"


def test_many_processes_create_one_database(path: Path) -> None:
    neighbours: list[Neighbour] = []
    starters = [
        threading.Thread(target=lambda: neighbours.append(Neighbour(path))) for _ in range(4)
    ]
    for starter in starters:
        starter.start()
    for starter in starters:
        starter.join(BOUND_S)
    assert len(neighbours) == 4
    neighbours[0].do("accept chat 1")
    for neighbour in neighbours:
        neighbour.kill()
    with open_store(path) as store:
        assert [c.id for c in store.conversations().wait(BOUND_S)] == [ConversationId("chat")]
