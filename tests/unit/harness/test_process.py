"""A started process leaves nothing behind, however its children try to get away."""

import os
import sys
from pathlib import Path

import psutil
import pytest

from tests.harness.process import BelayProcess

_RUNAWAY = """
import os, signal, subprocess, sys
signal.signal(signal.SIGTERM, signal.SIG_IGN)
child = subprocess.Popen(
    [sys.executable, "-c", "import signal; signal.signal(15, signal.SIG_IGN); print(1, flush=True);"
     "signal.pause()"],
    start_new_session=True, stdout=subprocess.PIPE)
child.stdout.readline()
print(child.pid, flush=True)
if sys.argv[1] == "orphan":
    os._exit(0)
signal.pause()
"""


@pytest.mark.parametrize("fate", ["parent", "orphan"])
def test_kill_tree_finds_a_child_that_left_its_session(tmp_path: Path, fate: str) -> None:
    process = BelayProcess([sys.executable, "-c", _RUNAWAY, fate], dict(os.environ), tmp_path)
    child = psutil.Process(int(process.stdout.wait_for("\n")))
    process.kill_tree()
    assert not child.is_running() or child.status() == psutil.STATUS_ZOMBIE
    assert process.tree() == []


def test_output_is_read_while_the_process_still_runs(tmp_path: Path) -> None:
    echo = "import sys\nfor line in sys.stdin: print(line.upper(), end='', flush=True)"
    process = BelayProcess([sys.executable, "-c", echo], dict(os.environ), tmp_path)
    process.write("hello\n")
    assert process.stdout.wait_for("HELLO") == "HELLO\n"
    process.close_stdin()
    assert process.wait() == 0
    process.kill_tree()
