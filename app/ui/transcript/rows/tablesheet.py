"""A table on paper: a QTextTable whose rows are added as they arrive."""

from dataclasses import dataclass, field

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import (
    QFontMetricsF,
    QTextCursor,
    QTextLength,
    QTextTable,
    QTextTableCell,
    QTextTableCellFormat,
    QTextTableFormat,
)

from app.ui.transcript import units
from app.ui.transcript.look import Look, Tone
from app.ui.transcript.paper import Paper
from app.ui.transcript.positions import PositionMap
from app.ui.transcript.render import put
from app.ui.transcript.rows.chips import grounds_of
from app.ui.transcript.runs import BREAK, Run, Style, text_of
from app.ui.transcript.tables import Align

_ALIGN = {
    Align.LEFT: Qt.AlignmentFlag.AlignLeft,
    Align.CENTRE: Qt.AlignmentFlag.AlignHCenter,
    Align.RIGHT: Qt.AlignmentFlag.AlignRight,
}
PAD_X = 8
PAD_Y = 4
_WIDEST_WORD = 220

Cells = list[list[Run]]


@dataclass(slots=True)
class TableSheet:
    """A table on paper, and how far it is written."""

    paper: Paper
    table: QTextTable | None = None
    rows: list[Cells] = field(default_factory=list)
    widths: list[int] = field(default_factory=list)

    @property
    def frame(self) -> QRectF:
        """Where the table stands on its paper."""
        if self.table is None:
            return QRectF()
        return self.paper.documentLayout().frameBoundingRect(self.table)

    def edges(self) -> list[float]:
        """Say where each row ends."""
        assert self.table is not None
        layout = self.paper.documentLayout()
        tops = [
            layout.blockBoundingRect(self.table.cellAt(row, 0).firstCursorPosition().block()).top()
            for row in range(1, self.table.rows())
        ]
        return [*(top - PAD_Y for top in tops), self.frame.height()]


def write_table(
    sheet: TableSheet, rows: list[Cells], aligns: tuple[Align, ...], look: Look, *, has_head: bool
) -> None:
    """Make the paper show these cells; rows that are there already are left alone."""
    cursor = QTextCursor(sheet.paper)
    cursor.beginEditBlock()
    same = 0
    for old, new in zip(sheet.rows, rows, strict=False):
        if old != new:
            break
        same += 1
    if sheet.table is None:
        sheet.table = cursor.insertTable(len(rows), len(aligns), QTextTableFormat())
    elif len(rows) > sheet.table.rows():
        sheet.table.appendRows(len(rows) - sheet.table.rows())
    elif len(rows) < sheet.table.rows():
        sheet.table.removeRows(len(rows), sheet.table.rows() - len(rows))
    for number in range(same, len(rows)):
        tone = Tone.HEAD if has_head and number == 0 else Tone.BODY
        for column, runs in enumerate(rows[number]):
            _fill(sheet.table.cellAt(number, column), runs, _ALIGN[aligns[column]], look, tone)
    sheet.rows = rows
    cursor.endEditBlock()


def set_widths(sheet: TableSheet, widths: list[int]) -> None:
    """Give the columns their widths."""
    if sheet.table is None or widths == sheet.widths:
        return
    form = QTextTableFormat()
    form.setBorder(0)
    form.setCellSpacing(0)
    form.setCellPadding(0)
    form.setWidth(QTextLength(QTextLength.Type.FixedLength, sum(widths)))
    kind = QTextLength.Type.FixedLength
    form.setColumnWidthConstraints([QTextLength(kind, width) for width in widths])
    sheet.table.setFormat(form)
    sheet.widths = widths


def _fill(
    cell: QTextTableCell, runs: list[Run], align: Qt.AlignmentFlag, look: Look, tone: Tone
) -> None:
    padding = QTextTableCellFormat()
    padding.setLeftPadding(PAD_X)
    padding.setRightPadding(PAD_X)
    padding.setTopPadding(PAD_Y)
    padding.setBottomPadding(PAD_Y)
    cell.setFormat(padding)
    cursor = cell.firstCursorPosition()
    cursor.setPosition(cell.lastPosition(), QTextCursor.MoveMode.KeepAnchor)
    cursor.removeSelectedText()
    form = look.block_format(tone)
    form.setAlignment(align)
    cursor.setBlockFormat(form)
    put(cursor, runs, look, tone)


def needs(cells: Cells, look: Look, tone: Tone) -> tuple[list[int], list[int]]:
    """Say how wide each cell of a row would like to be, and must be."""
    metrics = QFontMetricsF(look.voice(tone).font)
    natural, least = [], []
    for runs in cells:
        text = text_of(runs)
        rows = text.split(BREAK)
        natural.append(round(max(map(metrics.horizontalAdvance, rows))) + 2 * PAD_X + 6)
        longest = max(text.split() or [""], key=len)
        word = min(_WIDEST_WORD, round(metrics.horizontalAdvance(longest)))
        least.append(word + 2 * PAD_X + 6)
    return natural, least


def cell_grounds(sheet: TableSheet) -> list[QRectF]:
    """Find the grounds behind inline code in all cells."""
    found: list[QRectF] = []
    assert sheet.table is not None
    for number, row in enumerate(sheet.rows):
        for column, runs in enumerate(row):
            if any(run.style & (Style.CODE | Style.CHIP) for run in runs):
                place = sheet.table.cellAt(number, column).firstPosition()
                found += grounds_of(sheet.paper, runs, place)
    return found


def text_of_table(rows: list[Cells]) -> str:
    """Put a table's text together: tabs between cells, a line for each row."""
    return "\n".join("\t".join(text_of(cell).replace(BREAK, " ") for cell in row) for row in rows)


def positions(sheet: TableSheet) -> PositionMap:
    """Say where the table's text stands on its paper."""
    found = PositionMap()
    at = 0
    assert sheet.table is not None
    for number, row in enumerate(sheet.rows):
        for column, runs in enumerate(row):
            length = units.length(text_of(runs))
            found.add(at, sheet.table.cellAt(number, column).firstPosition(), length)
            at += length + 1
    return found
