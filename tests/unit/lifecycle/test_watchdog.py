"""The watchdog ends a wedged process with 70 and leaves its stacks; run in children only."""

import subprocess
import sys
from pathlib import Path

import pytest

from app.lifecycle.last_shutdown import ShutdownNote
from app.lifecycle.watchdog import watchdog_limit_s

BOUND_S = 60.0
LATE_S = 50.0  # a limit that no test reaches

BEGIN = """
import ctypes, sys, threading
from pathlib import Path
from app.lifecycle.watchdog import Watchdog
stacks = open(sys.argv[1], "ab", buffering=0)
watchdog = Watchdog(float(sys.argv[2]), stacks)
"""
SLEEPING = """
def sit_in_a_lock():
    threading.Event().wait()
watchdog.arm()
sit_in_a_lock()
"""
BUSY = """
def compute_for_ever():
    while True:
        pass
watchdog.arm()
compute_for_ever()
"""
HOLDING_THE_GIL = """
def hold_the_gil():
    ctypes.PyDLL(None).sleep(1000)
watchdog.arm()
hold_the_gil()
"""
ANOTHER_THREAD_HOLDS_THE_GIL = """
def hold_the_gil():
    ctypes.PyDLL(None).sleep(1000)
watchdog.arm()
threading.Thread(target=hold_the_gil, daemon=True).start()
threading.Event().wait()
"""
ARMED_FROM_A_THREAD = """
threading.Thread(target=watchdog.arm, daemon=True).start()
threading.Event().wait()
"""
NO_NATIVE_TIMER = """
from app.lifecycle.native_timer import NativeTimer
NativeTimer.exit_after = lambda *_: None
"""


def _run(script: str, folder: Path, limit_s: float = 0.4) -> tuple[int, str]:
    stacks = folder / "stacks"
    argv = [sys.executable, "-c", BEGIN + script, str(stacks), str(limit_s)]
    done = subprocess.run(argv, timeout=BOUND_S, check=False)
    return done.returncode, stacks.read_text()


@pytest.mark.parametrize(
    ("script", "culprit"),
    [
        pytest.param(SLEEPING, "sit_in_a_lock", id="a lock"),
        pytest.param(BUSY, "compute_for_ever", id="a busy loop"),
        pytest.param(
            HOLDING_THE_GIL,
            "hold_the_gil",
            id="the GIL",
            marks=pytest.mark.skipif(sys.platform != "linux", reason="the code is 1 elsewhere"),
        ),
        pytest.param(
            ANOTHER_THREAD_HOLDS_THE_GIL,
            "hold_the_gil",
            id="the GIL on another thread",
            marks=pytest.mark.skipif(sys.platform != "linux", reason="the code is 1 elsewhere"),
        ),
        pytest.param(ARMED_FROM_A_THREAD, "Thread", id="armed from a thread"),
        pytest.param(NO_NATIVE_TIMER + SLEEPING, "sit_in_a_lock", id="without the native timer"),
    ],
)
def test_wedged_process_ends_with_70_and_leaves_its_stacks(
    script: str, culprit: str, tmp_path: Path
) -> None:
    code, stacks = _run(script, tmp_path)
    assert code == 70
    assert culprit in stacks


def test_note_of_the_shutdown_gets_the_stacks(tmp_path: Path) -> None:
    noting = """
from app.lifecycle.last_shutdown import ShutdownNote
watchdog = Watchdog(0.4, stacks, note=ShutdownNote(Path(sys.argv[1]).parent))
"""
    code, elsewhere = _run(noting + SLEEPING, tmp_path)
    found = ShutdownNote(tmp_path).take()
    assert (code, elsewhere) == (70, "")
    assert found is not None
    assert "sit_in_a_lock" in found.stacks


def test_thread_alone_ends_it_with_70(tmp_path: Path) -> None:
    no_stacks = "import faulthandler\nfaulthandler.dump_traceback_later = lambda *_, **__: None\n"
    code, stacks = _run(NO_NATIVE_TIMER + no_stacks + SLEEPING, tmp_path)
    assert code == 70
    assert "sit_in_a_lock" in stacks


def test_held_gil_without_the_native_timer_ends_with_1(tmp_path: Path) -> None:
    code, stacks = _run(NO_NATIVE_TIMER + HOLDING_THE_GIL, tmp_path)
    assert code == 1
    assert "hold_the_gil" in stacks


def test_arming_again_adds_nothing(tmp_path: Path) -> None:
    script = "for _ in range(5): watchdog.arm()\nsys.exit(threading.active_count())"
    assert _run(script, tmp_path, LATE_S) == (2, "")


def test_process_that_ends_by_itself_keeps_its_code(tmp_path: Path) -> None:
    assert _run("watchdog.arm()\nsys.exit(3)", tmp_path, LATE_S) == (3, "")


def test_unarmed_watchdog_does_nothing(tmp_path: Path) -> None:
    assert _run("threading.Event().wait(0.8)", tmp_path) == (0, "")


def test_disarmed_watchdog_does_nothing(tmp_path: Path) -> None:
    script = "watchdog.arm()\nwatchdog.disarm()\nthreading.Event().wait(2.5)"
    assert _run(script, tmp_path, limit_s=2) == (0, "")


@pytest.mark.parametrize(
    ("value", "limit_s"),
    [("2.5", 2.5), ("", 5), ("soon", 5), ("-1", 5), ("0", 5), ("nan", 5), ("inf", 5)],
)
def test_limit_comes_from_the_environment(value: str, limit_s: float) -> None:
    assert watchdog_limit_s({"BELAY_EXIT_WATCHDOG_S": value}) == limit_s
    assert watchdog_limit_s({}) == 5
