"""Getting ready for the first message once the window is there: heavy modules, one at a time.

They take a tenth of a second together, which would be felt before the first paint as well as
before the first word.
"""

from importlib import import_module

from PySide6.QtCore import QObject, QTimer

_SOON_MS = 60
_WANTED = (
    "app.ui.transcript.accessible",
    "app.ui.transcript.body",
    "app.ui.transcript.foot",
    "markdown_it",
    "pygments.lexers",
    "app.ui.transcript.copying",
)


class Warming(QObject):
    """Imports a module now and then until all are there."""

    _left: tuple[str, ...] | None = None  # shared: modules are imported once

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._timer = QTimer(self, interval=_SOON_MS)
        self._timer.timeout.connect(self._on_time)

    def start(self) -> None:
        """Begin, unless all is done."""
        if Warming._left is None:
            Warming._left = _WANTED
        if Warming._left:
            self._timer.start()

    def _on_time(self) -> None:
        if not Warming._left:
            self._timer.stop()
            return
        wanted, *left = Warming._left
        Warming._left = tuple(left)
        module = import_module(wanted)
        if hasattr(module, "install"):
            module.install()
