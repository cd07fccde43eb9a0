"""A process that says when its window was first painted, and ends: run by bench.launch.

python -m bench.first_paint belay|empty
"""

import json
import os
import sys
import time
from typing import Any


def watch() -> Any:
    """Make a class of application that ends the process after the first picture of a window."""
    # Imported here: Belay loads other things before Qt, and is to be measured as it is.
    from PySide6.QtCore import QEvent, QObject, QTimer  # noqa: PLC0415
    from PySide6.QtWidgets import QApplication, QWidget  # noqa: PLC0415

    class Watching(QApplication):
        def __init__(self, argv: list[str]) -> None:
            super().__init__(argv)
            self._is_painted = False
            self.installEventFilter(self)

        def eventFilter(self, watched: QObject, event: QEvent) -> bool:
            """Notice the first paint; what it drew is on the screen one turn of the loop later."""
            is_first = event.type() is QEvent.Type.Paint and not self._is_painted
            if is_first and isinstance(watched, QWidget) and watched.isWindow():
                self._is_painted = True
                QTimer.singleShot(0, _say_and_end)
            return False

    return Watching


def _say_and_end() -> None:
    said = {"at": time.monotonic(), "modules": [name for name in sys.modules if "." not in name]}
    sys.stdout.write(json.dumps(said))
    sys.stdout.flush()
    os._exit(0)


def empty() -> None:
    """Show a window with nothing in it."""
    from PySide6.QtWidgets import QWidget  # noqa: PLC0415

    app = watch()(sys.argv[:1])
    window = QWidget()
    window.resize(1100, 720)
    window.show()
    app.exec()


def belay() -> None:
    """Start Belay as its console script does; what is measured with comes in as late as it can."""
    sys.argv = ["belay"]
    entry: Any = __import__("app.main.entry", fromlist=["run"])
    single: Any = __import__("app.lifecycle.single_window", fromlist=["open_window"])
    become_the_window = single.open_window

    def just_before_qt(*args: Any) -> Any:
        became = become_the_window(*args)
        window: Any = __import__("app.main.window", fromlist=["QApplication"])
        window.QApplication = watch()
        return became

    single.open_window = just_before_qt
    entry.run()


if __name__ == "__main__":
    {"belay": belay, "empty": empty}[sys.argv[1]]()
