"""What importing costs: nothing beneath the window loads Qt, in a process of its own."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
WITH_QT = {"ui", "bridge", "main"}
BENEATH = sorted(
    path.parent.name for path in ROOT.glob("app/*/__init__.py") if path.parent.name not in WITH_QT
)
IMPORT_ALL = """
import importlib, json, pkgutil, sys
package = importlib.import_module(sys.argv[1])
for found in pkgutil.walk_packages(package.__path__, package.__name__ + "."):
    importlib.import_module(found.name)
print(json.dumps(sorted(sys.modules)))
"""


def loaded_by(package: str) -> set[str]:
    command = [sys.executable, "-c", IMPORT_ALL, package]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    return set(json.loads(run.stdout))


@pytest.mark.parametrize("package", BENEATH)
def test_importing_all_of_a_service_leaves_qt_alone(package: str) -> None:
    loaded = loaded_by(f"app.{package}")
    assert f"app.{package}" in loaded
    assert not {"PySide6", "shiboken6"} & loaded
