"""Signals leave reference counts alone: PySide6 6.12.0 on Python 3.11 does not.

There each emission drops a reference to `True` and each void call one to `None`, until the
interpreter aborts. Run in a process of its own, so that an abort is a failed test and no more.
When this passes with a newer PySide6, the pin in pyproject.toml may go.
"""

import subprocess
import sys

EMIT = """
import sys
from PySide6.QtCore import QObject, Signal

class Source(QObject):
    said = Signal(bool)
    plain = Signal()

source = Source()
heard = []
source.said.connect(heard.append)
source.plain.connect(lambda: None)
# From 3.12 on these two are immortal and their count never changes.
before = sys.getrefcount(True), sys.getrefcount(None)
for _ in range(5000):
    source.said.emit(True)
    source.plain.emit()
heard_count = len(heard)
heard.clear()
after = sys.getrefcount(True), sys.getrefcount(None)
print(heard_count, abs(after[0] - before[0]) < 100, abs(after[1] - before[1]) < 100)
"""


def test_five_thousand_emissions_leave_true_and_none_alive() -> None:
    run = subprocess.run([sys.executable, "-c", EMIT], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    assert run.stdout.split() == ["5000", "True", "True"]
