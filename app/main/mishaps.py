"""Exceptions that nobody caught, wherever they happened: logged, told once, and the app goes on.

Slots and the interpreter's own hook, threads, tasks of the agent loop, and Qt's messages. What is
told is a Problem with a redacted stack; the same place is told once, for a repaint that fails
would otherwise never end.
"""

import logging
import sys
import threading
import traceback
from types import TracebackType
from typing import TYPE_CHECKING, Any, Final

from PySide6.QtCore import QMessageLogContext, QObject, QtMsgType, Signal, qInstallMessageHandler

from app.core.errors import Problem, ProblemKind
from app.system.redaction import redact

if TYPE_CHECKING:
    from asyncio import AbstractEventLoop

log = logging.getLogger(__name__)

_LEVELS: Final = {
    QtMsgType.QtDebugMsg: logging.DEBUG,
    QtMsgType.QtInfoMsg: logging.INFO,
    QtMsgType.QtWarningMsg: logging.WARNING,
    QtMsgType.QtCriticalMsg: logging.ERROR,
    QtMsgType.QtFatalMsg: logging.CRITICAL,
}


class Mishaps(QObject):
    """Hears of exceptions on any thread; lives on the GUI thread."""

    happened = Signal(object)  # a Problem

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._told: set[tuple[str, str, int]] = set()

    def listen(self) -> None:
        """Hear of everything from now on; whoever listened before still does."""
        self._listen_to_python()
        self._listen_to_threads()
        qInstallMessageHandler(on_qt_message)

    def listen_to_loop(self, loop: "AbstractEventLoop") -> None:
        """Hear of tasks and callbacks that fail on a loop; called on its thread."""
        loop.set_exception_handler(self._on_loop_trouble)

    def tell(self, error: BaseException) -> None:
        """Tell of an exception, once for each place that raises it; any thread."""
        frames = traceback.extract_tb(error.__traceback__)
        last = frames[-1] if frames else None
        place = (type(error).__name__, last.filename if last else "", (last and last.lineno) or 0)
        if place not in self._told:
            self._told.add(place)
            detail = redact("".join(traceback.format_exception(error)).strip())
            self.happened.emit(Problem(kind=ProblemKind.INTERNAL, detail=detail))

    def report(self, problem: Problem) -> None:
        """Tell of a problem that somebody met on a thread of his own; any thread."""
        self.happened.emit(problem)

    def _listen_to_python(self) -> None:
        before = sys.excepthook

        def hook(
            kind: type[BaseException], error: BaseException, stack: TracebackType | None
        ) -> None:
            before(kind, error, stack)
            self._tell_exception(error)

        sys.excepthook = hook

    def _listen_to_threads(self) -> None:
        before = threading.excepthook

        def hook(args: threading.ExceptHookArgs) -> None:
            before(args)
            self._tell_exception(args.exc_value)

        threading.excepthook = hook

    def _on_loop_trouble(self, loop: "AbstractEventLoop", context: dict[str, Any]) -> None:
        loop.default_exception_handler(context)
        self._tell_exception(context.get("exception"))

    def _tell_exception(self, error: BaseException | None) -> None:
        if isinstance(error, Exception):  # the rest is somebody leaving
            self.tell(error)


def on_qt_message(kind: QtMsgType, context: QMessageLogContext, message: str) -> None:
    """Put what Qt says into the log."""
    log.log(_LEVELS.get(kind, logging.WARNING), "Qt %s: %s", context.category, message)
