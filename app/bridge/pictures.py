"""Reads attached pictures for the window, on a daemon thread of its own, one after another.

A picture comes from the person, but may have been made by anybody: only the four common formats
are read, by what they are and not by their names, only from the attachments folder, and a picture
whose pixels would fill the memory is refused before one of them is decoded.
"""

import logging
from pathlib import Path, PurePath
from queue import SimpleQueue
from threading import Thread
from typing import Final

from PySide6.QtCore import QByteArray, QObject, QSize, Qt, Signal, Slot
from PySide6.QtGui import QImage, QImageReader

from app.system.threads import spawn_thread

log = logging.getLogger(__name__)

MAX_BYTES: Final = 40_000_000
MAX_PIXELS: Final = 50_000_000
SHOWN: Final = QSize(1200, 900)  # larger pictures are made smaller: more is never painted
_BEGINNINGS: Final = {b"\x89PNG": b"png", b"\xff\xd8\xff": b"jpeg", b"GIF8": b"gif"}


class PictureReader(QObject):
    """Ask for a picture by its name; it comes as `ready`, null if it cannot be shown."""

    ready = Signal(str, QImage)

    def __init__(self, folder: Path, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._folder = folder
        self._names: SimpleQueue[str | None] = SimpleQueue()
        self._thread: Thread | None = None

    @Slot(str)
    def read(self, name: str) -> None:
        """Read a picture soon."""
        self._names.put(name)
        if self._thread is None:
            self._thread = spawn_thread("belay-pictures", self._work)

    def close(self, timeout_s: float) -> None:
        """End the thread, for those who outlive it."""
        self._names.put(None)
        if self._thread is not None:
            self._thread.join(timeout_s)

    def _work(self) -> None:
        while (name := self._names.get()) is not None:
            self.ready.emit(name, read_picture(self._folder, name))


def read_picture(folder: Path, name: str) -> QImage:
    """Read an attachment, as large as it is worth; a null picture if it cannot be shown."""
    path = folder / name
    try:
        is_ours = PurePath(name).name == name and path.is_file() and not path.is_symlink()
        if not is_ours or path.stat().st_size > MAX_BYTES:
            return QImage()
        with path.open("rb") as file:
            kind = _kind(file.read(12))
    except (OSError, ValueError) as exc:
        log.debug("no picture: %s", type(exc).__name__)
        return QImage()
    return _decode(path, kind) if kind else QImage()


def _kind(beginning: bytes) -> bytes:
    if beginning[:4] == b"RIFF" and beginning[8:] == b"WEBP":
        return b"webp"
    return next((kind for mark, kind in _BEGINNINGS.items() if beginning.startswith(mark)), b"")


def _decode(path: Path, kind: bytes) -> QImage:
    reader = QImageReader(str(path), QByteArray(kind))
    reader.setAutoDetectImageFormat(False)  # asked for its size, an SVG would be parsed whole
    reader.setAutoTransform(True)
    size = reader.size()
    pixels = size.width() * size.height()
    if not size.isValid() or not 0 < pixels <= MAX_PIXELS:
        return QImage()
    if size.width() > SHOWN.width() or size.height() > SHOWN.height():
        smaller = size.scaled(SHOWN, Qt.AspectRatioMode.KeepAspectRatio)
        reader.setScaledSize(smaller.expandedTo(QSize(1, 1)))
    return reader.read()
