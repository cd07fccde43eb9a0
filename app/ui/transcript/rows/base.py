"""What every row can do.

GUI thread only. A row knows its content and, once measured, its height; it holds no document:
papers come and go. Positions in a row's text are Qt's, in UTF-16 units.
"""

from dataclasses import dataclass
from enum import Enum, auto
from typing import ClassVar

from PySide6.QtCore import QPoint, QRect, QRectF
from PySide6.QtGui import QPainter

from app.ui.transcript.look import Look
from app.ui.transcript.marks import Marks
from app.ui.transcript.paper import Papers
from app.ui.transcript.parts import Words
from app.ui.transcript.shelf import Shelf

MESSAGE_GAP = 28  # between messages
OVERHANG = 4  # pixels that letters may reach out of their row


class Deed(Enum):
    """What a button in the transcript does."""

    COPY = auto()
    COPY_CODE = auto()
    RETRY = auto()
    EDIT = auto()
    CONTINUE = auto()
    EARLIER_BRANCH = auto()
    LATER_BRANCH = auto()
    FOLD = auto()
    REMEDY = auto()
    DETAILS = auto()
    SHOW_ANSWER = auto()


@dataclass(frozen=True, slots=True)
class Spot:
    """A button that a row wants, and where."""

    deed: Deed
    text: str
    area: QRect
    name: str = ""  # for the screen reader, if the text alone does not say it
    is_quiet: bool = False  # seen only under the pointer or with the focus
    is_enabled: bool = True
    is_loud: bool = False  # framed: it is what to do next
    is_ghost: bool = False  # only hover and focus are painted: the row paints what is beneath
    is_unfolded: bool | None = None  # None: it folds nothing


@dataclass(slots=True)
class Scene:
    """What a row needs in order to paint itself."""

    painter: QPainter
    look: Look
    papers: Papers
    clip: QRect
    marks: Marks
    is_hovered: bool = False


class Row:
    """One row of a message."""

    gap: int = 0
    height: int = 0
    is_measured: bool = False
    version: int = -1  # of the stage it was measured on
    stamp: int = 0  # changes with the content
    origin: Words | None = None  # the part whose source its block stands in
    part: int | None = None  # which of the message's parts it folds
    shelf: Shelf | None = None  # for content wider than the column
    can_select: ClassVar[bool] = False

    @property
    def text(self) -> str:
        """What it says, for copying, searching and reading aloud."""
        return ""

    @property
    def markdown(self) -> str | None:
        """Its own source, where it is not in the message's text."""
        return None

    def touch(self) -> None:
        """Note that it has to be measured and painted anew."""
        self.is_measured = False
        self.stamp += 1

    def estimate(self, look: Look, width: int) -> int:  # noqa: ARG002
        """Guess the height without laying anything out."""
        return self.height

    def measure(self, look: Look, width: int, papers: Papers) -> int:
        """Find the true height."""
        raise NotImplementedError

    def paint(self, scene: Scene, area: QRect) -> None:
        """Paint within `area`, which is as wide as the column."""

    def spots(self, look: Look, area: QRect) -> list[Spot]:  # noqa: ARG002
        """Say which buttons stand in it."""
        return []

    def position_at(self, look: Look, papers: Papers, at: QPoint, area: QRect) -> int:  # noqa: ARG002
        """Find the position in the text that is nearest to a point."""
        return 0

    def span_of(self, look: Look, papers: Papers, position: int) -> tuple[int, int]:  # noqa: ARG002
        """Say between which heights of the row a position stands."""
        return 0, self.height

    def link_at(self, look: Look, papers: Papers, at: QPoint, area: QRect) -> str:  # noqa: ARG002
        """Give the address under a point, if there is one."""
        return ""

    def is_over_text(self, at: QPoint, area: QRect) -> bool:
        """Say whether a point is over something that can be selected."""
        return self.can_select and area.contains(at)

    def track(self, look: Look, area: QRect) -> QRectF | None:  # noqa: ARG002
        """Say where the bar for moving sideways runs, if it has one."""
        return None


class FixedRow(Row):
    """A row whose height is known from the theme alone."""

    def room(self, look: Look) -> int:
        """Say how high it is."""
        raise NotImplementedError

    def estimate(self, look: Look, width: int) -> int:  # noqa: ARG002
        """Know it."""
        return self.room(look)

    def measure(self, look: Look, width: int, papers: Papers) -> int:  # noqa: ARG002
        """Know it."""
        return self.room(look)


class EditRow(FixedRow):
    """Room for the editor, which is a widget of its own."""

    def __init__(self, needed: int) -> None:
        self.needed = needed

    def room(self, look: Look) -> int:
        """What the editor asked for, and the distance to the next message."""
        return self.needed + look.px(MESSAGE_GAP)
