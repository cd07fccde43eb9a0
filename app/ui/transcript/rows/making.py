"""From blocks to rows: which kind, how far from the one above, hung on it or not."""

from collections.abc import Iterator, Mapping

from app.ui.transcript.blocks import Block, Item, Joint, Kind
from app.ui.transcript.leaf import CODE_LINES_CAP, TEXT_CAP
from app.ui.transcript.look import Tone
from app.ui.transcript.rows.base import Row
from app.ui.transcript.rows.bubble import BubbleRow
from app.ui.transcript.rows.code import CodeRow
from app.ui.transcript.rows.plain import RuleRow
from app.ui.transcript.rows.table import TableRow
from app.ui.transcript.rows.text import TextRow

BlockRow = TextRow | CodeRow | TableRow | RuleRow


def make_row(
    block: Block, above: Row | None, references: Mapping[str, str], tone: Tone | None = None
) -> BlockRow:
    """Make the row that shows a block."""
    row: BlockRow
    if block.kind in (Kind.CODE, Kind.MATH):
        row = CodeRow(block)
    elif block.kind is Kind.TABLE:
        row = TableRow(block, references)
    elif block.kind is Kind.RULE:
        row = RuleRow(block)
    else:
        row = TextRow(block, references, tone)
    hang(row, above)
    return row


def fits(row: Row, block: Block) -> bool:
    """Say whether a row can become what shows this block."""
    kinds: dict[Kind, type[Row]] = {
        Kind.CODE: CodeRow,
        Kind.MATH: CodeRow,
        Kind.TABLE: TableRow,
        Kind.RULE: RuleRow,
    }
    is_kind = type(row) is kinds.get(block.kind, TextRow)
    if not is_kind or not isinstance(row, TextRow | CodeRow | TableRow | RuleRow):
        return False
    old = row.block
    same = (old.kind, old.level, old.joint, old.containers, old.info)
    return same == (block.kind, block.level, block.joint, block.containers, block.info)


def hang(row: Row, above: Row | None) -> None:
    """Join a row to the one above if both are parts of one box."""
    if isinstance(row, CodeRow):
        is_joined = row.block.joint is not Joint.NONE and isinstance(above, CodeRow)
        row.join(above if is_joined and isinstance(above, CodeRow) else None)
    elif isinstance(row, TableRow):
        is_joined = row.block.joint is not Joint.NONE and isinstance(above, TableRow)
        row.join(above if is_joined and isinstance(above, TableRow) else None)


def gap_above(above: Row | None, block: Block) -> int:
    """Say how much air a block needs above it."""
    if block.joint is not Joint.NONE:
        return 0
    before = getattr(above, "block", None)
    if not isinstance(before, Block):
        return 6 if above is not None else 0
    if block.kind is Kind.HEADING:
        return 24 if block.level <= 2 else 18
    if before.kind is Kind.HEADING:
        return 8
    begins_item = any(isinstance(one, Item) for one in block.containers[block.opens :])
    if begins_item and before.kind not in (Kind.CODE, Kind.TABLE):
        return 8 if block.spaced else 4 if before.containers else 8
    return 12


def code_rows(text: str, info: str, title: str) -> list[CodeRow]:
    """Make the rows for a text that is shown as code, cut where it is long."""
    rows: list[CodeRow] = []
    for piece, joint in _pieces(text):
        row = CodeRow(Block(kind=Kind.CODE, text=piece, info=info, joint=joint), title=title)
        hang(row, rows[-1] if rows else None)
        rows.append(row)
    return rows


def bubble_rows(text: str, *, is_spoken: bool) -> list[BubbleRow]:
    """Make the rows for what the person wrote."""
    pieces = list(_pieces(text.strip("\n")))
    return [
        BubbleRow(piece, joint, is_last=at == len(pieces) - 1, is_spoken=is_spoken)
        for at, (piece, joint) in enumerate(pieces)
    ]


def _pieces(text: str) -> Iterator[tuple[str, Joint]]:
    """Cut a text into pieces that can be laid out, between lines where there are any."""
    piece: list[str] = []
    size, joint = 0, Joint.NONE
    for line in text.split("\n"):
        for at in range(0, max(1, len(line)), TEXT_CAP):
            part = line[at : at + TEXT_CAP]
            if piece and (at or size + len(part) > TEXT_CAP or len(piece) >= CODE_LINES_CAP):
                yield "\n".join(piece), joint
                piece, size, joint = [], 0, Joint.INLINE if at else Joint.LINE
            piece.append(part)
            size += len(part) + 1
    yield "\n".join(piece), joint
