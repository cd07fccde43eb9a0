"""Lines of code on paper, coloured as they are written; what is whole is not touched again."""

from dataclasses import dataclass

from PySide6.QtGui import QTextCursor

from app.ui.transcript import units
from app.ui.transcript.highlight import LINE_CAP, START, State, highlight
from app.ui.transcript.look import Look, Tone
from app.ui.transcript.paper import Paper
from app.ui.transcript.positions import PositionMap
from app.ui.transcript.roles import Role


@dataclass(slots=True)
class CodeSheet:
    """Code on paper, and how far it is written."""

    paper: Paper
    lines: list[str]
    settled: int = 0  # lines that are whole and coloured
    state: State = START  # of the lexer after them


def write_lines(
    sheet: CodeSheet, wanted: list[str], look: Look, language: str, *, is_open: bool
) -> None:
    """Make the paper show these lines; the last of an open block may yet grow."""
    cursor = QTextCursor(sheet.paper)
    cursor.beginEditBlock()
    _erase_from(sheet.paper, cursor, sheet.settled, look)
    last = len(wanted) - 1
    for number in range(sheet.settled, len(wanted)):
        if number:
            cursor.insertBlock(look.block_format(Tone.CODE))
        coloured, state = highlight(language, wanted[number], sheet.state)
        at = 0
        for length, role in coloured:
            cursor.insertText(wanted[number][at : at + length], look.code_format(role))
            at += length
        if at < len(wanted[number]):
            cursor.insertText(wanted[number][at:], look.code_format(Role.TEXT))
        if not (is_open and number == last):
            sheet.state, sheet.settled = state, number + 1
    cursor.endEditBlock()
    sheet.lines = wanted


def _erase_from(paper: Paper, cursor: QTextCursor, line: int, look: Look) -> None:
    """Take away the lines from one on; the line break before it goes too."""
    if line == 0:
        cursor.select(QTextCursor.SelectionType.Document)
        cursor.removeSelectedText()
        cursor.setBlockFormat(look.block_format(Tone.CODE))
        return
    kept = paper.findBlockByNumber(line - 1)
    cursor.setPosition(kept.position() + kept.length() - 1)
    cursor.movePosition(QTextCursor.MoveOperation.End, QTextCursor.MoveMode.KeepAnchor)
    cursor.removeSelectedText()


def broken(line: str) -> list[str]:
    """Break an endless line into pieces that can be laid out."""
    if len(line) <= LINE_CAP:
        return [line]
    return [line[at : at + LINE_CAP] for at in range(0, len(line), LINE_CAP)]


def columns(line: str) -> int:
    """Count the columns that a line takes."""
    if line.isascii():
        return len(line) + 3 * line.count("\t")
    return sum(1 if char < "\u1100" else 2 for char in line) + 3 * line.count("\t")


def positions(text: str) -> PositionMap | None:
    """Say where the text stands on paper, if endless lines were broken."""
    lines = text.split("\n")
    if all(len(line) <= LINE_CAP for line in lines):
        return None
    found = PositionMap()
    at = place = 0
    for line in lines:
        for piece in broken(line):
            length = units.length(piece)
            found.add(at, place, length)
            at += length
            place += length + 1
        at += 1
    return found
