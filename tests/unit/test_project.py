"""The promises the tree makes about itself: sizes, words, sources, contracts."""

import ast
import re
import subprocess
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from scripts import planted_bugs

ROOT = Path(__file__).parents[2]
PYPROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text())
MOST_LINES = 400
REGISTRIES = {"pypi.org", "files.pythonhosted.org"}
# Put together here, so that this file does not contain what it looks for.
FORBIDDEN = [f"/{name}/" for name in ("root", "work", "home", "Users")]
# A made-up key counts up somewhere; a real one hardly does.
SECRET = re.compile(r"\bsk-(?![\w-]*12345)[\w-]{24,}|BEGIN [A-Z ]*PRIVATE KEY")


def tracked(*patterns: str) -> list[Path]:
    command = ["git", "ls-files", "-z", "--", *patterns]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    paths = [ROOT / name for name in listed.split("\0") if name]
    return [path for path in paths if path.is_file()]


def named(path: Path) -> str:
    return str(path.relative_to(ROOT))


MODULES = tracked("app/**.py", "tests/**.py", "bench/**.py", "scripts/**.py")


def test_the_lock_names_only_the_public_registry() -> None:
    lock = (ROOT / "uv.lock").read_text()
    hosts = {urlsplit(url).hostname for url in re.findall(r'https?://[^"\s]+', lock)}
    assert hosts == REGISTRIES


def test_no_file_names_a_machine_or_holds_a_secret() -> None:
    found = []
    for path in tracked():
        text = path.read_bytes().decode(errors="ignore")
        found += [f"{named(path)}: {word}" for word in FORBIDDEN if word in text]
        found += [f"{named(path)}: a secret" for _ in SECRET.finditer(text)]
    assert found == []


def test_no_module_is_longer_than_four_hundred_lines() -> None:
    sizes = {named(path): len(path.read_text().splitlines()) for path in MODULES}
    assert {name: size for name, size in sizes.items() if size > MOST_LINES} == {}


def test_every_module_says_what_it_is_for() -> None:
    modules = [path for path in MODULES if path.read_text().strip()]
    bare = [named(p) for p in modules if ast.get_docstring(ast.parse(p.read_text())) is None]
    assert bare == []


def dotted(node: ast.AST) -> str:
    """Spell out `a.b.c`; a part that is no name becomes an underscore."""
    if isinstance(node, ast.Attribute):
        return f"{dotted(node.value)}.{node.attr}"
    return node.id if isinstance(node, ast.Name) else "_"


def mentions(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Yield every dotted name and every import of a module, with its line."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute | ast.Name):
            yield node.lineno, dotted(node)
        elif isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield from ((node.lineno, f"{node.module}.{alias.name}") for alias in node.names)


def uses(banned: re.Pattern[str], modules: list[Path]) -> list[str]:
    return [
        f"{named(path)}:{line} {name}"
        for path in modules
        for line, name in mentions(ast.parse(path.read_text()))
        if banned.fullmatch(name)
    ]


BANNED_EVERYWHERE = {
    "swallows a cancel on 3.11": r"asyncio(\.tasks)?\.wait_for",
    "joined at exit": r"asyncio\.to_thread|(.+\.)?ThreadPoolExecutor",
    "workers are children of ours": r"multiprocessing(\..+)?|(.+\.)?ProcessPoolExecutor",
    "httpx lives on as httpx2": r"httpx(\..+)?",
    "kills a thread in mid-step": r"QThread\.terminate",
}


# asyncio takes no default executor of another class: it is the base of the one with daemon threads.
EXEMPT = {ROOT / "app/system/threads.py"}


@pytest.mark.parametrize("pattern", BANNED_EVERYWHERE.values(), ids=BANNED_EVERYWHERE.keys())
def test_banned_interfaces_are_absent(pattern: str) -> None:
    assert uses(re.compile(pattern), [path for path in MODULES if path not in EXEMPT]) == []


def test_tests_do_not_sleep() -> None:
    assert uses(re.compile(r"time\.sleep|anyio\.sleep"), tracked("tests/**.py")) == []


def test_the_window_opens_no_nested_loop() -> None:
    assert uses(re.compile(r".+\.exec_?|.+\.processEvents"), tracked("app/ui/**.py")) == []


def swallowed(path: Path) -> list[str]:
    handlers = (
        n for n in ast.walk(ast.parse(path.read_text())) if isinstance(n, ast.ExceptHandler)
    )
    return [
        f"{named(path)}:{handler.lineno}"
        for handler in handlers
        if (handler.type is None or dotted(handler.type) in {"Exception", "BaseException"})
        and all(isinstance(step, ast.Pass | ast.Continue) for step in handler.body)
    ]


def test_no_exception_is_swallowed_whole() -> None:
    assert [place for path in MODULES for place in swallowed(path)] == []


def contract(name: str) -> dict[str, Any]:
    contracts: list[dict[str, Any]] = PYPROJECT["tool"]["importlinter"]["contracts"]
    return next(each for each in contracts if each["name"].startswith(name))


def packages() -> set[str]:
    return {f"app.{path.parent.name}" for path in ROOT.glob("app/*/__init__.py")}


def test_the_layers_name_every_package() -> None:
    layers = {
        name.strip() for layer in contract("Direction")["layers"] for name in layer.split("|")
    }
    assert layers == packages()


def test_the_contract_on_the_window_names_everything_but_core() -> None:
    assert set(contract("ui sees")["forbidden_modules"]) == packages() - {
        "app.ui",
        "app.core",
        "app.main",  # above it: the layers forbid it
    }


def test_the_contract_on_qt_names_every_package_beneath() -> None:
    assert set(contract("Qt only")["source_modules"]) == packages() - {
        "app.ui",
        "app.bridge",
        "app.main",
    }


def test_qt_is_pinned_below_the_release_that_corrupts_reference_counts() -> None:
    assert "PySide6-Essentials>=6.11.3,<6.12" in PYPROJECT["project"]["dependencies"]
    assert (ROOT / "tests/bridge/test_signal_refcounts.py").is_file()


@pytest.mark.parametrize("script", tracked("scripts/*", ".ci/run"), ids=named)
def test_shell_scripts_stop_at_the_first_failure(script: Path) -> None:
    text = script.read_text()
    if text.startswith("#!/usr/bin/env bash"):
        assert "set -euo pipefail" in text
        assert subprocess.run(["bash", "-n", script], check=False).returncode == 0


@pytest.mark.parametrize("bug", planted_bugs.load([]), ids=lambda bug: bug.name)
def test_every_planted_bug_can_still_be_planted(bug: planted_bugs.PlantedBug) -> None:
    assert (ROOT / bug.file).read_text().count(bug.find) == 1
    assert [test for test in bug.tests if not (ROOT / test.partition("::")[0]).exists()] == []


def test_every_test_that_the_promises_name_exists() -> None:
    promises = (ROOT / "RELIABILITY.md").read_text()
    sources = [path.read_text() for path in (ROOT / "tests").rglob("test_*.py")]
    known = {name for source in sources for name in re.findall(r"def (test_\w+)\(", source)}
    assert set(re.findall(r"`(test_\w+)`", promises)) - known == set()
    assert [
        name for name in re.findall(r"`(tests/[^`]+)`", promises) if not (ROOT / name).exists()
    ] == []
