"""The last step ends the process with its code, its output written, whatever still runs."""

import os
import subprocess
import sys
from pathlib import Path

from app.lifecycle.last_shutdown import ShutdownNote
from tests.harness.process import Output

BOUND_S = 60.0
BUFFERED = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}

BEGIN = """
import atexit, sys, threading
from pathlib import Path
from app.lifecycle.final_exit import final_exit
from app.lifecycle.last_shutdown import ShutdownNote
from app.system.commands import Command
from app.system.logs import start_logging
from app.system.spawner import spawner
"""


def _run(script: str, *args: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, "-c", BEGIN + script, *args],
        env=BUFFERED,
        capture_output=True,
        text=True,
        timeout=BOUND_S,
        check=False,
    )


def test_buffered_output_is_written_and_the_code_kept() -> None:
    done = _run("sys.stdout.write('the answer')\nfinal_exit(3)")
    assert (done.returncode, done.stdout) == (3, "the answer")


def test_stuck_threads_and_exit_hooks_do_not_hold_it() -> None:
    script = """
threading.Thread(target=threading.Event().wait).start()
atexit.register(threading.Event().wait)
final_exit(0)
"""
    assert _run(script).returncode == 0


def test_reader_that_left_does_not_matter() -> None:
    script = BEGIN + "sys.stdin.read()\nsys.stdout.write('x')\nfinal_exit(0)"
    process = subprocess.Popen(
        [sys.executable, "-c", script],
        env=BUFFERED,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.close()
    process.stdin.close()
    assert process.wait(BOUND_S) == 0
    assert Output(process.stderr).read_to_end() == ""


def test_log_is_written_and_the_note_cleared(tmp_path: Path) -> None:
    script = """
import logging
folder = Path(sys.argv[1])
start_logging(folder)
note = ShutdownNote(folder)
note.write("exit", (), saved=True)
logging.getLogger("app").warning("last words")
final_exit(0, note)
"""
    assert _run(script, str(tmp_path)).returncode == 0
    assert "last words" in (tmp_path / "belay.log").read_text()
    assert ShutdownNote(tmp_path).take() is None


def test_guard_is_gone_before_we_are(tmp_path: Path) -> None:
    script = """
tree = spawner().start(Command(argv=("true",))).result()
tree.end_blocking()
guard = spawner()._guarding._guard
print(guard.pid)
import os
original = os._exit
os._exit = lambda code: (print(guard.poll()), sys.stdout.flush(), original(code))
final_exit(0)
"""
    done = _run(script)
    assert done.stdout.split()[1] == "0"
