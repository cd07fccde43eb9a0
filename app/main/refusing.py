"""Why there will be no window, said to whoever looks: in the terminal and on the screen."""

import sys

from PySide6.QtCore import QMetaObject, Qt
from PySide6.QtWidgets import QApplication

from app.core.settings import Settings
from app.lifecycle.quit_wish import QuitWish
from app.ui.refusal import RefusalDialog
from app.ui.style import Appearance


def refuse(why: str, wish: QuitWish) -> int:
    """Say why, wait until it was read or Quit is wished, and give the exit code."""
    print(why, file=sys.stderr, flush=True)
    app = QApplication(sys.argv[:1])
    Appearance(app, Settings()).use(Settings())
    dialog = RefusalDialog(why)
    dialog.dismissed.connect(app.quit)
    dialog.show()
    wish.listen(lambda: QMetaObject.invokeMethod(app, "quit", Qt.ConnectionType.QueuedConnection))
    app.exec()
    return 1
