"""Why there will be no window, said to whoever looks: in the terminal and on the screen."""

import sys

from PySide6.QtWidgets import QApplication

from app.core.settings import Settings
from app.ui.refusal import RefusalDialog
from app.ui.style import Appearance


def refuse(why: str) -> int:
    """Say why, wait until it was read, and give the exit code."""
    print(why, file=sys.stderr, flush=True)
    app = QApplication(sys.argv[:1])
    Appearance(app, Settings()).use(Settings())
    dialog = RefusalDialog(why)
    dialog.dismissed.connect(app.quit)
    dialog.show()
    app.exec()
    return 1
