"""Styled stretches of text. Pure."""

from dataclasses import dataclass
from enum import Flag, auto

from app.ui.transcript import units

BREAK = "\u2028"  # a line break within a block


class Style(Flag):
    """How a run looks."""

    PLAIN = 0
    BOLD = auto()
    ITALIC = auto()
    STRIKE = auto()
    CODE = auto()
    LINK = auto()
    CHIP = auto()
    MUTED = auto()


@dataclass(frozen=True, slots=True)
class Run:
    """A stretch of text in one style."""

    text: str
    style: Style = Style.PLAIN
    href: str = ""


def text_of(found: list[Run]) -> str:
    """Put the runs' text together."""
    return "".join(run.text for run in found)


def href_at(found: list[Run], position: int) -> str:
    """Give the address at a position, as Qt counts it; empty if there is none."""
    at = 0
    for run in found:
        at += units.length(run.text)
        if position < at:
            return run.href
    return ""
