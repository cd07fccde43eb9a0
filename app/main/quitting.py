"""Quit from the window: the phases, ticked by a timer, shown by the dialog, then the end.

GUI thread. A plain QTimer-and-signal sequence, so that it works when a coroutine loop is broken;
the watchdog was armed before it begins.
"""

import threading
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QObject, QTimer, Signal
from PySide6.QtWidgets import QApplication

from app.bridge.agent_thread import AgentThread
from app.lifecycle.final_exit import final_exit
from app.lifecycle.last_shutdown import ShutdownNote
from app.lifecycle.lease import Lease
from app.lifecycle.shutdown import Blocker, Done, Phase, Shutdown, standard_phases
from app.lifecycle.single_window import SingleWindow
from app.lifecycle.watchdog import Watchdog
from app.main.settings_keeper import SettingsKeeper
from app.system.children import worker_name
from app.system.spawner import spawner
from app.system.threads import spawn_thread

if TYPE_CHECKING:
    from app.storage.store import SqliteStore

CLOSE_S: Final = 0.5

_TICK_MS = 5
_WORKERS = {"model": "the built-in model", "speech": "the microphone"}
_STARTING = "what was just started"


class Quitting(QObject):
    """One Quit, from the wish to the end of the process."""

    phase_began = Signal(object)  # a ShutdownPhase, whenever what is waited for changes

    def __init__(
        self,
        *,
        agent: AgentThread,
        store: "Callable[[], SqliteStore | None]",
        settings: SettingsKeeper,
        lease: Lease,
        single: SingleWindow,
        watchdog: Watchdog,
        note: ShutdownNote,
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        self._agent = agent
        self._store = store
        self._settings = settings
        self._lease = lease
        self._single = single
        self._watchdog = watchdog
        self._note = note
        self._shutdown: Shutdown | None = None
        self._timer = QTimer(self)
        self._timer.setInterval(_TICK_MS)
        self._timer.timeout.connect(self.on_tick)

    def begin(self) -> None:
        """Quit; asking again changes nothing."""
        if self._shutdown is not None:
            return
        self._watchdog.arm()
        self._single.close()  # from now on another window may open
        self._shutdown = Shutdown(self._phases(), watchdog=self._watchdog, note=self._note)
        self._timer.start()
        self._told(self._shutdown.begin(time.monotonic()))

    def hurry(self) -> None:
        """Quit now: wait for nothing any more."""
        if self._shutdown is not None:
            self._shutdown.hurry()
            self.on_tick()

    def on_tick(self) -> None:
        """Look how far it is."""
        if self._shutdown is not None:
            self._told(self._shutdown.poll(time.monotonic()))

    def _told(self, result: object) -> None:
        if isinstance(result, Done):
            self._end()
        else:
            self.phase_began.emit(result)

    def _end(self) -> None:
        self._timer.stop()
        _keep_clipboard()
        self._lease.release()
        final_exit(0, self._note)

    def _phases(self) -> tuple[Phase, ...]:
        """What Quit waits for, in order; the draft is on its way since the window said Quit."""
        disk_closed = threading.Event()

        def close_disk() -> None:
            store = self._store()
            if store is not None and store.close(CLOSE_S):
                disk_closed.set()

        settings = Blocker(
            name="the settings",
            start=lambda: None,  # their save is under way since they were chosen
            is_done=self._settings.is_saved,
        )
        turns = Blocker(name="the answer", start=self._agent.finish, is_done=self._agent.isFinished)
        disk = Blocker(
            name="the disk",
            start=lambda: spawn_thread("belay-close", close_disk),
            is_done=disk_closed.is_set,
        )
        return standard_phases(drafts=[settings], turns=[turns], tools=_children(), database=[disk])


def _children() -> list[Blocker]:
    """Name every kind of child that runs; one that is about to start counts too."""
    names = {_name_of(tree.argv) for tree in spawner().trees}
    running = [
        Blocker(name=name, start=spawner().begin_end_all, is_done=partial(_are_gone, name))
        for name in sorted(names)
    ]
    rest = Blocker(
        name=_STARTING,
        start=spawner().begin_end_all,
        is_done=lambda: not spawner().is_starting,
    )
    return [*running, rest]


def _are_gone(name: str) -> bool:
    return all(_name_of(tree.argv) != name for tree in spawner().trees)


def _name_of(argv: tuple[str, ...]) -> str:
    worker = worker_name(argv)
    return _WORKERS.get(worker, worker) or Path(argv[0]).name


def _keep_clipboard() -> None:
    """Hand what was copied to the window system's keeper, if there is one: we are going."""
    clipboard = QApplication.clipboard()
    if clipboard.ownsClipboard():
        QApplication.processEvents()
