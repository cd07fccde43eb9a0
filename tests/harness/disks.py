"""Small disks of our own: a memory file system that can be filled up or made read-only."""

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

_BLOCK = b"\0" * 4096


class SmallDisk:
    """A mounted memory file system."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def fill(self) -> None:
        """Leave no room at all."""
        with suppress(OSError), (self.folder / "ballast").open("ab", buffering=0) as ballast:
            while True:
                ballast.write(_BLOCK)

    def make_room(self) -> None:
        """Undo `fill`."""
        (self.folder / "ballast").unlink()

    def make_read_only(self) -> None:
        """Let nobody write any more."""
        subprocess.run(["mount", "-o", "remount,ro", str(self.folder)], check=True)


@contextmanager
def small_disk(folder: Path, megabytes: int = 4) -> Iterator[SmallDisk]:
    """Mount a disk on a folder; skip the test where that is not permitted."""
    folder.mkdir()
    argv = ["mount", "-t", "tmpfs", "-o", f"size={megabytes}m", "tmpfs", str(folder)]
    try:
        done = subprocess.run(argv, capture_output=True, check=False)
    except FileNotFoundError:
        pytest.skip("there is no `mount` here")
    if done.returncode:
        pytest.skip("mounting is not permitted here")
    try:
        yield SmallDisk(folder)
    finally:
        subprocess.run(["umount", "--lazy", str(folder)], check=True)
