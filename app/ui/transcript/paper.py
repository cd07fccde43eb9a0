"""Laid-out text: documents that load nothing, the few hundred that are in use.

GUI thread only. A document is built when its row is measured or painted and dropped when many
others were used since; heights stay, so that dropping one moves nothing.
"""

from collections import OrderedDict
from collections.abc import Hashable
from typing import TypeVar

from PySide6.QtCore import QPointF, QRectF, QUrl
from PySide6.QtGui import QAbstractTextDocumentLayout, QPainter, QTextDocument, QTextOption

T = TypeVar("T")
KEPT = 256


class Paper(QTextDocument):
    """A document that asks nobody for anything."""

    def __init__(self, option: QTextOption) -> None:
        super().__init__()
        self.setUndoRedoEnabled(False)
        self.setDocumentMargin(0)
        self.setDefaultTextOption(option)
        self._width = -1.0

    def loadResource(self, kind: int, name: QUrl | str) -> object:  # noqa: ARG002
        """Load nothing, whatever the text names."""
        return None

    def fit(self, width: float) -> None:
        """Lay out for a width; Qt would lay out anew for the same width too."""
        if width != self._width:
            self._width = width
            self.setTextWidth(width)

    @property
    def height(self) -> float:
        """The height of all lines."""
        return self.documentLayout().documentSize().height()

    def draw(
        self,
        painter: QPainter,
        at: QPointF,
        clip: QRectF,
        marks: list[QAbstractTextDocumentLayout.Selection],
    ) -> None:
        """Paint the part within `clip`, in the painter's coordinates."""
        context = QAbstractTextDocumentLayout.PaintContext()
        context.clip = clip.translated(-at)
        context.selections = marks
        painter.save()
        painter.setClipRect(clip)
        painter.translate(at)
        self.documentLayout().draw(painter, context)
        painter.restore()


class Papers:
    """The documents in use, by the row they belong to."""

    def __init__(self, kept: int = KEPT) -> None:
        self._kept = kept
        self._papers: OrderedDict[Hashable, object] = OrderedDict()

    def __len__(self) -> int:
        return len(self._papers)

    def find(self, row: Hashable, kind: type[T]) -> T | None:
        """Give a row's document, if it is there, and note that it is in use."""
        found = self._papers.get(row)
        if not isinstance(found, kind):
            return None
        self._papers.move_to_end(row)
        return found

    def keep(self, row: Hashable, paper: object) -> None:
        """Keep a row's document, and drop the one that was longest out of use."""
        self._papers[row] = paper
        self._papers.move_to_end(row)
        while len(self._papers) > self._kept:
            self._papers.popitem(last=False)

    def drop(self, row: Hashable) -> None:
        """Forget a row's document."""
        self._papers.pop(row, None)

    def clear(self) -> None:
        """Forget all: another theme or another conversation."""
        self._papers.clear()
