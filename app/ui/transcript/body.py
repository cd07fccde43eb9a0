"""A message's rows from its parts, kept up as parts grow.

Text that is being written is fed to a splitter; closed blocks become rows that never change,
the open end becomes a row or two that are written anew with each flush.
"""

import re
from collections.abc import Mapping

from app.ui.transcript.blocks import Block, Kind
from app.ui.transcript.entry import Entry
from app.ui.transcript.fenwick import Fenwick
from app.ui.transcript.head import head_rows
from app.ui.transcript.look import Tone
from app.ui.transcript.parts import Call, CallState, Picture, ShownPart, Thought, Words
from app.ui.transcript.place import Place
from app.ui.transcript.rows.base import Row
from app.ui.transcript.rows.card import CardRow, pretty
from app.ui.transcript.rows.fold import FoldRow
from app.ui.transcript.rows.making import (
    bubble_rows,
    code_rows,
    fits,
    gap_above,
    hang,
    make_row,
)
from app.ui.transcript.rows.picture import PictureRow
from app.ui.transcript.rows.plain import LineRow
from app.ui.transcript.scanner import normalised
from app.ui.transcript.splitter import Splitter
from app.ui.transcript.stage import Stage

_LABEL = re.compile(r"\[([^\[\]]{1,200})\]")
_SECTION_GAP = 10
_RUNNING_CAP = 8000  # characters of a running tool's output that are shown


class Body:
    """Rows and their heights, from what stands above the parts to the last word."""

    def __init__(
        self,
        entry: Entry,
        stage: Stage,
        place: Place,
        unfolded: set[int],
        editing: Row | None = None,
    ) -> None:
        self.rows: list[Row] = []
        self.heights = Fenwick()
        self._entry = entry
        self._stage = stage
        self._unfolded = unfolded
        self._editing = editing  # stands in for the words
        self._sections: list[tuple[ShownPart, int, object]] = []  # part, first row, its state
        self._stream: _Stream | None = None
        for row in head_rows(entry, place, stage):
            self.push(row)
        self.refresh()

    def push(self, row: Row) -> None:
        """Add a row at the end."""
        self.rows.append(row)
        if not row.is_measured:
            row.height = row.height or row.estimate(self._stage.look, self._stage.width)
        self.heights.append(row.gap + row.height)

    def cut(self, start: int) -> list[Row]:
        """Take the rows from an index on away."""
        taken = self.rows[start:]
        del self.rows[start:]
        self.heights.truncate(start)
        return taken

    def grow(self, part: ShownPart, text: str) -> bool:
        """Take more words of the part that is being written; False if it is not that part."""
        if self._stream is None or self._stream.part is not part:
            return False
        self._stream.take(text)
        return True

    def flush(self) -> None:
        """Show the words taken since the last time."""
        if self._stream is not None:
            self._stream.flush()
            self._ground()

    def refresh(self) -> None:
        """Show the parts as they are now; what is unchanged keeps its rows."""
        parts = self._entry.parts
        keep = 0
        for part, (known, _, state) in zip(parts, self._sections, strict=False):
            if part is not known or self._state(keep, part) != state:
                break
            keep += 1
        if keep < len(self._sections):
            self._end_stream()
            self.cut(self._sections[keep][1])
            del self._sections[keep:]
        for index in range(keep, len(parts)):
            self._end_stream()
            self._add(index, parts[index])
        if not self._entry.is_open:
            self._end_stream()
        self._settle_folds()
        self._ground()

    def _ground(self) -> None:
        if not self.rows:
            self.push(LineRow("", Tone.CAPTION))  # there is always something to stand on

    def _state(self, index: int, part: ShownPart) -> object:
        is_unfolded = index in self._unfolded
        if isinstance(part, Call) and is_unfolded:
            return True, part.state, len(part.output.text)
        return is_unfolded

    def _add(self, index: int, part: ShownPart) -> None:
        self._sections.append((part, len(self.rows), self._state(index, part)))
        is_unfolded = index in self._unfolded
        match part:
            case Thought():
                self._add_fold(index, is_unfolded=is_unfolded)
                if is_unfolded:
                    self._stream_of(part, Tone.THOUGHT)
            case Words() if self._editing is not None:
                self._add_all([self._editing])
            case Words() if self._entry.is_person:
                spoken = self._entry.is_spoken
                self._add_all(list(bubble_rows(part.text, is_spoken=spoken)))
            case Words():
                self._stream_of(part, None)
            case Call():
                self._add_card(index, part, is_unfolded=is_unfolded)
            case Picture(path=path):
                self._add_all([PictureRow(path, self._stage.album)])

    def _stream_of(self, part: Words, tone: Tone | None) -> None:
        self._stream = _Stream(self, part, self._stage, tone)
        self._stream.take(part.text)
        self._stream.flush()

    def _add_fold(self, index: int, *, is_unfolded: bool) -> None:
        row = FoldRow(index, is_open=is_unfolded, is_thinking=False)
        self._add_all([row])

    def _add_card(self, index: int, call: Call, *, is_unfolded: bool) -> None:
        rows: list[Row] = [CardRow(index, call, is_open=is_unfolded)]
        if is_unfolded:
            rows += code_rows(pretty(call.arguments), "json", "arguments")
            if call.output.text or call.state is not CallState.RUNNING:
                rows += code_rows(_output(call), "", "output")
        self._add_all(rows)

    def _add_all(self, rows: list[Row]) -> None:
        for at, row in enumerate(rows):
            joined = getattr(row, "above", None) is not None
            is_cut = not joined and at > 0 and not isinstance(rows[0], CardRow)
            if self.rows and not joined and not is_cut:
                row.gap = self._stage.look.px(6 if at else _SECTION_GAP)
            self.push(row)

    def _end_stream(self) -> None:
        if self._stream is not None:
            self._stream.end()
            self._stream = None

    def _settle_folds(self) -> None:
        last = len(self._sections) - 1
        for row in self.rows:
            if isinstance(row, FoldRow):
                row.is_thinking = self._entry.is_open and row.part == last


def _output(call: Call) -> str:
    text = call.output.text
    is_running = call.state is CallState.RUNNING
    return (text[-_RUNNING_CAP:] if is_running else text).rstrip("\n")


class _Stream:
    """One text part: its splitter, and the rows of its open end."""

    def __init__(self, body: Body, part: Words, stage: Stage, tone: Tone | None) -> None:
        self.part = part
        self._body = body
        self._stage = stage
        self._tone = tone
        self._splitter = Splitter()
        self._waiting: list[str] = []
        self._first = self._settled = len(body.rows)
        self._wanting: dict[str, list[Row]] = {}
        self._known = 0

    def take(self, text: str) -> None:
        self._waiting.append(text)

    def flush(self) -> None:
        closed = self._splitter.feed("".join(self._waiting))
        self._waiting = []
        self._show(closed, self._splitter.peek())

    def end(self) -> None:
        closed = self._splitter.feed("".join(self._waiting)) + self._splitter.close()
        self._waiting = []
        self._show(closed, [])

    def _show(self, closed: list[Block], tail: list[Block]) -> None:
        old = self._body.cut(self._settled)
        last = len(closed) + len(tail) - 1 if tail else -1
        for number, block in enumerate(closed + tail):
            reused = old[number] if number < len(old) and fits(old[number], block) else None
            self._push(block, reused, is_open=number == last)
        self._settled += len(closed)
        self._resolve(self._splitter.references)

    def _push(self, block: Block, reused: Row | None, *, is_open: bool) -> None:
        above = self._body.rows[-1] if self._body.rows else None
        if reused is None:
            row: Row = make_row(block, above, self._splitter.references, self._tone)
        else:
            row = reused
            hang(row, above)
        row.become(block, is_open=is_open)  # type: ignore[attr-defined]
        row.gap = self._gap(above, block)
        row.origin = self.part
        self._body.push(row)
        if not is_open and "[" in block.text and block.kind is not Kind.CODE:
            for found in _LABEL.finditer(block.text):
                self._wanting.setdefault(normalised(found[1]), []).append(row)

    def _gap(self, above: Row | None, block: Block) -> int:
        is_first = len(self._body.rows) == self._first
        if is_first and above is not None:
            is_headed = len(self._body.rows) == 1
            return self._stage.look.px(6 if is_headed else _SECTION_GAP)
        return self._stage.look.px(gap_above(above, block))

    def _resolve(self, references: Mapping[str, str]) -> None:
        """Write those rows anew whose links have been defined since."""
        if len(references) == self._known:
            return
        for label in list(references)[self._known :]:
            for row in self._wanting.pop(label, []):
                row.touch()
        self._known = len(references)
