"""A crash leaves its stacks; run in children, because pytest needs faulthandler's only slot."""

import signal
import stat
import subprocess
import sys
from pathlib import Path

from app.system.crashes import CRASH_NAME, crash_report

BOUND_S = 60.0


def _run(script: str, folder: Path) -> tuple[int, int]:
    process = subprocess.Popen([sys.executable, "-c", script, str(folder)])
    return process.pid, process.wait(BOUND_S)


CRASH = """
import ctypes, sys
from pathlib import Path
from app.system.crashes import start_crash_log
start_crash_log(Path(sys.argv[1]))
def dereference_nothing():
    ctypes.string_at(0)
dereference_nothing()
"""


def test_fatal_signal_leaves_the_stack(tmp_path: Path) -> None:
    pid, code = _run(CRASH, tmp_path)
    assert code == -signal.SIGSEGV
    assert "dereference_nothing" in crash_report(tmp_path, pid)
    assert stat.S_IMODE((tmp_path / CRASH_NAME).stat().st_mode) == 0o600


def test_each_process_has_its_own_report(tmp_path: Path) -> None:
    first, _ = _run(CRASH, tmp_path)
    second, _ = _run(CRASH.replace("dereference_nothing", "something_else"), tmp_path)
    quiet, code = _run(CRASH.replace("\ndereference_nothing()", ""), tmp_path)
    assert code == 0, "the quiet one must not crash"
    assert "dereference_nothing" in crash_report(tmp_path, first)
    assert "something_else" in crash_report(tmp_path, second)
    assert crash_report(tmp_path, quiet) == ""


def test_no_file_is_no_report(tmp_path: Path) -> None:
    assert crash_report(tmp_path, 1) == ""


def test_old_reports_do_not_grow_for_ever(tmp_path: Path) -> None:
    (tmp_path / CRASH_NAME).write_bytes(b"old\n" * 100_000)
    pid, _ = _run(CRASH, tmp_path)
    assert (tmp_path / CRASH_NAME).stat().st_size < 200_000
    assert "dereference_nothing" in crash_report(tmp_path, pid)


UNCAUGHT = """
import sys, threading
from pathlib import Path
from app.system.crashes import log_unhandled_exceptions
from app.system.logs import start_logging
log = start_logging(Path(sys.argv[1]))
log_unhandled_exceptions()
def fail():
    raise LookupError("on a thread")
thread = threading.Thread(target=fail)
thread.start()
thread.join()
import atexit
atexit.register(log.drain, 30)
raise LookupError("on the main thread")
"""


def test_uncaught_exceptions_are_in_the_log(tmp_path: Path) -> None:
    _, code = _run(UNCAUGHT, tmp_path)
    text = (tmp_path / "belay.log").read_text("utf-8")
    assert code == 1
    assert "on a thread" in text
    assert "on the main thread" in text
