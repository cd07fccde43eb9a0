"""Model servers on loopback, for whole conversations."""

from collections.abc import Iterator

import pytest

from tests.fakes.server import FakeServer


@pytest.fixture
def server() -> Iterator[FakeServer]:
    """Run a server that misbehaves on request."""
    with FakeServer() as running:
        yield running


@pytest.fixture
def second() -> Iterator[FakeServer]:
    """Run another, for fallbacks."""
    with FakeServer() as running:
        yield running
