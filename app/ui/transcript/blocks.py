"""The blocks a Markdown text falls into: leaves with the quotes and list items around them."""

from dataclasses import dataclass
from enum import Enum


class Kind(Enum):
    """What a block is."""

    PARAGRAPH = "paragraph"
    HEADING = "heading"
    CODE = "code"
    TABLE = "table"
    RULE = "rule"
    MATH = "math"


class Joint(Enum):
    """How a block hangs on the one before it: blocks too long to be one are cut."""

    NONE = "none"
    LINE = "line"  # cut between two lines
    INLINE = "inline"  # cut within a line


@dataclass(frozen=True, slots=True)
class Quote:
    """A quotation around a block."""


@dataclass(frozen=True, slots=True)
class Item:
    """A list item around a block."""

    number: int | None = None  # None: a bullet
    task: bool | None = None  # None: not a task; else whether it is done


Container = Quote | Item


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """One leaf; `text` is free of the containers' markers."""

    kind: Kind
    text: str
    containers: tuple[Container, ...] = ()
    opens: int = 0  # the containers from this one on begin with this block
    level: int = 0  # of a heading
    info: str = ""  # of a fence
    joint: Joint = Joint.NONE
    spaced: bool = False  # a blank line stands before it
    start: int = 0  # where it stands in the source
    end: int = 0
