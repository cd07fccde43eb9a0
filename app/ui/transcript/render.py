"""Runs onto paper: character formats and a QTextCursor, no markup of any kind.

Writing anew keeps what is the same at the beginning, so that a growing paragraph costs what has
changed plus the layout of one block.
"""

from PySide6.QtGui import QTextCursor

from app.ui.transcript import units
from app.ui.transcript.look import Look, Tone
from app.ui.transcript.paper import Paper
from app.ui.transcript.runs import Run


def write(paper: Paper, written: list[Run], wanted: list[Run], look: Look, tone: Tone) -> None:
    """Make a paper that shows `written` show `wanted`."""
    kept, same = _common(written, wanted)
    cursor = QTextCursor(paper)
    cursor.beginEditBlock()
    if not written:
        cursor.setBlockFormat(look.block_format(tone))
        cursor.setBlockCharFormat(look.format(tone, Run("").style))
    cursor.setPosition(same)
    cursor.movePosition(QTextCursor.MoveOperation.End, QTextCursor.MoveMode.KeepAnchor)
    if cursor.hasSelection():
        cursor.removeSelectedText()
    put(cursor, _rest(wanted, kept, same), look, tone)
    cursor.endEditBlock()


def put(cursor: QTextCursor, runs: list[Run], look: Look, tone: Tone) -> None:
    """Insert runs at a cursor."""
    for run in runs:
        cursor.insertText(run.text, look.format(tone, run.style))


def _common(written: list[Run], wanted: list[Run]) -> tuple[int, int]:
    """Count the runs that are the same at the beginning, and the characters."""
    kept = same = 0
    for old, new in zip(written, wanted, strict=False):
        if old != new:
            if old.style == new.style and new.text.startswith(old.text):
                same += units.length(old.text)
            break
        same += units.length(old.text)
        kept += 1
    return kept, same


def _rest(wanted: list[Run], kept: int, same: int) -> list[Run]:
    rest = wanted[kept:]
    done = same - sum(units.length(run.text) for run in wanted[:kept])
    if done:
        first = rest[0]
        rest = [Run(units.cut(first.text, done), first.style, first.href), *rest[1:]]
    return rest
