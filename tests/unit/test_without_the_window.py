"""The final check of the layers: without `ui/`, the tests of everything beneath still pass."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from scripts.planted_bugs import copy_tree

OF_THE_WINDOW = ["app/ui", "tests/ui", "tests/unit/ui_transcript"]
BENEATH = ["agent", "core", "lifecycle", "localmodel", "storage", "system", "voice"]


@pytest.mark.prove
def test_everything_beneath_the_window_works_without_it(tmp_path: Path) -> None:
    copy_tree(tmp_path)
    for folder in OF_THE_WINDOW:
        shutil.rmtree(tmp_path / folder)
    tests = [f"tests/unit/{package}" for package in BENEATH]
    run = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:pytest-qt", *tests],
        cwd=tmp_path,
        env={**os.environ, "BELAY_PROVE": "", "PYTHONPATH": str(tmp_path)},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stdout[-4000:]
