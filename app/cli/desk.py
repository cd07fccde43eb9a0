"""The services as the terminal sees them; `main` hands the real ones in.

Everything here happens on the one loop of the process, the main thread's: events arrive while
`handle` runs or between two steps of the loop, never in parallel.
"""

from collections.abc import Callable
from typing import Protocol

from app.core.commands import Command
from app.core.events import Event


class Desk(Protocol):
    """Where commands are handed in."""

    def handle(self, command: Command) -> None:
        """Do what a command asks."""
        ...


class FrontEnd(Protocol):
    """What a terminal front end is to the process that hosts it; all of it on the loop."""

    @property
    def ends_on_second_interrupt(self) -> bool:
        """Say whether Ctrl-C twice means: now, whatever it costs."""
        ...

    def heard(self, event: Event) -> None:
        """Take in what the services tell."""
        ...

    async def run(self, desk: Desk) -> int:
        """Serve the person until the end; gives the exit code."""
        ...

    async def finish(self, code: int) -> int:
        """Show what is left to show, after the last event; may change the exit code."""
        ...

    def interrupt(self) -> None:
        """Ctrl-C, as a signal."""
        ...

    def quit(self) -> None:
        """The process was told to end."""
        ...


Clock = Callable[[], float]
