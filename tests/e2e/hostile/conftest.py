"""A stage for hostile states: the real window, on which something is wrong."""

import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.e2e.hand import Hand
from tests.e2e.hostile.stage import Stage
from tests.fakes.server import FakeServer
from tests.harness import environment
from tests.harness.process import BelayProcess

ROOT = Path(__file__).parents[3]

WedgedStarter = Callable[..., BelayProcess]


@pytest.fixture
def start_wedged(belay_home: Path) -> Iterator[WedgedStarter]:
    """Start the real window with a wedge of `tests.fakes.wedged` in it."""
    started: list[BelayProcess] = []

    def start(wedge: str, env: dict[str, str]) -> BelayProcess:
        inherited = {k: v for k, v in os.environ.items() if not environment.is_foreign(k)}
        argv = [sys.executable, "-m", "tests.fakes.wedged", wedge]
        merged = {**inherited, "BELAY_HOME": str(belay_home), **env}
        started.append(BelayProcess(argv, merged, ROOT))
        return started[-1]

    yield start
    for process in started:
        process.kill_tree()


@pytest.fixture
def stage(hand: Hand, server: FakeServer, belay_home: Path, start_wedged: WedgedStarter) -> Stage:
    """Give a stage on which a hostile state can be set up."""
    return Stage(hand=hand, server=server, home=belay_home, start_wedged=start_wedged)
