"""A database or a disk that cannot be used: said in words, in the window and in the terminal.

Never a traceback, never a byte of what was there destroyed.
"""

import random
import signal
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import apsw
import pytest

from tests.conftest import BelayStarter
from tests.e2e import stored
from tests.e2e.hand import Hand, until
from tests.e2e.hostile.stage import PATIENT, Stage
from tests.fakes.server import FakeServer
from tests.fakes.stores import open_store
from tests.harness.disks import SmallDisk, small_disk
from tests.harness.environment import is_proving
from tests.harness.process import LIMIT_S, BelayProcess

FUZZED = 60 if is_proving() else 3


def be_garbage(path: Path) -> None:
    """Put something else in the database's place."""
    path.write_bytes(random.Random(1).randbytes(20_000))


def be_newer(path: Path) -> None:
    """Have a later version write the database."""
    with open_store(path):
        pass
    db = apsw.Connection(str(path))
    db.pragma("user_version", 999)
    db.close()


def be_torn(path: Path) -> None:
    """Tear the pages out of the middle of a database."""
    with open_store(path):
        pass
    whole = path.read_bytes()
    path.write_bytes(whole[:4096] + b"\xff" * (len(whole) - 4096))


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """What happens to the database, and what is said of it."""

    spoil: Callable[[Path], None]
    sentence: str


FAULTS = {
    "no database": Fault(spoil=be_garbage, sentence="The conversations file is damaged."),
    "torn": Fault(spoil=be_torn, sentence="The conversations file is damaged."),
    "newer": Fault(spoil=be_newer, sentence="A newer Belay wrote these conversations."),
}

each_fault = pytest.mark.parametrize("fault", FAULTS.values(), ids=FAULTS.keys())


@pytest.fixture
def database(belay_home: Path) -> Path:
    """Give the path of a database that does not exist yet."""
    (belay_home / "data").mkdir(parents=True)
    return belay_home / "data" / "belay.db"


@pytest.fixture
def disk(belay_home: Path) -> Iterator[SmallDisk]:
    """Give Belay a small disk to live on."""
    with small_disk(belay_home) as mounted:
        yield mounted


def ask(start_belay: BelayStarter, server: FakeServer) -> BelayProcess:
    """Ask something in a terminal."""
    asking = start_belay("ask", "Hello?", env={"OPENAI_BASE_URL": server.url, **PATIENT})
    asking.close_stdin()  # there is nothing to wait for on it
    return asking


@each_fault
def test_window_says_what_is_wrong_with_the_database_and_leaves_it_alone(
    fault: Fault, stage: Stage, database: Path
) -> None:
    fault.spoil(database)
    before = database.read_bytes()
    stage.open("tell")
    stage.belay.stdout.wait_for(f"notice: {fault.sentence}")
    assert stage.hand.quit() == 0
    assert stage.belay.stderr.read_to_end() == ""
    assert database.read_bytes() == before


@each_fault
def test_ask_says_what_is_wrong_with_the_database_and_leaves_it_alone(
    fault: Fault, start_belay: BelayStarter, server: FakeServer, database: Path
) -> None:
    fault.spoil(database)
    before = database.read_bytes()
    asking = ask(start_belay, server)
    asking.wait()
    said = asking.stderr.read_to_end()
    assert fault.sentence in said
    assert "Traceback" not in said
    assert database.read_bytes() == before


def test_message_that_a_full_disk_refuses_is_held_and_can_be_sent_again(
    stage: Stage, disk: SmallDisk
) -> None:
    stage.open("tell")
    stage.answer_in_part()
    disk.fill()
    stage.hand.type("One more thing.")
    stage.hand.press("Return")
    stage.belay.stdout.wait_for("notice: The disk is full.")
    disk.make_room()
    stage.hand.press("Return")  # in an empty composer: send what is held
    until(lambda: "One more thing." in stored.everything_so_far(stage.home), "it is saved now")
    stage.server.log.wait_for(lambda log: len(log.chats) == 2)
    stage.acknowledged.append("One more thing.")
    assert stage.hand.quit() == 0
    stage.check_nothing_is_left()


def test_message_for_a_folder_that_vanished_is_held_and_can_be_sent_again(stage: Stage) -> None:
    stage.open("tell")
    stage.answer_in_part()
    data = stage.home / "data"
    data.rename(gone := stage.home / "gone")
    stage.hand.type("One more thing.")
    stage.hand.press("Return")
    stage.belay.stdout.wait_for(f"notice: The folder {data} is gone.")
    stage.belay.stdout.wait_for("held: One more thing.")
    assert not data.exists(), "nothing is begun anew in its place"
    gone.rename(data)
    stage.hand.press("Return")
    until(lambda: "One more thing." in stored.everything_so_far(stage.home), "it is saved now")
    stage.acknowledged.append("One more thing.")
    assert stage.hand.quit() == 0
    stage.check_nothing_is_left()


def test_disk_that_cannot_be_written_is_said_in_a_window(hand: Hand, disk: SmallDisk) -> None:
    disk.make_read_only()
    belay = hand.open()
    assert "Belay may not write to" in belay.stderr.wait_for("Check its permissions.")
    hand.press("Return")
    assert belay.wait() == 1
    assert "Traceback" not in belay.stderr.read_to_end()


def test_signal_ends_a_belay_that_only_says_why_it_cannot_start(hand: Hand, database: Path) -> None:
    (database.parent / "leases").write_text("in the way")
    belay = hand.open(**PATIENT)
    belay.stderr.wait_for("Belay may not write to")
    belay.send_signal(signal.SIGTERM)
    assert belay.wait() == 1


def test_ask_on_a_full_disk_says_so(
    start_belay: BelayStarter, server: FakeServer, disk: SmallDisk
) -> None:
    disk.fill()
    asking = ask(start_belay, server)
    assert asking.wait() == 1
    said = asking.stderr.read_to_end()
    assert "The disk is full." in said
    assert "Traceback" not in said


@pytest.mark.parametrize("seed", range(FUZZED))
def test_any_settings_file_is_survived_and_kept(
    seed: int, start_belay: BelayStarter, server: FakeServer, belay_home: Path
) -> None:
    settings = belay_home / "config" / "settings.json"
    settings.parent.mkdir(parents=True)
    settings.write_bytes(content := _fuzzed(random.Random(seed)))
    asking = ask(start_belay, server)
    assert asking.wait(LIMIT_S) in (0, 1)  # 1: the settings may name a server that is not there
    assert "Traceback" not in asking.stderr.read_to_end()
    kept = [file.read_bytes() for file in settings.parent.iterdir()]
    assert content in kept


def _fuzzed(chance: random.Random) -> bytes:
    """Break a good file here and there, or write noise."""
    good = b'{"theme": "dark", "base_size_px": 15, "endpoints": [], "system_prompt": "Be brief."}'
    if chance.random() < 0.2:
        return chance.randbytes(chance.randrange(200))
    broken = bytearray(good)
    for _ in range(chance.randrange(1, 8)):
        at = chance.randrange(len(broken))
        broken[at : at + chance.randrange(3)] = chance.randbytes(chance.randrange(3))
    return bytes(broken)
