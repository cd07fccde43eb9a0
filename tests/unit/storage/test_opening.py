"""Files that cannot be opened: a clear problem each time, and not a byte of them changed."""

import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import apsw
import pytest

from app.core.errors import Problem, ProblemError, ProblemKind
from app.core.messages import Intent
from app.storage.schema import STEPS
from app.storage.store import SqliteStore
from tests.fakes.stores import BOUND_S, open_store
from tests.unit.storage.test_store import loaded
from tests.unit.storage.words import order

ROOT = Path(__file__).parents[3]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "a.db"


def fill(path: Path) -> None:
    with open_store(path) as store:
        store.accept(order("precious"), Intent.QUEUE).wait(BOUND_S)


def fingerprint(folder: Path) -> dict[str, str]:
    return {
        file.name: hashlib.sha256(file.read_bytes()).hexdigest()
        for file in folder.iterdir()
        if file.is_file() and not file.name.endswith("-shm")  # rebuilt from the log by anyone
    }


def refusal(path: Path) -> Problem:
    """Open a store that cannot be, and use it all the same."""
    told: list[Problem] = []
    store = SqliteStore(path, lease="a", live_leases=set, on_trouble=told.append)
    with pytest.raises(ProblemError) as refused:
        store.start().wait(BOUND_S)
    with pytest.raises(ProblemError):
        store.conversations().wait(BOUND_S)
    store.close(BOUND_S)
    assert [problem.kind for problem in told] == [refused.value.problem.kind]
    return refused.value.problem


def test_a_newer_database_is_left_alone(path: Path) -> None:
    fill(path)
    with apsw.Connection(str(path)) as db:
        db.pragma("user_version", len(STEPS) + 1)
    before = fingerprint(path.parent)
    assert refusal(path).kind is ProblemKind.STORAGE_NEWER
    assert fingerprint(path.parent) == before


def test_a_newer_database_keeps_its_log_beside_it(path: Path) -> None:
    fill(path)
    db = apsw.Connection(str(path))
    db.pragma("user_version", len(STEPS) + 1)
    crashed = path.parent / "crashed"
    crashed.mkdir()
    for name in ("a.db", "a.db-wal"):
        shutil.copy(path.with_name(name), crashed)
    db.close()
    before = fingerprint(crashed)
    assert refusal(crashed / "a.db").kind is ProblemKind.STORAGE_NEWER
    assert fingerprint(crashed) == before


@pytest.mark.parametrize(
    "content",
    [b"Dear diary, this is no database at all. " * 50, b"\0" * 8192, b"x", os.urandom(20_000)],
)
def test_a_file_that_is_no_database_is_left_alone(path: Path, content: bytes) -> None:
    path.write_bytes(content)
    problem = refusal(path)
    assert problem.kind is ProblemKind.STORAGE_CORRUPT
    assert problem.params["path"] == str(path)
    assert path.read_bytes() == content


def test_another_programs_database_is_left_alone(path: Path) -> None:
    with apsw.Connection(str(path)) as db:
        db.execute("CREATE TABLE bookmarks (url TEXT)")
    before = path.read_bytes()
    assert refusal(path).kind is ProblemKind.STORAGE_CORRUPT
    assert path.read_bytes() == before


def test_a_damaged_table_is_noticed_before_anything_is_written(path: Path) -> None:
    fill(path)
    with apsw.Connection(str(path)) as db:
        page = db.execute("SELECT rootpage FROM sqlite_schema WHERE name = 'queue'").get
        size = db.pragma("page_size")
    with path.open("r+b") as file:
        file.seek((page - 1) * size + 1)  # where the page's free space begins
        file.write(b"\xff\xf0")
    before = path.read_bytes()
    assert refusal(path).kind is ProblemKind.STORAGE_CORRUPT
    assert path.read_bytes() == before


@pytest.mark.parametrize("is_missing", [True, False])
def test_a_log_without_its_database_is_kept(path: Path, is_missing: bool) -> None:
    with open_store(path) as store:
        store.accept(order("precious"), Intent.QUEUE).wait(BOUND_S)
        log = path.with_name("a.db-wal").read_bytes()
    path.unlink()
    if not is_missing:
        path.touch()
    path.with_name("a.db-wal").write_bytes(log)
    assert refusal(path).kind is ProblemKind.STORAGE_CORRUPT
    assert path.with_name("a.db-wal").read_bytes() == log


def test_a_file_in_place_of_the_folder_is_told(tmp_path: Path) -> None:
    (tmp_path / "data").write_text("not a folder")
    assert refusal(tmp_path / "data" / "a.db").kind in (
        ProblemKind.STORAGE_LOST,
        ProblemKind.STORAGE_READ_ONLY,
    )
    assert (tmp_path / "data").read_text() == "not a folder"


def test_a_folder_in_place_of_the_file_is_told(path: Path) -> None:
    path.mkdir()
    assert refusal(path).kind in ProblemKind
    assert path.is_dir()


def test_orders_are_kept_beside_a_database_that_cannot_be_opened(path: Path) -> None:
    sent = order("still kept")
    path.write_bytes(b"broken" * 1000)
    store = SqliteStore(path, lease="a", live_leases=set)
    store.start()
    store.accept(sent, Intent.QUEUE).wait(BOUND_S)
    store.close(BOUND_S)
    assert path.read_bytes() == b"broken" * 1000
    path.unlink()
    with open_store(path) as store:
        assert loaded(store).waiting == ((sent, Intent.QUEUE),)


def test_a_database_that_becomes_usable_is_opened_then(path: Path) -> None:
    sent = order("patient")
    path.write_bytes(b"broken" * 1000)
    store = SqliteStore(path, lease="a", live_leases=set)
    store.start()
    store.accept(sent, Intent.QUEUE).wait(BOUND_S)
    path.unlink()
    store.flush().wait(BOUND_S)
    assert loaded(store).waiting == ((sent, Intent.QUEUE),)
    assert store.close(BOUND_S)
    assert not list(path.parent.glob("*.unsaved-*"))


@pytest.fixture
def open_folder() -> Iterator[Path]:
    # pytest's own folders are closed to the unprivileged user that the test becomes.
    folder = Path(tempfile.mkdtemp(prefix="belay-test-"))
    folder.chmod(0o755)
    yield folder
    shutil.rmtree(folder)


@pytest.mark.skipif(sys.platform == "win32", reason="permissions are another matter there")
@pytest.mark.parametrize("what", ["folder", "file", "unreadable"])
def test_what_may_not_be_written_is_told(open_folder: Path, what: str) -> None:
    path = open_folder / "data" / "a.db"
    fill(path)
    path.parent.chmod(0o755 if what == "folder" else 0o777)
    path.chmod(0o000 if what == "unreadable" else 0o444)
    before = fingerprint(path.parent)
    script = Path(__file__).with_name("child_unprivileged.py")
    run = subprocess.run(
        [sys.executable, script, path], capture_output=True, text=True, cwd=ROOT, check=True
    )
    assert json.loads(run.stdout) == [ProblemKind.STORAGE_READ_ONLY]
    assert fingerprint(path.parent) == before
