"""After Stop the model rests; after us it is gone; and starting it often leaves nothing."""

import subprocess
import sys
from pathlib import Path

import psutil
import pytest

from app.agent.provider import RequestDelivered, TextChunk
from app.core.tokens import Cancelled
from tests.harness.environment import is_proving
from tests.harness.loops import play
from tests.harness.process import processes_left
from tests.unit.agent.providers.asking import Asking, question
from tests.unit.localmodel.living import LONG_ANSWER, LONG_QUESTION, Living, living, until

_A_BATCH_CPU_S = 4.0  # the whole question takes several times as much
_PARENT = """
import asyncio, pathlib, sys
from tests.unit.localmodel.living import living

async def main():
    async with living(pathlib.Path(sys.argv[1])) as alive:
        print(alive.pid, flush=True)
        await asyncio.Event().wait()

asyncio.run(main())
"""


async def stopped(asking: Asking) -> None:
    asking.stop()
    with pytest.raises(Cancelled):
        await asking.reply()


def test_stop_while_it_writes_leaves_the_model_idle(tmp_path: Path) -> None:
    async def act() -> None:
        async with living(tmp_path) as alive:
            asking = Asking(alive.provider, question(LONG_ANSWER))
            await asking.ear.until(lambda ear: len(ear.all(TextChunk)) >= 5)
            await stopped(asking)
            await _rests(alive)

    play(act())


def test_stop_while_it_reads_leaves_the_model_idle(tmp_path: Path) -> None:
    async def act() -> None:
        async with living(tmp_path) as alive:
            asking = Asking(alive.provider, question(LONG_QUESTION))
            await asking.ear.until(lambda ear: ear.all(RequestDelivered))
            await alive.busy()
            assert not asking.ear.text
            at_stop = alive.cpu_s()
            await stopped(asking)
            await _rests(alive)
            # CPU time, not the clock's: it finished its batch, and did not read on to the end.
            assert alive.cpu_s() - at_stop < _A_BATCH_CPU_S

    play(act())


async def _rests(alive: Living) -> None:
    await alive.idle()
    slot = alive.slot()
    assert not slot["is_processing"]


def test_the_child_is_gone_when_its_parent_is_killed(tmp_path: Path) -> None:
    parent = subprocess.Popen(
        [sys.executable, "-c", _PARENT, str(tmp_path)], stdout=subprocess.PIPE, text=True
    )
    try:
        assert parent.stdout is not None
        child = psutil.Process(int(parent.stdout.readline()))
        parent.kill()
        gone, alive = psutil.wait_procs([child], timeout=20)
        assert not alive, "the model outlived its parent"
        assert gone
    finally:
        parent.kill()
        parent.wait()
        assert parent.stdout is not None
        parent.stdout.close()


def test_starting_and_ending_leaves_nothing(tmp_path: Path) -> None:
    async def start_and_end() -> None:
        async with living(tmp_path) as alive:
            pid = alive.pid
        await until(lambda: not psutil.pid_exists(pid))
        await until(lambda: not processes_left())

    play(start_and_end())  # the spawner's own files are open from here on
    files = psutil.Process().num_fds()
    for _ in range(50 if is_proving() else 2):
        play(start_and_end())
    assert psutil.Process().num_fds() <= files
