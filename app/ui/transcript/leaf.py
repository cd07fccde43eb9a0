"""The block that is still open, and the containers around it."""

from dataclasses import dataclass, field, replace

from app.ui.transcript.blocks import Block, Container, Item, Joint, Kind

TEXT_CAP = 4000  # characters
CODE_LINES_CAP = 100
TABLE_ROWS_CAP = 80


@dataclass(frozen=True, slots=True)
class Level:
    """An open container."""

    container: Container
    width: int = 0  # columns that an item's content is indented by
    bullet: str = ""  # tells lists apart
    filled: bool = False  # something stands in it
    announced: bool = False  # a block has shown its marker
    start: int = 0  # the line that opened it, in the source
    end: int = 0

    @property
    def is_item(self) -> bool:
        """Say whether it is a list item."""
        return isinstance(self.container, Item)


@dataclass(slots=True)
class Leaf:
    """An open leaf: the lines it has so far."""

    kind: Kind
    containers: tuple[Container, ...]
    opens: int
    start: int
    end: int
    spaced: bool
    pieces: list[str] = field(default_factory=list)
    size: int = 0
    rows: int = 0
    level: int = 0
    info: str = ""
    mark: str = ""  # of a fence; empty: indented code
    indent: int = 0  # of a fence
    joint: Joint = Joint.NONE

    def add(self, piece: str, end: int, *, amid: bool) -> None:
        """Append a line, or the rest of one."""
        if self.pieces and not amid:
            self.pieces.append("\n")
            self.size += 1
        self.pieces.append(piece)
        self.size += len(piece)
        self.rows += not amid
        self.end = end

    def is_full_for(self, piece: str) -> bool:
        """Say whether it has to be cut before this piece."""
        if not self.pieces:
            return False
        if self.kind is Kind.CODE:
            return self.rows >= CODE_LINES_CAP or self.size + len(piece) > TEXT_CAP
        if self.kind is Kind.TABLE:
            return self.rows >= TABLE_ROWS_CAP or self.size + len(piece) > TEXT_CAP
        return self.size + len(piece) > TEXT_CAP

    def successor(self, start: int, *, amid: bool) -> "Leaf":
        """Make the leaf that goes on where this one is cut."""
        return replace(
            self,
            pieces=[],
            size=0,
            rows=0,
            opens=len(self.containers),
            start=start,
            spaced=False,
            joint=Joint.INLINE if amid else Joint.LINE,
        )

    def block(self) -> Block:
        """Make the block that it is."""
        return Block(
            kind=self.kind,
            text="".join(self.pieces),
            containers=self.containers,
            opens=self.opens,
            level=self.level,
            info=self.info,
            joint=self.joint,
            spaced=self.spaced,
            start=self.start,
            end=self.end,
        )
