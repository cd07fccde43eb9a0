"""Databases of every earlier version open as they were, and a migration can always be undone.

`versions/` holds one file per version that was ever released; a new step needs a new one.
"""

from collections.abc import Sequence
from pathlib import Path

import apsw
import pytest

from app.core.errors import ProblemError, ProblemKind
from app.core.messages import (
    Draft,
    Ending,
    Intent,
    OrderKind,
    Origin,
    ReasoningPart,
    TextPart,
)
from app.storage.database import open_database
from app.storage.schema import STEPS, Step
from tests.fakes.stores import BOUND_S, open_store
from tests.unit.storage.disks import FailingDisk
from tests.unit.storage.test_store import loaded

VERSIONS = Path(__file__).with_name("versions")


def make(path: Path, version: int) -> None:
    """Write a database as that version did."""
    db = apsw.Connection(str(path))
    db.pragma("journal_mode", "wal")
    db.execute((VERSIONS / f"version_{version}.sql").read_text())
    db.close()


def structure(db: apsw.Connection) -> set[str]:
    return {" ".join(sql.split()) for (sql,) in db.execute("SELECT sql FROM sqlite_schema") if sql}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    make(tmp_path / "a.db", version=1)
    return tmp_path / "a.db"


def open_with(
    path: Path, *extra: Step, alone: bool = True, vfs: str | None = None
) -> apsw.Connection:
    steps: Sequence[Step] = (*STEPS, *extra)
    return open_database(path, others_are_gone=lambda: alone, steps=steps, vfs=vfs)


def add_colour(db: apsw.Connection) -> None:
    db.execute("ALTER TABLE conversations ADD COLUMN colour TEXT")


def stumble(db: apsw.Connection) -> None:
    db.execute("DELETE FROM messages")
    raise apsw.FullError("in the middle")


COLOUR = Step(name="colours", run=add_colour)
STUMBLE = Step(name="stumble", run=stumble)


def test_every_version_has_its_sample() -> None:
    samples = {int(file.stem.rpartition("_")[2]) for file in VERSIONS.iterdir()}
    assert samples == set(range(1, len(STEPS) + 1))


@pytest.mark.parametrize("version", range(1, len(STEPS) + 1))
def test_a_released_step_has_not_been_changed(tmp_path: Path, version: int) -> None:
    make(tmp_path / "sample.db", version)
    made = open_database(tmp_path / "made.db", others_are_gone=lambda: True, steps=STEPS[:version])
    sample = apsw.Connection(str(tmp_path / "sample.db"))
    assert structure(made) == structure(sample)
    made.close()


@pytest.mark.parametrize("version", range(1, len(STEPS) + 1))
def test_a_database_of_every_version_reads_as_it_was(tmp_path: Path, version: int) -> None:
    make(tmp_path / "a.db", version)
    with open_store(tmp_path / "a.db") as store:
        (listed,) = store.conversations().wait(BOUND_S)
        assert (listed.title, listed.updated_at) == ("Knots", 103.0)
        found = loaded(store)
        first, stopped, second, cut_off = found.tree.path()
        assert (first.text, first.origin) == ("How do I tie a bowline?", Origin.SPOKEN)
        assert (stopped.ending, stopped.continues) == (Ending.STOPPED, True)
        assert (second.steered, len(second.parts)) == (True, 2)
        assert cut_off.parts == (ReasoningPart(text="hm"), TextPart(text="Take a turn"))
        assert cut_off.ending is Ending.BELAY_CLOSED
        assert len(found.tree.messages) == 6
        ((waiting, intent),) = found.waiting
        assert (waiting.text, waiting.kind, waiting.target) == ("thanks", OrderKind.EDIT, "m3")
        assert intent is Intent.QUEUE
        assert found.draft == Draft(text="one more", cursor=3)
        assert found.edits == ({"m3": "And a clove hitch?"} if version > 1 else {})
        assert found.last_epoch == 2
        for word, message_id in (("bowl", "m1"), ("cleat", "m3"), ("turn", "m4")):
            assert [hit.message_id for hit in store.search(word, 5).wait(BOUND_S)] == [message_id]


def test_a_migration_leaves_a_backup_of_what_was(path: Path) -> None:
    open_with(path, COLOUR).close()
    backup = path.with_name("a.db.v1.bak")
    assert backup.stat().st_mode & 0o777 == 0o600
    old, new = apsw.Connection(str(backup)), apsw.Connection(str(path))
    assert (old.pragma("user_version"), new.pragma("user_version")) == (1, len(STEPS) + 1)
    assert old.pragma("integrity_check") == "ok"
    everything = "SELECT * FROM messages"
    assert old.execute(everything).fetchall() == new.execute(everything).fetchall()
    assert "colour" not in str(structure(old))
    assert "colour" in str(structure(new))


def test_a_migration_happens_once(path: Path) -> None:
    open_with(path, COLOUR).close()
    open_with(path, COLOUR).close()
    assert len(list(path.parent.glob("*.bak"))) == 1


def test_a_step_that_fails_leaves_everything_as_it_was(path: Path) -> None:
    before = apsw.Connection(str(path)).execute("SELECT * FROM messages").fetchall()
    with pytest.raises(ProblemError) as refused:
        open_with(path, COLOUR, STUMBLE)
    assert refused.value.problem.kind is ProblemKind.STORAGE_FULL
    after = apsw.Connection(str(path))
    assert after.execute("SELECT * FROM messages").fetchall() == before
    assert after.pragma("user_version") == 1
    assert "colour" not in str(structure(after))


def test_an_earlier_backup_is_never_overwritten(path: Path) -> None:
    for _ in range(2):
        with pytest.raises(ProblemError):
            open_with(path, STUMBLE)
    assert sorted(file.name for file in path.parent.glob("*.bak")) == [
        "a.db.v1-1.bak",
        "a.db.v1.bak",
    ]


def test_without_a_backup_nothing_is_migrated(path: Path) -> None:
    disk = FailingDisk()
    with disk.failing(apsw.FullError), pytest.raises(ProblemError) as refused:
        open_with(path, COLOUR, vfs=disk.name)
    assert refused.value.problem.kind is ProblemKind.STORAGE_FULL
    assert apsw.Connection(str(path)).pragma("user_version") == 1
    assert not list(path.parent.glob("*.bak"))


def test_a_migration_waits_until_the_other_belay_is_closed(path: Path) -> None:
    with pytest.raises(ProblemError) as refused:
        open_with(path, COLOUR, alone=False)
    assert refused.value.problem.kind is ProblemKind.STORAGE_BUSY
    assert apsw.Connection(str(path)).pragma("user_version") == 1
    assert not list(path.parent.glob("*.bak"))


def test_a_new_database_needs_neither_backup_nor_solitude(tmp_path: Path) -> None:
    open_with(tmp_path / "new.db", COLOUR, alone=False).close()
    assert [file.name for file in tmp_path.iterdir()] == ["new.db"]
