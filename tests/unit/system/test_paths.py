"""The folders: where they are, who may read them, and what is said when they cannot be made."""

import os
import stat
from dataclasses import fields
from pathlib import Path

import pytest

from app.core.errors import ProblemError, ProblemKind
from app.system.paths import Paths


def _all(paths: Paths) -> list[Path]:
    return [getattr(paths, field.name) for field in fields(paths)]


def test_belay_home_holds_everything(tmp_path: Path) -> None:
    paths = Paths.find({"BELAY_HOME": str(tmp_path / "home")})
    assert all(folder.is_relative_to(tmp_path / "home") for folder in _all(paths))
    assert not (tmp_path / "home").exists()


def test_relative_belay_home_is_fixed_at_the_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert Paths.find({"BELAY_HOME": "here"}).data == tmp_path / "here" / "data"


@pytest.mark.parametrize("environ", [{}, {"BELAY_HOME": ""}])
def test_platform_decides_without_belay_home(environ: dict[str, str]) -> None:
    paths = Paths.find(environ)
    assert all(folder.is_absolute() and "belay" in folder.parts for folder in _all(paths))


def test_made_folders_are_private_whatever_the_umask(tmp_path: Path) -> None:
    home = tmp_path / "deep" / "home"
    before = os.umask(0)
    try:
        paths = Paths.find({"BELAY_HOME": str(home)})
        paths.make()
    finally:
        os.umask(before)
    modes = {stat.S_IMODE(folder.stat().st_mode) for folder in (home.parent, home, *_all(paths))}
    assert modes == {0o700}


def test_open_folder_is_closed_to_others(tmp_path: Path) -> None:
    paths = Paths.find({"BELAY_HOME": str(tmp_path)})
    paths.data.mkdir(mode=0o755)
    paths.data.chmod(0o755)
    paths.make()
    assert stat.S_IMODE(paths.data.stat().st_mode) == 0o700


def test_file_in_the_way_is_a_problem_that_names_it(tmp_path: Path) -> None:
    in_the_way = tmp_path / "home"
    in_the_way.write_text("not a folder")
    with pytest.raises(ProblemError) as caught:
        Paths.find({"BELAY_HOME": str(in_the_way)}).make()
    assert caught.value.problem.kind is ProblemKind.STORAGE_READ_ONLY
    assert str(in_the_way) in str(caught.value.problem.params["path"])


@pytest.mark.skipif(getattr(os, "geteuid", int)() == 0, reason="root may write anywhere")
def test_folder_without_permission_is_a_problem(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    with pytest.raises(ProblemError) as caught:
        Paths.find({"BELAY_HOME": str(tmp_path)}).make()
    assert caught.value.problem.kind is ProblemKind.STORAGE_READ_ONLY
