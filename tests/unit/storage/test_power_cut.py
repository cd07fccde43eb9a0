"""The power goes at any instant: what was acknowledged is there, and the file is whole.

A session of the store is recorded write by write; from the record, images of the disk are built
as a cut could have left them, and opened again.
"""

import random
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import apsw
import pytest

from app.core.events import Completed
from app.core.messages import Ending, Intent, text_parts
from app.storage.codec import decode_parts
from tests.fakes.stores import BOUND_S, open_store
from tests.harness.environment import is_proving
from tests.unit.storage.power import Entry, Platter, RecordingDisk
from tests.unit.storage.words import answer, asked, opening, order

IMAGES = 500 if is_proving() else 300
SEEDS = range(20_261, 20_281 if is_proving() else 20_262)
SEED = SEEDS[0]


@pytest.fixture(scope="module")
def record(tmp_path_factory: pytest.TempPathFactory) -> list[Entry]:
    """Record turns, one after the other, with every promise at the point where it was made."""
    disk = RecordingDisk()
    with open_store(tmp_path_factory.mktemp("recorded") / "a.db", vfs=disk.name) as store:
        for number in range(120):
            sent = order(f"question {number} " + "x" * (number * 37 % 5000), id=f"order-{number}")
            store.accept(sent, Intent.REDIRECT).wait(BOUND_S)
            disk.acknowledge(f"order:{sent.id}")
            question = asked(sent)
            said = answer(question, id=f"answer-{number}")
            turn = opening(question, epoch=number, turn=f"turn-{number}")
            store.begin_turn(turn)
            store.open_message(said)
            store.append_text(said.id, "half of it", reasoning=False)
            store.flush().wait(BOUND_S)
            disk.acknowledge(f"words:{said.id}:half of it")
            whole = answer(question, "half of it, all of it", id=said.id, ending=Ending.COMPLETE)
            store.close_message(whole)
            store.end_turn(turn.turn_id, Completed()).wait(BOUND_S)
            disk.acknowledge(f"turn:{turn.turn_id}")
    return disk.record


@contextmanager
def image(platter: Platter, folder: Path, chance: random.Random) -> Iterator[Path]:
    folder.mkdir()
    platter.image(folder, chance)
    yield folder / "a.db"
    shutil.rmtree(folder)


def is_kept(db: apsw.Connection, promise: str) -> bool:
    kind, name, *rest = promise.split(":")
    if kind == "order":
        return bool(db.execute("SELECT count(*) FROM queue WHERE id = ?", (name,)).get == 1)
    if kind == "turn":
        return db.execute("SELECT ended_at FROM turns WHERE id = ?", (name,)).get is not None
    parts = db.execute("SELECT parts FROM messages WHERE id = ?", (name,)).get
    journal = db.execute(
        "SELECT CAST(group_concat(text, '') AS TEXT) FROM deltas WHERE message_id = ?", (name,)
    ).get
    found = decode_parts(parts) if parts != "[]" else text_parts(journal or "")
    return "".join(part.text for part in found if hasattr(part, "text")).startswith(rest[0])


@pytest.mark.parametrize("seed", SEEDS)
def test_no_power_cut_loses_what_was_acknowledged(
    tmp_path: Path, record: list[Entry], seed: int
) -> None:
    chance = random.Random(seed)
    cuts = sorted(chance.randrange(len(record) + 1) for _ in range(IMAGES))
    platter, at = Platter(), 0
    for number, cut in enumerate(cuts):
        for entry in record[at:cut]:
            platter.play(entry)
        at = cut
        with image(platter, tmp_path / str(number), chance) as path:
            check(path, platter.promises, cut)


def check(path: Path, promises: list[str], cut: int) -> None:
    if not path.exists():
        assert not promises
        return
    db = apsw.Connection(str(path))
    # What came last is what a cut endangers; all of it is looked at now and then.
    endangered = promises if cut % 50 == 0 else promises[-6:]
    assert db.pragma("integrity_check") == "ok", f"cut at {cut}"
    assert [p for p in endangered if not is_kept(db, p)] == [], f"cut at {cut}"
    db.close()


def test_the_store_itself_opens_what_a_power_cut_left(tmp_path: Path, record: list[Entry]) -> None:
    chance = random.Random(SEED)
    platter = Platter()
    for number, entry in enumerate(record):
        platter.play(entry)
        if chance.random() < 20 / len(record) and platter.promises:
            with image(platter, tmp_path / str(number), chance) as path, open_store(path) as store:
                (listed,) = store.conversations().wait(BOUND_S)
                found = store.load(listed.id).wait(BOUND_S)
                assert found is not None
                endings = {m.ending for m in found.tree.messages.values()}
                assert Ending.OPEN not in endings
                assert all(m.text for m in found.tree.messages.values())


def test_a_disk_that_ignores_syncs_would_be_noticed(tmp_path: Path, record: list[Entry]) -> None:
    """The images are cruel enough: without syncs, promises are broken."""
    unsynced = [entry for entry in record if type(entry).__name__ != "Synced"]
    chance = random.Random(SEED)
    platter = Platter()
    for entry in unsynced[: len(unsynced) // 2]:
        platter.play(entry)
    with (
        image(platter, tmp_path / "image", chance) as path,
        pytest.raises((AssertionError, apsw.Error)),
    ):
        check(path, platter.promises, 0)
