"""The settings reach the disk in the background, newest last, and Quit knows when."""

import threading
from dataclasses import replace
from pathlib import Path

import pytest

from app.core.errors import Problem, ProblemKind
from app.core.settings import Settings
from app.main.settings_keeper import SettingsKeeper
from app.storage import settings_file
from app.storage.settings_file import load, save

BOUND_S = 60.0


def until_saved(keeper: SettingsKeeper) -> None:
    """Wait until nothing is under way."""
    for _ in range(int(BOUND_S * 100)):
        if keeper.is_saved():
            return
        threading.Event().wait(0.01)
    raise AssertionError("never saved")


def test_keeper_is_not_done_while_a_save_is_under_way(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    may_go_on = threading.Event()

    def slow_save(path: Path, settings: Settings) -> None:
        may_go_on.wait(BOUND_S)
        save(path, settings)

    monkeypatch.setattr(settings_file, "save", slow_save)
    keeper = SettingsKeeper(tmp_path / "settings.json", on_trouble=lambda _: None)
    assert keeper.is_saved()
    keeper.keep(Settings())
    assert not keeper.is_saved()
    may_go_on.set()
    until_saved(keeper)
    assert (tmp_path / "settings.json").exists()


def test_newest_of_many_changes_is_what_stays(tmp_path: Path) -> None:
    path = tmp_path / "settings.json"
    keeper = SettingsKeeper(path, on_trouble=lambda _: None)
    for size in range(12, 32):
        keeper.keep(replace(Settings(), base_size_px=size))
    until_saved(keeper)
    assert load(path)[0].base_size_px == 31


def test_what_cannot_be_written_is_told_and_does_not_hold_up_quit(tmp_path: Path) -> None:
    (tmp_path / "settings.json").mkdir()
    told: list[Problem] = []
    keeper = SettingsKeeper(tmp_path / "settings.json", on_trouble=told.append)
    keeper.keep(Settings())
    until_saved(keeper)
    assert [problem.kind for problem in told] != [ProblemKind.INTERNAL]
    assert len(told) == 1
