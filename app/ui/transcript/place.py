"""Where a message stands among the others. Pure."""

from dataclasses import dataclass

from app.ui.transcript.entry import Branch


@dataclass(frozen=True, slots=True)
class Place:
    """Where a message stands among the others."""

    is_first: bool = False
    joins_above: bool = False  # goes on the answer above
    joins_below: bool = False
    is_answer: bool = False  # stands beneath a question
    is_busy: bool = False  # a turn runs and this answer is part of it
    branch: Branch | None = None  # of the whole answer
    elsewhere: Branch | None = None  # the running answer is in another branch
    shows_details: bool = False
