"""The pictures that the person attached: asked for when they come into sight, kept while in use.

GUI thread only. Reads nothing itself: whoever hears `wanted` brings the picture. Sizes stay when
pictures go, so that letting one go moves nothing.
"""

from collections import OrderedDict

from PySide6.QtCore import QObject, QSize, Signal
from PySide6.QtGui import QImage

KEPT_BYTES = 64_000_000


class Album(QObject):
    """Pictures by name; a null picture is one that cannot be shown."""

    wanted = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self._sizes: dict[str, QSize] = {}
        self._pictures: OrderedDict[str, QImage] = OrderedDict()
        self._asked: set[str] = set()
        self._bytes = 0

    def __len__(self) -> int:
        return len(self._pictures)

    def size_of(self, name: str) -> QSize | None:
        """Say how large a picture is: None while that is unknown, empty if it cannot be shown."""
        return self._sizes.get(name)

    def find(self, name: str) -> QImage | None:
        """Give a picture, or ask for it and give it another time."""
        found = self._pictures.get(name)
        if found is not None:
            self._pictures.move_to_end(name)
        elif name not in self._asked and self._sizes.get(name) != QSize(0, 0):
            self._asked.add(name)
            self.wanted.emit(name)
        return found

    def take(self, name: str, picture: QImage) -> bool:
        """Keep a picture; say whether its size is news."""
        self._asked.discard(name)
        is_news = self._sizes.get(name) != picture.size()
        self._sizes[name] = picture.size()
        if not picture.isNull():
            self._keep(name, picture)
        return is_news

    def _keep(self, name: str, picture: QImage) -> None:
        self._drop(name)
        self._pictures[name] = picture
        self._bytes += picture.sizeInBytes()
        while self._bytes > KEPT_BYTES and len(self._pictures) > 1:
            self._drop(next(iter(self._pictures)))

    def _drop(self, name: str) -> None:
        old = self._pictures.pop(name, None)
        if old is not None:
            self._bytes -= old.sizeInBytes()
