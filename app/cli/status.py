"""The status line in a terminal: the window's words, harmless, with the terminal's way to stop."""

from typing import Final

from app.cli.sanitise import harmless
from app.core.status import Status
from app.core.status_words import line as words

HOW_TO_STOP: Final = " · Ctrl-C to stop"


def line(status: Status, now: float) -> str:
    """Say what is going on; receipts and troubles are lines of their own in a terminal."""
    if not status.phase.is_busy:
        return ""
    return harmless(words(status, now, how_to_stop=HOW_TO_STOP).text)
