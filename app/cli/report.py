"""How `belay ask` tells of its turn: as text, or as JSON lines.

The answer goes to standard output; everything else to standard error, and the passing status only
where that is a terminal. A status line stands alone on its line and is wiped before anything else
is written.
"""

from typing import Protocol

from app.cli.desk import Clock
from app.cli.json_events import json_line, trouble_line
from app.cli.outlet import Outlet
from app.cli.problems import explained
from app.cli.sanitise import cells, harmless
from app.cli.status import line
from app.core.errors import Problem
from app.core.events import (
    Event,
    Failed,
    FellBack,
    HistoryChanged,
    Outcome,
    Stopped,
    StopReason,
    StorageTrouble,
    TextDelta,
    TurnEnded,
)
from app.core.messages import Ending
from app.core.status import Phase, Status, advanced, entered
from app.core.status_words import receipt
from app.core.wording import caption, switched

_WIPE = "\r\x1b[K"


class Report(Protocol):
    """Somebody who tells of a turn."""

    def sending(self) -> None:
        """The question is on its way."""
        ...

    def show(self, event: Event) -> None:
        """Tell of an event."""
        ...

    def stopping(self) -> None:
        """Stop was asked for."""
        ...

    def trouble(self, problem: Problem) -> None:
        """Tell why no turn began."""
        ...

    def tick(self) -> None:
        """Let time pass."""
        ...


class TextReport:
    """The answer as it comes; status for whoever watches."""

    def __init__(self, outlet: Outlet, clock: Clock, *, width: int, is_dumb: bool) -> None:
        self._outlet = outlet
        self._clock = clock
        self._width = width
        self._status = Status()
        self._shows_status = outlet.err.is_terminal and not is_dumb
        self._shown = ""  # the status line that stands on the screen
        self._troubles: set[str] = set()  # a failing disk says the same again and again
        self._is_mid_line = False

    def sending(self) -> None:
        """The question is on its way."""
        self._status = entered(self._status, Phase.SENDING, self._clock())

    def show(self, event: Event) -> None:
        """Tell of an event."""
        self._status = advanced(self._status, event, self._clock())
        match event:
            case TextDelta(text=text):
                self._print(text)
            case FellBack(from_model=failed, to_model=asked, problem=problem):
                if self._outlet.err.is_terminal:
                    self._remark(switched(failed, asked, problem))
            case HistoryChanged(added=added):
                if any(message.ending is Ending.TOO_LONG for message in added):
                    self._remark(f"{caption(Ending.TOO_LONG)}.")
            case StorageTrouble(problem=problem):
                self._remark_once(explained(problem))
            case TurnEnded(outcome=outcome):
                self._end(outcome)
            case _:
                self.tick()

    def stopping(self) -> None:
        """Stop was asked for."""
        self._status = entered(self._status, Phase.STOPPING, self._clock())

    def trouble(self, problem: Problem) -> None:
        """Tell why no turn began."""
        self._remark(explained(problem))

    def tick(self) -> None:
        """Show how long it has been going on."""
        if self._shows_status and not (self._is_mid_line and self._outlet.out.is_terminal):
            self._show_status(line(self._status, self._clock()))

    def _end(self, outcome: Outcome) -> None:
        self._finish_line()
        match outcome:
            case Failed(problem=problem):
                self._remark(explained(problem))
            case Stopped(reason=StopReason.PERSON) if self._outlet.err.is_terminal:
                self._remark(receipt(outcome))
            case _:
                self._show_status("")

    def _print(self, text: str) -> None:
        shown = harmless(text) if self._outlet.out.is_terminal else text
        if shown:
            if self._outlet.out.is_terminal:
                self._show_status("")
            self._is_mid_line = not shown.endswith("\n")
            self._outlet.print(shown)

    def _remark_once(self, sentence: str) -> None:
        if sentence not in self._troubles:
            self._troubles.add(sentence)
            self._remark(sentence)

    def _remark(self, sentence: str) -> None:
        if self._outlet.out.is_terminal and self._outlet.err.is_terminal:
            self._finish_line()
        self._show_status("")
        self._outlet.remark(f"{harmless(sentence)}\n")

    def _finish_line(self) -> None:
        if self._is_mid_line:
            self._is_mid_line = False
            self._outlet.print("\n")

    def _show_status(self, text: str) -> None:
        fitting = text if cells(text) < self._width else ""
        if fitting != self._shown:
            self._shown = fitting
            self._outlet.remark(f"{_WIPE}{fitting}")


class JsonReport:
    """One JSON object a line, for programs."""

    def __init__(self, outlet: Outlet) -> None:
        self._outlet = outlet

    def sending(self) -> None:
        """Programs are told when it is committed."""

    def show(self, event: Event) -> None:
        """Write an event down; a problem is also said to whoever watches."""
        written = json_line(event)
        if written is not None:
            self._outlet.print(written)
        match event:
            case TurnEnded(outcome=Failed(problem=problem)) | StorageTrouble(problem=problem):
                self._outlet.remark(f"{explained(problem)}\n")
            case _:
                pass

    def stopping(self) -> None:
        """Programs are told when it has stopped."""

    def trouble(self, problem: Problem) -> None:
        """Tell why no turn began."""
        self._outlet.print(trouble_line(problem))
        self._outlet.remark(f"{explained(problem)}\n")

    def tick(self) -> None:
        """Time is nothing to tell."""
