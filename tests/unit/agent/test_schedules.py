"""Thousands of random schedules in virtual time, each the same whenever its seed is played.

A seed means something only as long as the dice are read in the same order: what a schedule finds
becomes a case of its own (a chip's new words that missed the disk: tests/unit/agent/test_chips.py).
"""

import random
from pathlib import Path

import pytest

from tests.harness.environment import is_proving
from tests.unit.agent.schedule import play_schedule
from tests.unit.agent.virtual import PacedStore, run_virtually

BATCH = 50
BATCHES = 200 if is_proving() else 6


async def _play(path: Path, seeds: range) -> None:
    pace = random.Random(0)
    store = PacedStore(path, pace=lambda: pace.choice([0.0, 0.0, 0.002, 0.05]))
    store.start()
    for seed in seeds:
        pace.seed(seed)
        try:
            await play_schedule(seed, store)
        except BaseException as error:
            error.add_note(f"seed {seed}")
            raise
    assert store.close(1.0)


@pytest.mark.parametrize("batch", range(BATCHES))
def test_random_schedules_keep_every_promise(batch: int, tmp_path: Path) -> None:
    run_virtually(_play(tmp_path / "a.db", range(batch * BATCH, (batch + 1) * BATCH)))
