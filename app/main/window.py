"""The window, put together: services on the agent thread, widgets on this one, signals between."""

import os
from collections.abc import Callable

from PySide6.QtCore import QObject, QTimer, QUrl
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QApplication

from app.bridge.agent_thread import AgentThread
from app.core.events import Event
from app.core.settings import Settings
from app.lifecycle.lease import Lease
from app.main.configuration import Keys
from app.main.engine import Engine, SystemClock
from app.storage.store import SqliteStore
from app.system.paths import Paths
from app.ui.main_window import MainWindow
from app.ui.style import Appearance


class Window(QObject):
    """The application with a window; lives on the GUI thread until the process ends."""

    def __init__(
        self, app: QApplication, *, paths: Paths, settings: Settings, lease: Lease
    ) -> None:
        super().__init__(app)
        self._paths = paths
        self._settings = settings
        self._lease = lease
        self._keys = Keys(os.environ)
        self._engine: Engine | None = None
        self.agent = AgentThread(self._build_engine)
        self.main = MainWindow(
            appearance=Appearance(app, settings), settings=settings, clock=SystemClock()
        )
        self._connect()

    @property
    def store(self) -> SqliteStore | None:
        """The storage, once the agent thread has built it."""
        return self._engine.store if self._engine else None

    def open(self) -> None:
        """Show the window first; everything heavy begins behind its first picture."""
        self.agent.start()
        self.main.begin()
        self.main.show()
        QTimer.singleShot(0, self._warm_up)

    def _build_engine(self, emit: Callable[[Event], None]) -> Engine:
        """Build the services; called on the agent thread."""
        self._engine = Engine(
            paths=self._paths,
            settings=self._settings,
            keys=self._keys,
            environ=os.environ,
            lease=self._lease,
            emit=emit,
        )
        return self._engine

    def _connect(self) -> None:
        self.agent.heard.connect(self.main.apply)
        self.main.command_issued.connect(self.agent.ask)
        self.main.settings_changed.connect(self.on_settings_changed)
        self.main.key_entered.connect(self.on_key_entered)
        self.main.link_activated.connect(self.on_link_activated)

    def on_settings_changed(self, settings: Settings) -> None:
        """Keep the settings and let the services follow them."""
        self._settings = settings
        self._on_agent(lambda engine: engine.use(settings))

    def on_key_entered(self, base_url: str, key: str) -> None:
        """Keep a key until Belay closes."""
        self._on_agent(lambda engine: engine.remember_key(base_url, key))

    def on_link_activated(self, address: str) -> None:
        """Open a link that the person clicked, in the browser."""
        QDesktopServices.openUrl(QUrl(address))

    def _warm_up(self) -> None:
        self._on_agent(lambda engine: engine.warm_up())

    def _on_agent(self, work: Callable[[Engine], None]) -> None:
        def on_loop() -> None:
            assert self._engine is not None
            work(self._engine)

        self.agent.post(on_loop)
