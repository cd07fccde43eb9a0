"""Prove that the tests guard what they claim: break each guard in a copy, and see a test turn red.

scripts/planted_bugs.toml lists the bugs: a file, a snippet that occurs in it exactly once, what to
put in its place, and the tests that must notice. The tree itself is never touched. Usage:

    python scripts/planted_bugs.py [WORD...]     only the bugs whose name contains a word
"""

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from queue import Empty, SimpleQueue

ROOT = Path(__file__).parent.parent
LIST = Path(__file__).with_suffix(".toml")
LIMIT_S = 300.0
AT_ONCE = 2
CAUGHT = "caught"
PASSED, RED = 0, 1  # pytest's exit codes; any other means that it could not run the tests


@dataclass(frozen=True, slots=True, kw_only=True)
class PlantedBug:
    """One guard to break, and the tests that must notice."""

    name: str
    file: str
    find: str
    replace: str
    tests: list[str]

    def plant(self, tree: Path) -> bool:
        """Break the guard in a copy of the tree; False if its snippet is not there just once."""
        path = tree / self.file
        source = path.read_text()
        path.write_text(source.replace(self.find, self.replace))
        return source.count(self.find) == 1


def load(words: list[str]) -> list[PlantedBug]:
    """Read the list, narrowed to the names that contain one of the words."""
    bugs = [PlantedBug(**entry) for entry in tomllib.loads(LIST.read_text())["bug"]]
    return [bug for bug in bugs if not words or any(word in bug.name for word in words)]


def copy_tree(target: Path) -> None:
    """Copy what git knows, or would."""
    command = ["git", "ls-files", "-coz", "--exclude-standard", "app", "tests", "resources"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    for name in [*listed.split("\0"), "pyproject.toml"]:
        if name and (ROOT / name).is_file():
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, target / name)


def run_tests(tree: Path, tests: Iterable[str]) -> tuple[int | None, str]:
    """Run tests in a copy; the exit code is None if they hung."""
    chosen = list(tests)
    without_qt = all(test.startswith("tests/unit") for test in chosen)
    options = ["-p", "no:pytest-qt"] if without_qt else []
    command = [sys.executable, "-m", "pytest", "-q", "-x", *options, *chosen]
    process = subprocess.Popen(
        command,
        cwd=tree,
        env={**os.environ, "PYTHONPATH": str(tree), "PYTHONDONTWRITEBYTECODE": "1", "CI": "true"},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )
    try:
        output, _ = process.communicate(timeout=LIMIT_S)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        return None, ""
    return process.returncode, output


def verdict(bug: PlantedBug) -> str:
    """Plant one bug, run its tests, and say what came of it."""
    with tempfile.TemporaryDirectory(prefix="planted-") as folder:
        copy_tree(Path(folder))
        if not bug.plant(Path(folder)):
            return "NOT PLANTED: its snippet must occur exactly once"
        code, output = run_tests(Path(folder), bug.tests)
    if code not in {RED, PASSED, None}:
        print(output)
    return {RED: CAUGHT, PASSED: "NOT CAUGHT", None: "HUNG"}.get(code, f"NOT RUN: {code}")


def is_caught(bug: PlantedBug) -> bool:
    """Plant one bug, and say whether its tests turned red."""
    found = verdict(bug)
    print(f"{found:<12} {bug.name}", flush=True)
    return found == CAUGHT


def plant_all(bugs: list[PlantedBug]) -> int:
    """Plant all bugs, some at a time; count those that were caught."""
    waiting: SimpleQueue[PlantedBug] = SimpleQueue()
    caught: list[PlantedBug] = []
    for bug in bugs:
        waiting.put(bug)

    def work() -> None:
        while True:
            try:
                bug = waiting.get_nowait()
            except Empty:
                return
            if is_caught(bug):
                caught.append(bug)

    threads = [threading.Thread(target=work) for _ in range(AT_ONCE)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return len(caught)


def are_green_without(bugs: list[PlantedBug]) -> bool:
    """Say whether all the tests pass before anything is broken: else red would prove nothing."""
    with tempfile.TemporaryDirectory(prefix="planted-") as folder:
        copy_tree(Path(folder))
        code, output = run_tests(Path(folder), sorted({test for bug in bugs for test in bug.tests}))
    if code != PASSED:
        print(output, "The tests must pass before a bug is planted.", sep="\n")
    return code == PASSED


def main(words: list[str]) -> int:
    """Plant every bug; 0 if all were caught."""
    bugs = load(words)
    if not are_green_without(bugs):
        return 1
    caught = plant_all(bugs)
    print(f"{caught} of {len(bugs)} planted bugs were caught")
    return 0 if caught == len(bugs) else 1


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
