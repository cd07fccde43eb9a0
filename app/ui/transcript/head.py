"""What stands above a message: who speaks, what happened before it began."""

from app.ui.transcript.entry import Entry
from app.ui.transcript.look import Tone
from app.ui.transcript.place import Place
from app.ui.transcript.rows.base import Row
from app.ui.transcript.rows.plain import ContinuedRow, LineRow
from app.ui.transcript.stage import Stage


def head_rows(entry: Entry, place: Place, stage: Stage) -> list[Row]:
    """Make the rows above a message."""
    rows: list[Row] = []
    if entry.continues:
        rows.append(ContinuedRow())
    elif not entry.is_person and not place.joins_above:
        rows.append(LineRow("Assistant", Tone.LABEL))
    rows += [LineRow(note, Tone.CAPTION) for note in entry.notes]
    for row in rows[1:]:
        row.gap = stage.look.px(4)
    return rows
