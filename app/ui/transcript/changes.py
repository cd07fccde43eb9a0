"""What an event changed in the transcript, in terms of its entries."""

from dataclasses import dataclass

from app.ui.transcript.parts import ShownPart


@dataclass(frozen=True, slots=True)
class Reset:
    """Another conversation is shown: everything is new."""


@dataclass(frozen=True, slots=True)
class Spliced:
    """From this index on the entries may be others; those before it are as they were."""

    start: int


@dataclass(frozen=True, slots=True)
class Grew:
    """An entry's last part has new text at its end."""

    index: int
    part: ShownPart
    text: str


@dataclass(frozen=True, slots=True)
class Touched:
    """Something about an entry changed: an ending, a tool, a notice."""

    index: int


@dataclass(frozen=True, slots=True)
class Murmured:
    """A tool that an entry runs said something; there may be thousands of these a second."""

    index: int


Change = Reset | Spliced | Grew | Touched | Murmured
