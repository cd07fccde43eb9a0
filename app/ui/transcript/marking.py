"""Marks on paper: a selection and search hits as a document can paint them."""

from PySide6.QtGui import QAbstractTextDocumentLayout, QColor, QTextCursor

from app.ui.transcript.look import Look
from app.ui.transcript.marks import Marks
from app.ui.transcript.paper import Paper
from app.ui.transcript.positions import PositionMap

Selections = list[QAbstractTextDocumentLayout.Selection]


def selections(
    paper: Paper, marks: Marks, look: Look, positions: PositionMap | None = None
) -> Selections:
    """Turn a row's marks into selections of its document; later ones cover earlier ones."""
    spans = [(hit, look.hit) for hit in marks.hits]
    if marks.current is not None:
        spans.append((marks.current, look.current_hit))
    if marks.selected is not None:
        spans.append((marks.selected, look.colour("selection")))
    found: Selections = []
    for span, colour in spans:
        for start, end in [span] if positions is None else positions.pieces(*span):
            found.append(_selection(paper, start, end, colour, look))
    return found


def _selection(
    paper: Paper, start: int, end: int, colour: QColor, look: Look
) -> QAbstractTextDocumentLayout.Selection:
    last = paper.characterCount() - 1
    cursor = QTextCursor(paper)
    cursor.setPosition(min(start, last))
    cursor.setPosition(min(end, last), QTextCursor.MoveMode.KeepAnchor)
    found = QAbstractTextDocumentLayout.Selection()
    found.cursor = cursor
    form = found.format
    form.setBackground(colour)
    form.setForeground(look.colour("text"))  # muted text would be too faint on the colour
    found.format = form
    return found
