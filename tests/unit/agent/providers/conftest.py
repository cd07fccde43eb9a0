"""A fake model server for each provider test."""

from collections.abc import Iterator

import pytest

from tests.fakes.server import FakeServer


@pytest.fixture
def server() -> Iterator[FakeServer]:
    """Run a server that ends with the test; every history it was sent must have been valid."""
    with FakeServer() as running:
        yield running
    assert running.log.violations == []
