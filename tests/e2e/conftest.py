"""What the tests on the real window share: a server, a hand on the keyboard, a microphone."""

from collections.abc import Iterator

import pytest

from tests.conftest import BelayStarter
from tests.e2e.hand import Hand
from tests.fakes.server import FakeServer
from tests.harness.microphone import VirtualMicrophone, virtual_microphone


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
