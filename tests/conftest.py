"""What every test gets: a clean environment, its own BELAY_HOME, and no way off this machine.

Qt is not imported here; unit tests run with pytest-qt blocked, and fail if they load it.
"""

import gc
import logging
import os
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import hypothesis
import pytest

from tests.harness import environment
from tests.harness.display import virtual_display
from tests.harness.network import Fence
from tests.harness.process import BelayProcess, belay_argv, processes_left

environment.scrub()

hypothesis.settings.register_profile("quick", deadline=None, print_blob=True)
hypothesis.settings.register_profile("ci", deadline=None, print_blob=True, derandomize=True)
hypothesis.settings.register_profile("prove", deadline=None, print_blob=True, max_examples=5000)

BelayStarter = Callable[..., BelayProcess]


def pytest_addoption(parser: pytest.Parser, pluginmanager: pytest.PytestPluginManager) -> None:
    """Keep pytest-qt's settings known when it is blocked."""
    if pluginmanager.is_blocked("pytest-qt"):
        for name in ("qt_api", "qt_log_level_fail", "qt_log_ignore"):
            parser.addini(name, "pytest-qt is blocked")


def pytest_configure(config: pytest.Config) -> None:
    """Choose how hard Hypothesis looks, and declare our marker."""
    config.addinivalue_line("markers", "prove: a long suite, run by `make prove`")
    calm = "ci" if os.environ.get("CI") else "quick"
    hypothesis.settings.load_profile("prove" if environment.is_proving() else calm)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Leave the long suites to `make prove`."""
    if environment.is_proving():
        return
    for item in items:
        if item.get_closest_marker("prove"):
            item.add_marker(pytest.mark.skip(reason="long: run by `make prove`"))


@pytest.fixture(autouse=True)
def belay_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Give the test a BELAY_HOME of its own; the folder does not exist yet."""
    home = tmp_path / "belay-home"
    monkeypatch.setenv("BELAY_HOME", str(home))
    return home


@pytest.fixture(autouse=True)
def _only_loopback(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    fence = Fence()
    fence.put_up(monkeypatch)
    yield
    assert not fence.attempts, f"tried to leave loopback: {fence.attempts}"


@pytest.fixture(autouse=True)
def _no_qt_beneath(request: pytest.FixtureRequest) -> Iterator[None]:
    yield
    if not request.config.pluginmanager.hasplugin("pytest-qt"):
        assert "PySide6" not in sys.modules, "Qt was loaded beneath the window"


class _Unretrieved(logging.Handler):
    def __init__(self) -> None:
        super().__init__(logging.ERROR)
        self.messages: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        message = record.getMessage()
        if "never retrieved" in message or "Exception in callback" in message:
            self.messages.append(message)


@pytest.fixture(autouse=True)
def _no_lost_exceptions() -> Iterator[None]:
    # asyncio only logs an exception that nobody looked at; to a test it is a failure.
    handler = _Unretrieved()
    logger = logging.getLogger("asyncio")
    logger.addHandler(handler)
    yield
    logger.removeHandler(handler)
    assert not handler.messages, f"lost exceptions: {handler.messages}"


@pytest.fixture(autouse=True, scope="module")
def _no_rubbish_for_others() -> Iterator[None]:
    # What was left unclosed warns when it is collected: here, not in somebody else's test.
    yield
    gc.collect()
    if "app.system.spawner" in sys.modules:
        left = processes_left()
        assert not left, f"process trees that nobody ended: {left}"


@pytest.fixture(scope="session")
def display() -> Iterator[str]:
    """Give the name of a virtual X display, for the real app and for xdotool."""
    with virtual_display() as name:
        yield name


@pytest.fixture
def start_belay(belay_home: Path, tmp_path: Path) -> Iterator[BelayStarter]:
    """Start the real `belay` with arguments and extra environment; all of it ends with the test."""
    started: list[BelayProcess] = []

    def start(*args: str, env: Mapping[str, str] | None = None) -> BelayProcess:
        inherited = {k: v for k, v in os.environ.items() if not environment.is_foreign(k)}
        merged = {**inherited, "BELAY_HOME": str(belay_home), **(env or {})}
        process = BelayProcess(belay_argv(*args), merged, tmp_path)
        started.append(process)
        return process

    yield start
    for process in started:
        process.kill_tree()
