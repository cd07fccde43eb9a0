"""`belay ask`: one turn in a new conversation.

Ctrl-C once stops it, and what was said is kept; Ctrl-C again ends the process on the spot. If
nobody reads the answer any more, it stops as quietly.
"""

import asyncio
from typing import Final

from app.cli.codes import ExitCode
from app.cli.desk import Desk
from app.cli.outlet import Outlet, is_reader_gone
from app.cli.report import Report
from app.core.commands import CreateConversation, StopTurn, Submit
from app.core.events import (
    Completed,
    Event,
    Failed,
    Outcome,
    QueueChanged,
    Stopped,
    StorageTrouble,
    TurnEnded,
    TurnStarted,
)
from app.core.ids import new_conversation_id, new_message_id
from app.core.messages import Order, Part, WaitState

TICK_S: Final = 0.2
_LAST_WORDS_S: Final = 1.0  # for a reader that is slow when the answer was stopped


class Asking:
    """One question, from its Enter to its exit code."""

    ends_on_second_interrupt = True

    def __init__(self, *, parts: tuple[Part, ...], report: Report, outlet: Outlet) -> None:
        self._report = report
        self._outlet = outlet
        self._conversation_id = new_conversation_id()
        self._order = Order(id=new_message_id(), conversation_id=self._conversation_id, parts=parts)
        self._desk: Desk | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._ended: asyncio.Future[int] | None = None
        self._code: ExitCode | None = None  # decided before the turn ended
        self._epoch = 0
        self._is_stopping = False
        self._is_unread = False  # the reader is too slow to be waited for any longer

    async def run(self, desk: Desk) -> int:
        """Ask, and wait for the end."""
        self._desk, self._loop = desk, asyncio.get_running_loop()
        self._ended = self._loop.create_future()
        self._outlet.open(self._lost_reader)
        desk.handle(CreateConversation(conversation_id=self._conversation_id))
        self._report.sending()
        desk.handle(Submit(conversation_id=self._conversation_id, order=self._order))
        while not self._ended.done():
            await asyncio.wait({self._ended}, timeout=TICK_S)
            self._report.tick()
        return self._ended.result()

    async def finish(self, code: int) -> int:
        """Wait until the answer is written, as long as its reader needs; a Stop cuts that short."""
        was_stopping = self._is_stopping
        writing = asyncio.get_running_loop().create_task(self._outlet.all_written())
        while not writing.done() and not self._is_unread:
            await asyncio.wait({writing}, timeout=_LAST_WORDS_S if self._is_stopping else TICK_S)
            self._is_unread = self._is_stopping and not writing.done()
        writing.cancel()
        if self._code is not None:
            return self._code
        return ExitCode.STOPPED if self._is_stopping and not was_stopping else code

    def heard(self, event: Event) -> None:
        """Take in what the services tell."""
        self._report.show(event)
        match event:
            case TurnStarted(epoch=epoch):
                self._epoch = epoch
            case TurnEnded(outcome=outcome):
                self._end(_code(outcome))
            case QueueChanged(waiting=waiting):
                if self._is_stopping and any(w.state is WaitState.HELD for w in waiting):
                    self._end(ExitCode.STOPPED)  # it was stopped before a turn began
            case StorageTrouble(conversation_id=self._conversation_id) if not self._epoch:
                self._end(ExitCode.FAILED)  # the question could not be saved, so it was not sent
            case _:
                pass

    def interrupt(self) -> None:
        """Stop; the host ends the process if that is asked for twice."""
        if self._desk is None or self._is_stopping:
            return
        self._is_stopping = True
        self._report.stopping()
        # One past the last turn: a question that is still being saved is held as well.
        self._desk.handle(StopTurn(conversation_id=self._conversation_id, epoch=self._epoch + 1))

    def quit(self) -> None:
        """End: the host closes the turn."""
        self._is_stopping = True
        self._end(ExitCode.STOPPED)

    def _lost_reader(self, error: OSError) -> None:
        """Standard output cannot be written to any more; on the outlet's thread."""
        is_failure = not is_reader_gone(error)
        if is_failure:
            self._outlet.remark(f"The answer could not be written: {error.strerror}.\n")
        assert self._loop is not None
        try:
            self._loop.call_soon_threadsafe(self._stop_unread, is_failure)
        except RuntimeError:  # the loop has ended: so has the turn
            return

    def _stop_unread(self, is_failure: bool) -> None:
        """Stop as if the person had; a reader that had enough is no failure."""
        self._code = ExitCode.FAILED if is_failure else ExitCode.OK
        self.interrupt()

    def _end(self, code: ExitCode) -> None:
        if self._ended is not None and not self._ended.done():
            self._ended.set_result(code if self._code is None else self._code)


def _code(outcome: Outcome) -> ExitCode:
    match outcome:
        case Completed():
            return ExitCode.OK
        case Stopped():
            return ExitCode.STOPPED
        case Failed():
            return ExitCode.FAILED
