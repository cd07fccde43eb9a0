"""Signals reach us while the main thread runs no Python, and arm the watchdog first."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.harness.process import Output

BOUND_S = 60.0

# The main thread sits in C with the GIL released and never comes back, as in an idle Qt loop.
IDLE_IN_C = """
import ctypes, os, sys, threading
from app.lifecycle.signals import quit_on_signals
from app.lifecycle.watchdog import Watchdog
watchdog = Watchdog(float(sys.argv[1]))
asked = 0
def post_quit():
    global asked
    asked += 1
    on_main = threading.current_thread() is threading.main_thread()
    print("quit", watchdog.is_armed, on_main, flush=True)
    if asked == int(sys.argv[2]):
        os._exit(5)
quit_on_signals(watchdog, post_quit)
print("ready", flush=True)
libc, mutex = ctypes.CDLL(None), ctypes.create_string_buffer(128)
libc.pthread_mutex_init(mutex, None)
libc.pthread_mutex_lock(mutex)
libc.pthread_mutex_lock(mutex)
"""


def _start(
    *, limit_s: float = 50, exit_at: int = 1, ignoring: str = ""
) -> tuple["subprocess.Popen[bytes]", Output]:
    script = f"trap '' {ignoring}; exec \"$@\"" if ignoring else 'exec "$@"'
    argv = ["bash", "-c", script, "bash", sys.executable, "-c", IDLE_IN_C]
    process = subprocess.Popen([*argv, str(limit_s), str(exit_at)], stdout=subprocess.PIPE)
    assert process.stdout is not None
    output = Output(process.stdout)
    output.wait_for("ready\n")
    return process, output


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_signal_posts_quit_from_another_thread_with_the_watchdog_armed(
    number: signal.Signals,
) -> None:
    process, output = _start()
    os.kill(process.pid, number)
    assert process.wait(BOUND_S) == 5
    assert output.read_to_end() == "ready\nquit True False\n"


def test_quit_that_nobody_carries_out_ends_with_70() -> None:
    process, _ = _start(limit_s=0.4, exit_at=-1)
    os.kill(process.pid, signal.SIGTERM)
    assert process.wait(BOUND_S) == 70


def test_every_further_signal_is_heard_too() -> None:
    process, output = _start(exit_at=2)
    os.kill(process.pid, signal.SIGINT)
    output.wait_for("quit")
    os.kill(process.pid, signal.SIGTERM)
    assert process.wait(BOUND_S) == 5


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_signal_that_was_ignored_before_us_stays_ignored() -> None:
    process, _ = _start(ignoring="HUP")
    status = Path(f"/proc/{process.pid}/status").read_text()
    mask = int(status.partition("SigIgn:")[2].split()[0], 16)
    assert mask & 1 << (signal.SIGHUP - 1)
    os.kill(process.pid, signal.SIGTERM)
    assert process.wait(BOUND_S) == 5
