"""Leases: who lives, who died, however it died."""

import os
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from app.core.errors import ProblemError
from app.lifecycle.lease import Leases

BOUND_S = 60.0

HOLDER = """
import sys
from pathlib import Path
from app.lifecycle.lease import Leases
lease = Leases(Path(sys.argv[1])).take("ask")
print(lease.id, flush=True)
sys.stdin.read()
"""

Holder = tuple["subprocess.Popen[str]", str]


@pytest.fixture
def holder(tmp_path: Path) -> Iterator[Holder]:
    process = subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(tmp_path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    with process:
        yield process, process.stdout.readline().strip()
        process.kill()


def test_own_lease_lives_until_it_is_released(tmp_path: Path) -> None:
    leases = Leases(tmp_path)
    lease = leases.take("window")
    assert leases.living() == {lease.id}
    assert leases.dead() == set()
    lease.release()
    assert leases.living() == leases.dead() == set()


def test_looking_at_leases_does_not_free_our_own(tmp_path: Path) -> None:
    lease = Leases(tmp_path).take("window")
    for _ in range(3):
        assert Leases(tmp_path).living() == {lease.id}
    lease.release()


def test_other_process_is_seen_alive(tmp_path: Path, holder: Holder) -> None:
    process, lease_id = holder
    leases = Leases(tmp_path)
    assert leases.living() == {lease_id}
    note = leases.note(lease_id)
    assert note is not None
    assert (note.pid, note.role) == (process.pid, "ask")
    assert leases.bury(lease_id) is False


def test_killed_process_leaves_a_dead_lease_that_can_be_buried(
    tmp_path: Path, holder: Holder
) -> None:
    process, lease_id = holder
    process.kill()
    process.wait(BOUND_S)
    leases = Leases(tmp_path)
    assert leases.dead() == {lease_id}
    assert leases.living() == set()
    assert leases.bury(lease_id) is True
    assert leases.bury(lease_id) is False
    assert leases.dead() == set()


def test_two_leases_of_one_process_differ(tmp_path: Path) -> None:
    leases = Leases(tmp_path)
    first, second = leases.take("window"), leases.take("window")
    assert leases.living() == {first.id, second.id}
    first.release()
    assert leases.living() == {second.id}
    second.release()


def test_lease_that_is_being_born_is_not_dead(tmp_path: Path) -> None:
    folder = tmp_path / "leases"
    folder.mkdir()
    (folder / "77-new.lease").touch()
    (folder / "78-old.lease").touch()
    os.utime(folder / "78-old.lease", (0, 0))
    assert Leases(tmp_path).dead() == {"78-old"}


def test_child_of_a_holder_does_not_keep_the_lease(tmp_path: Path) -> None:
    leases = Leases(tmp_path)
    lease = leases.take("window")
    child = subprocess.Popen(["sleep", "60"], close_fds=False)
    try:
        lease._lock.release()
        assert leases.dead() == {lease.id}
    finally:
        child.kill()
        child.wait(BOUND_S)


def test_no_folder_is_no_lease(tmp_path: Path) -> None:
    leases = Leases(tmp_path / "nothing")
    assert leases.living() == leases.dead() == set()
    assert leases.note("1-a") is None


def test_lease_is_private(tmp_path: Path) -> None:
    lease = Leases(tmp_path).take("window")
    assert stat.S_IMODE((tmp_path / "leases").stat().st_mode) == 0o700
    assert stat.S_IMODE(lease._lock.path.stat().st_mode) == 0o600
    lease.release()


def test_unusable_folder_is_a_problem(tmp_path: Path) -> None:
    (tmp_path / "leases").write_text("in the way")
    with pytest.raises(ProblemError):
        Leases(tmp_path).take("window")
