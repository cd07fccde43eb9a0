"""What is copied: plain text as it is shown, or the Markdown it was made from."""

from app.ui.transcript import units
from app.ui.transcript.blocks import Block, Item, Joint
from app.ui.transcript.item import MessageItem
from app.ui.transcript.look import Tone
from app.ui.transcript.parts import Thought, Words
from app.ui.transcript.rows.base import Row
from app.ui.transcript.rows.code import CodeRow, code_of
from app.ui.transcript.rows.plain import LineRow
from app.ui.transcript.selection import Caret, Selection

_MANY = 300  # past this many whole messages their source is copied: reading it all takes seconds


def everything(items: list[MessageItem]) -> Selection | None:
    """Select all there is."""
    if not items:
        return None
    last = len(items) - 1
    row = items[last].count - 1
    end = units.length(items[last].row(row).text)
    return Selection(Caret(0, 0, 0), Caret(last, row, end))


def plain(items: list[MessageItem], selection: Selection) -> str:
    """Copy what is selected as it is shown."""
    start, end = selection.start, selection.end
    is_much = end.item - start.item > _MANY
    texts = []
    for index in range(start.item, end.item + 1):
        is_inner = start.item < index < end.item
        if is_much and is_inner:
            texts.append(items[index].entry.words)
        else:
            texts.append(_plain_of(items[index], index, selection))
    return "\n\n".join(text for text in texts if text)


def markdown(items: list[MessageItem], selection: Selection) -> str:
    """Copy the source of the blocks that are selected, whole blocks at a time."""
    start, end = selection.start, selection.end
    texts = []
    for index in range(start.item, end.item + 1):
        item = items[index]
        if start.item < index < end.item:
            texts.append(item.entry.words)
        else:
            texts.append(_source_of(item, index, selection))
    return "\n\n".join(text.strip("\n") for text in texts if text)


def message_text(item: MessageItem) -> str:
    """Copy the words of a whole message as they are shown, without thoughts and tools."""
    rows = (item.row(number) for number in range(item.count))
    return _joined([(row, row.text) for row in rows if _is_word(row)])


def reading_text(item: MessageItem) -> str:
    """Say all there is to be read in a message, for those who hear it."""
    rows = [item.row(number) for number in range(item.count)]
    texts = [(row, row.text) for row in rows if row.text]
    if texts and isinstance(texts[0][0], LineRow) and texts[0][0].tone is Tone.LABEL:
        del texts[0]  # the name says who speaks
    return _joined(texts)


def _is_word(row: Row) -> bool:
    if row.markdown is not None:
        return True
    return row.origin is not None and not isinstance(row.origin, Thought)


def _plain_of(item: MessageItem, index: int, selection: Selection) -> str:
    found: list[tuple[Row, str]] = []
    for number in range(item.count):
        row = item.row(number)
        text = row.text if row.can_select else ""
        span = selection.within(index, number, units.length(text)) if text else None
        if span is not None:
            found.append((row, units.cut(text, *span)))
    return _joined(found, is_cut=bool(found) and _begins_within(selection, index))


def _begins_within(selection: Selection, index: int) -> bool:
    return selection.start.item == index and selection.start.position > 0


def _joined(texts: list[tuple[Row, str]], *, is_cut: bool = False) -> str:
    found: list[str] = []
    above: Row | None = None
    for row, text in texts:
        marker = "" if is_cut and above is None else _marker(row)
        found += [_between(above, row), marker, text]
        above = row
    return "".join(found)


def _between(above: Row | None, row: Row) -> str:
    if above is None:
        return ""
    block = getattr(row, "block", None)
    if not isinstance(block, Block):
        return "\n\n"
    if block.joint is not Joint.NONE:
        return "" if block.joint is Joint.INLINE else "\n"
    return "\n" if _opens_item(block) and not block.spaced else "\n\n"


def _opens_item(block: Block) -> bool:
    return any(isinstance(one, Item) for one in block.containers[block.opens :])


def _marker(row: Row) -> str:
    block = getattr(row, "block", None)
    if not isinstance(block, Block) or not _opens_item(block):
        return ""
    items = [one for one in block.containers if isinstance(one, Item)]
    last = items[-1]
    mark = "•" if last.number is None else f"{last.number}."
    if last.task is not None:
        mark = "☑" if last.task else "☐"
    return "  " * (len(items) - 1) + mark + " "


def _source_of(item: MessageItem, index: int, selection: Selection) -> str:
    spans: list[tuple[Words | None, str, int, int]] = []
    for number in range(item.count):
        row = item.row(number)
        block = getattr(row, "block", None)
        shown = units.length(row.text) if row.can_select else 0
        if not isinstance(block, Block) or selection.within(index, number, max(1, shown)) is None:
            continue
        origin = getattr(row, "origin", None)
        if origin is None or row.markdown is not None:
            spans.append((None, row.markdown or row.text, 0, 0))
        elif spans and spans[-1][0] is origin:
            spans[-1] = (origin, "", spans[-1][2], max(block.end, spans[-1][3]))
        else:
            spans.append((origin, "", block.start, block.end or len(origin.text)))
    return "\n".join(text if part is None else part.text[a:b] for part, text, a, b in spans)


def code_text(row: Row) -> str:
    """Copy the whole code block that a row is part of."""
    return code_of(row) if isinstance(row, CodeRow) else ""
