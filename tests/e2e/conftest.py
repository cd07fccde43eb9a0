"""What the tests on the real window share: a server, a hand on the keyboard, a microphone."""

from collections.abc import Generator, Iterator
from pathlib import Path

import pytest

from tests.conftest import BelayStarter
from tests.e2e.hand import Hand
from tests.fakes.server import FakeServer
from tests.harness.microphone import VirtualMicrophone, virtual_microphone

_TAIL = 6000  # characters


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item,
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Add what Belay logged to the report of a test that failed."""
    report = yield
    if report.failed and isinstance(item, pytest.Function):
        for log in sorted(Path(str(item.funcargs["belay_home"]), "logs").glob("*.log")):
            report.sections.append((log.name, log.read_text(errors="replace")[-_TAIL:]))
    return report


@pytest.fixture
def server() -> Iterator[FakeServer]:
    """Give a model server."""
    with FakeServer() as running:
        yield running


@pytest.fixture
def hand(start_belay: BelayStarter, display: str, server: FakeServer) -> Hand:
    """Give a hand on the keyboard of a virtual display."""
    return Hand(start=start_belay, display=display, server=server)


@pytest.fixture(scope="session")
def microphone() -> Iterator[VirtualMicrophone]:
    """Give a microphone that hears what is played."""
    with virtual_microphone() as running:
        yield running
