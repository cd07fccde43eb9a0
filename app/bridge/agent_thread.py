"""The agent thread: a QThread whose `run` hosts one stock asyncio loop, and nothing else.

In: commands, posted to the loop from the GUI thread. Out: one signal with events, queued to the
GUI thread, words merged per 33 ms. Stop takes two roads at once: the command in line, so that the
machine holds what waits, and the running turn's token directly, so that it never waits behind
output; the command first, or the turn's end could overtake it.
"""

import logging
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Protocol

from PySide6.QtCore import QThread, Signal

from app.core.commands import Command, StopTurn
from app.core.events import Event, StopReason
from app.core.ids import ConversationId

if TYPE_CHECKING:  # asyncio is loaded on the agent thread, behind the window's first picture
    import asyncio

    from app.core.models import ModelEvent
    from app.core.tokens import CancelToken
    from app.core.voice import VoiceEvent

log = logging.getLogger(__name__)


class Live(Protocol):
    """A running turn, as Stop sees it."""

    @property
    def epoch(self) -> int:
        """Its number."""
        ...

    @property
    def token(self) -> "CancelToken":
        """What ends it."""
        ...


class Desk(Protocol):
    """The services, as the thread sees them."""

    def open(self) -> None:
        """Begin, on the loop."""
        ...

    def handle(self, command: Command) -> None:
        """Do what a command asks, on the loop."""
        ...

    def live(self, conversation_id: ConversationId) -> Live | None:
        """Find the running turn of a conversation; any thread."""
        ...

    async def close(self) -> None:
        """End all turns, on the loop."""
        ...


BuildDesk = Callable[[Callable[[Event], None]], Desk]


class AgentThread(QThread):
    """Hosts the agent loop from `start` to `finish`."""

    heard = Signal(object)  # an Event, on the GUI thread
    voice_heard = Signal(object)  # a VoiceEvent, likewise
    models_heard = Signal(object)  # a ModelEvent, likewise

    def __init__(self, build: BuildDesk) -> None:
        super().__init__()
        self.setObjectName("agent")
        self._build = build
        self._lock = threading.Lock()
        self._early: list[Callable[[], None]] | None = []
        self._loop: asyncio.AbstractEventLoop | None = None
        self._desk: Desk | None = None
        self._end_asked: asyncio.Event | None = None

    def ask(self, command: Command) -> None:
        """Hand a command to the services; from the GUI thread, never blocks."""
        self.post(lambda: self._handle(command))
        if isinstance(command, StopTurn):
            self._cancel_directly(command)

    def post(self, work: Callable[[], None]) -> None:
        """Run something on the agent loop, in order; before the loop is there, it waits."""
        with self._lock:
            if self._early is not None:
                self._early.append(work)
                return
            loop = self._loop
        if loop is not None:
            try:
                loop.call_soon_threadsafe(work)
            except RuntimeError:
                log.debug("posted after the loop's end")

    def tell_voice(self, event: "VoiceEvent") -> None:
        """Pass on what the microphone tells; any thread."""
        self.voice_heard.emit(event)

    def tell_models(self, event: "ModelEvent") -> None:
        """Pass on what was found out about models and keys; any thread."""
        self.models_heard.emit(event)

    def finish(self) -> None:
        """End all turns, then the loop; `isFinished` says when that is done."""
        self.post(self._ask_end)

    def run(self) -> None:
        """Host the loop; Qt calls this on the new thread."""
        from app.system.loops import run_loop  # noqa: PLC0415

        run_loop(self._host())

    async def _host(self) -> None:
        import asyncio  # noqa: PLC0415

        from app.bridge.merging import DeltaMerger  # noqa: PLC0415

        loop = asyncio.get_running_loop()
        end_asked = self._end_asked = asyncio.Event()
        merger = DeltaMerger(loop=loop, forward=self._forward)
        self._desk = self._opened(merger.take)
        self._let_in(loop)
        await end_asked.wait()
        await self._desk.close()
        merger.flush()
        with self._lock:
            self._loop = None

    def _opened(self, emit: Callable[[Event], None]) -> Desk:
        """Build the services; if that fails, put somebody in their place who says so."""
        try:
            desk = self._build(emit)
            desk.open()
        except Exception as error:
            log.critical("the services could not be built", exc_info=True)
            from app.bridge.no_desk import NoDesk  # noqa: PLC0415 - hardly ever needed

            desk = NoDesk.for_want_of(error, emit)
            desk.open()
        return desk

    def _let_in(self, loop: "asyncio.AbstractEventLoop") -> None:
        """Take what was posted before the loop was there, then let everything in directly."""
        with self._lock:
            for work in self._early or ():
                loop.call_soon(work)
            self._early, self._loop = None, loop

    def _ask_end(self) -> None:
        assert self._end_asked is not None  # nothing is let in before it is there
        self._end_asked.set()

    def _forward(self, event: Event) -> None:
        self.heard.emit(event)

    def _handle(self, command: Command) -> None:
        assert self._desk is not None
        self._desk.handle(command)

    def _cancel_directly(self, command: StopTurn) -> None:
        live = self._desk.live(command.conversation_id) if self._desk is not None else None
        if live is not None and live.epoch <= command.epoch:
            live.token.cancel(StopReason.PERSON)
