"""The wish to quit, which may be older than the window that carries it out."""

import threading
from collections.abc import Callable


class QuitWish:
    """Quit may be asked for before there is a window to ask; callable from any thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._is_asked = False
        self._tell: Callable[[], object] | None = None

    def ask(self) -> None:
        """Ask for Quit; it is told as soon as somebody listens."""
        with self._lock:
            self._is_asked = True
            tell = self._tell
        if tell is not None:
            tell()

    def listen(self, tell: Callable[[], object]) -> None:
        """Hear of the wish, also of one from before."""
        with self._lock:
            self._tell = tell
            is_asked = self._is_asked
        if is_asked:
            tell()
