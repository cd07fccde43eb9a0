"""One message on the page: closed it is a guess of its height, opened it is rows.

GUI thread only. Answers `flow`'s questions about heights; the view paints its rows.
"""

from typing import TYPE_CHECKING

from app.ui.transcript.entry import Entry
from app.ui.transcript.look import Tone
from app.ui.transcript.parts import ShownPart
from app.ui.transcript.place import Place
from app.ui.transcript.rows.base import MESSAGE_GAP, EditRow, Row
from app.ui.transcript.stage import Stage

if TYPE_CHECKING:
    from app.ui.transcript.body import Body

_ACTIONS = 30


class MessageItem:
    """A message's rows and their heights."""

    __slots__ = (
        "_body",
        "_editing",
        "_foot",
        "_guess",
        "_place",
        "_stage",
        "entry",
        "stamp",
        "unfolded",
    )

    def __init__(self, entry: Entry, stage: Stage, place: Place) -> None:
        self.entry = entry
        self.unfolded: set[int] | None = None
        self.stamp = 0  # changes with what it says
        self._stage = stage
        self._place = place
        self._body: Body | None = None
        self._foot: list[Row] = []
        self._editing: EditRow | None = None
        self._guess = _guess(entry, stage)

    @property
    def place(self) -> Place:
        """Where it stands among the others."""
        return self._place

    @property
    def source(self) -> str:
        """What it was made from."""
        return self.entry.words

    @property
    def is_opened(self) -> bool:
        """Say whether its rows are made."""
        return self._body is not None

    @property
    def extent(self) -> int:
        """The height of all rows, guessed where they were never measured."""
        if self._body is None:
            return self._guess
        return self._body.heights.total + sum(row.gap + row.height for row in self._foot)

    @property
    def count(self) -> int:
        """How many rows there are in all."""
        return len(self._opened().rows) + len(self._foot)

    def row(self, index: int) -> Row:
        """Give one row."""
        rows = self._opened().rows
        return rows[index] if index < len(rows) else self._foot[index - len(rows)]

    def measure(self, row: int) -> int:
        """Find a row's true height, with the gap above it."""
        body = self._opened()
        one = self.row(row)
        stage = self._stage
        if not one.is_measured or one.version != stage.version:
            one.height = one.measure(stage.look, stage.width, stage.papers)
            one.is_measured, one.version = True, stage.version
            if row < len(body.rows):
                body.heights.set(row, one.gap + one.height)
        return one.gap + one.height

    def before(self, row: int) -> int:
        """Add up the rows above one."""
        body = self._opened()
        if row <= len(body.rows):
            return body.heights.before(row)
        beneath = self._foot[: row - len(body.rows)]
        return body.heights.total + sum(one.gap + one.height for one in beneath)

    def find(self, y: int) -> tuple[int, int]:
        """Find the row at a height and how far into it that is."""
        body = self._opened()
        rest = y - body.heights.total
        if rest < 0 or not self._foot:
            return body.heights.find(y)
        for at, row in enumerate(self._foot):
            if rest < row.gap + row.height or at == len(self._foot) - 1:
                return len(body.rows) + at, rest
            rest -= row.gap + row.height
        raise AssertionError("a foot has a last row")

    def grow(self, part: ShownPart, text: str) -> None:
        """Take more words in; they show with the next flush."""
        self.stamp += 1
        if self._body is not None and not self._body.grow(part, text):
            self._body.refresh()

    def flush(self) -> None:
        """Show the words taken since the last time."""
        self.stamp += 1
        if self._body is not None:
            self._body.flush()
            self._space()

    def refresh(self, place: Place) -> None:
        """Show what changed about the message or about where it stands."""
        was = self._place
        moved = (place.is_first, place.joins_above, place.is_answer) != (
            was.is_first,
            was.joins_above,
            was.is_answer,
        )
        self._place = place
        self.stamp += 1
        if self._body is None:
            return
        if moved:
            self._guess = self.extent
            self._body = None
            self._opened()
            return
        self._body.refresh()
        self._space()
        self._lay_foot()

    def toggle(self, part: int) -> None:
        """Fold or unfold one of its parts."""
        self.stamp += 1
        self.unfolded = (self.unfolded or set()) ^ {part}
        self._reopen()

    def edit(self, room: int | None) -> None:
        """Make room for the editor in place of the words, or give it back."""
        self.stamp += 1
        if self._editing is not None and room is not None:
            self._editing.needed = room
            self._editing.is_measured = False
            return
        self._editing = None if room is None else EditRow(room)
        self._reopen()

    def close(self) -> None:
        """Forget the rows: the message is far from what is being read."""
        if self._body is not None and self._editing is None and not self.entry.is_open:
            self._guess = self.extent
            self._body, self._foot = None, []

    def restyle(self) -> None:
        """Take another look."""
        self.close()
        if self._body is not None:
            self._reopen()

    def _reopen(self) -> None:
        self._body = None
        self._opened()

    def _opened(self) -> "Body":
        if self._body is None:
            # Everything that shows Markdown is imported with the first message, not before.
            from app.ui.transcript.body import Body  # noqa: PLC0415

            unfolded = self.unfolded or set()
            self._body = Body(self.entry, self._stage, self._place, unfolded, self._editing)
            self._space()
            self._lay_foot()
        return self._body

    def _space(self) -> None:
        body = self._body
        if body is None or not body.rows:
            return
        first = body.rows[0]
        gap = 12 if self._place.joins_above else MESSAGE_GAP
        if self._place.is_answer:
            gap = 0  # the question's own actions stand in between
        first.gap = self._stage.look.px(24 if self._place.is_first else gap)
        body.heights.set(0, first.gap + first.height)

    def _lay_foot(self) -> None:
        from app.ui.transcript.foot import foot_rows  # noqa: PLC0415 - see _opened

        self._foot = [] if self._editing else foot_rows(self.entry, self._place, self._stage)
        for row in self._foot:
            row.height = row.estimate(self._stage.look, self._stage.width)


def _guess(entry: Entry, stage: Stage) -> int:
    message = entry.message
    if message is None:
        return 60
    letters = lines = 0
    for part in message.parts:
        text = getattr(part, "text", "")
        letters += len(text)
        lines += text.count("\n")
    line = stage.look.voice(Tone.BODY).line
    share = 70 if entry.is_person else 86
    return (letters // share + lines // 2 + 1) * line + MESSAGE_GAP + _ACTIONS
