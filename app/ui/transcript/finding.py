"""Finding, step by step: the bar, the search, and the time it may take."""

from collections.abc import Callable

from PySide6.QtCore import QElapsedTimer, QObject, QRect, QTimer, Signal
from PySide6.QtWidgets import QWidget

from app.ui.transcript.find import Hit, Search
from app.ui.transcript.findbar import FindBar
from app.ui.transcript.item import MessageItem
from app.ui.transcript.look import Look
from app.ui.transcript.marks import Marks

_SLICE_MS = 8


class Finder(QObject):
    """Keeps the window answering while a long conversation is looked through."""

    marked = Signal()  # what is to be marked has changed
    arrived = Signal(object)  # a Hit to bring into the window
    closed = Signal()

    def __init__(self, parent: QWidget, look: Look, items: Callable[[], list[MessageItem]]) -> None:
        super().__init__(parent)
        self.bar = FindBar(parent, look)
        self._items = items
        self._search: Search | None = None
        self._timer = QTimer(self)
        self._timer.setInterval(0)
        self._timer.timeout.connect(self._on_slice)
        self.bar.sought.connect(self._on_sought)
        self.bar.stepped.connect(self._on_stepped)
        self.bar.left.connect(self.close)

    def open(self, window: QRect) -> None:
        """Show the bar; what was sought before is sought again."""
        self.bar.open(window)
        if self._search is None and self.bar.box.text():
            self._on_sought(self.bar.box.text())

    def close(self) -> None:
        """Hide the bar and the marks."""
        self.forget()
        self.bar.hide()
        self.closed.emit()

    def forget(self) -> None:
        """Drop what was found: the messages are others now."""
        self._timer.stop()
        self._search = None
        self.bar.show_count(0, 0, is_done=True)
        self.marked.emit()

    def again(self) -> None:
        """Look again if anything is sought: the messages have changed; the reader stays."""
        if self._search is not None:
            self._seek(self.bar.box.text(), self._search.current)

    def marks(self, item: int, row: int) -> Marks | None:
        """Say what is to be marked in a row."""
        return self._search.marks(item, row) if self._search else None

    @property
    def search(self) -> Search | None:
        """What is being looked for."""
        return self._search

    def _on_sought(self, text: str) -> None:
        self._seek(text, None)

    def _seek(self, text: str, current: Hit | None) -> None:
        self._search = Search(self._items(), text, current) if text else None
        self._on_slice()
        if self._search is not None and not self._search.is_done:
            self._timer.start()

    def _on_slice(self) -> None:
        search = self._search
        spent = QElapsedTimer()
        spent.start()
        while search is not None and spent.elapsed() < _SLICE_MS:
            if not search.step():
                break
        if search is None or search.is_done:
            self._timer.stop()
        if search is not None and search.current is None and search.hits:
            self._arrive(search.go(forward=True))
        self._say()
        self.marked.emit()

    def _on_stepped(self, forward: bool) -> None:
        if self._search is not None:
            self._arrive(self._search.go(forward=forward))
            self._say()
            self.marked.emit()

    def _arrive(self, hit: Hit | None) -> None:
        if hit is not None:
            self.arrived.emit(hit)

    def _say(self) -> None:
        search = self._search
        if search is None:
            self.bar.show_count(0, 0, is_done=True)
        else:
            self.bar.show_count(search.place, len(search.hits), is_done=search.is_done)
