"""Files are whole or absent, and private."""

import errno
import os
import stat
import threading
from pathlib import Path

import pytest

from app.core.errors import ProblemKind
from app.system.files import append_durably, disk_problem, write_atomically
from app.system.threads import spawn_thread

BOUND_S = 30.0


def _mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_written_file_is_whole_private_and_alone(tmp_path: Path) -> None:
    target = tmp_path / "settings.json"
    write_atomically(target, "räksmörgås")
    assert target.read_text("utf-8") == "räksmörgås"
    assert _mode(target) == 0o600
    assert [p.name for p in tmp_path.iterdir()] == ["settings.json"]


def test_failed_write_leaves_the_old_content_and_no_litter(tmp_path: Path) -> None:
    target = tmp_path / "folder"
    target.mkdir()
    (target / "precious").touch()
    with pytest.raises(OSError, match="folder"):
        write_atomically(target, b"x")
    assert [p.name for p in tmp_path.iterdir()] == ["folder"]
    assert (target / "precious").exists()


def test_link_stays_a_link(tmp_path: Path) -> None:
    real, link = tmp_path / "dotfiles.json", tmp_path / "settings.json"
    real.write_text("old")
    link.symlink_to(real)
    write_atomically(link, "new")
    assert link.is_symlink()
    assert real.read_text() == "new"


def test_reader_never_sees_a_mixture(tmp_path: Path) -> None:
    target = tmp_path / "value"
    write_atomically(target, b"a" * 100_000)
    finished = threading.Event()

    def rewrite() -> None:
        for letter in (b"b", b"c", b"d") * 10:
            write_atomically(target, letter * 100_000)
        finished.set()

    spawn_thread("writer", rewrite)
    seen = set()
    while not finished.is_set():
        content = target.read_bytes()
        seen.add((len(content), len(set(content))))
    assert finished.wait(BOUND_S)
    assert seen == {(100_000, 1)}


def test_append_adds_to_the_end_privately(tmp_path: Path) -> None:
    target = tmp_path / "outbox"
    append_durably(target, "one\n")
    append_durably(target, b"two\n")
    assert target.read_text() == "one\ntwo\n"
    assert _mode(target) == 0o600


@pytest.mark.parametrize(
    ("code", "kind"),
    [
        (errno.ENOSPC, ProblemKind.STORAGE_FULL),
        (errno.EROFS, ProblemKind.STORAGE_READ_ONLY),
        (errno.EACCES, ProblemKind.STORAGE_READ_ONLY),
        (errno.ENOENT, ProblemKind.STORAGE_LOST),
    ],
)
def test_disk_errors_are_told_apart(code: int, kind: ProblemKind) -> None:
    found = disk_problem(OSError(code, os.strerror(code)), Path("there")).problem
    assert (found.kind, found.params["path"]) == (kind, "there")
