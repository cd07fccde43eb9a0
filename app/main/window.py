"""The window, put together: services on the agent thread, widgets on this one, signals between.

The services are imported on the agent thread, after the window's first picture: what the person
does until then waits in line and is done in order.
"""

import gc
import os
import sys
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QObject, QTimer, QUrl, Signal
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QApplication

from app.bridge.agent_thread import AgentThread
from app.bridge.heartbeat import Heartbeats, QtPulse, pulse_of_loop
from app.core.errors import Problem, ProblemError
from app.core.events import Event
from app.core.ids import ConversationId
from app.core.settings import Settings
from app.core.voice import VoiceCommand
from app.lifecycle.last_shutdown import ShutdownNote
from app.lifecycle.quit_wish import QuitWish
from app.lifecycle.single_window import SingleWindow
from app.localmodel.weights import bundled_weights
from app.main.clock import SystemClock
from app.main.configuration import endpoints
from app.main.desktop import Desktop
from app.main.ground import DATABASE_NAME, SETTINGS_NAME, Ground
from app.main.last_time import look_back
from app.main.mishaps import Mishaps
from app.main.quitting import Quitting
from app.main.settings_keeper import SettingsKeeper
from app.ui.main_window import MainWindow
from app.ui.style import Appearance
from app.ui.voice.talk_keys import known_name

if TYPE_CHECKING:
    from app.bridge.pictures import PictureReader
    from app.core.models import ModelCommand
    from app.main.engine import Engine
    from app.storage.store import SqliteStore

FIRST_PICTURE_MS: Final = 50  # by then it is painted, or the display is too slow to wait for


def run_window(
    text: str | None, *, ground: Ground, single: SingleWindow, note: ShutdownNote, wish: QuitWish
) -> int:
    """Be the window until the person quits."""
    app = QApplication(sys.argv[:1])
    app.setApplicationName("Belay")
    app.setDesktopFileName("belay")
    app.setQuitOnLastWindowClosed(False)
    window = Window(app, ground=ground, single=single, note=note)
    window.open(text)
    wish.listen(window.quit_posted.emit)
    return app.exec()  # quitting ends the process itself


class Window(QObject):
    """The application with a window; lives on the GUI thread until the process ends."""

    text_arrived = Signal(str)  # from a later start, on its thread
    quit_posted = Signal()  # by a signal, on its thread
    draft_found = Signal(str)  # in a conversation that was never sent, on the agent thread

    def __init__(
        self, app: QApplication, *, ground: Ground, single: SingleWindow, note: ShutdownNote
    ) -> None:
        super().__init__(app)
        self._ground = ground
        self._note = note
        self._single = single
        self._settings = ground.settings
        self._engine: Engine | None = None
        self._has_begun = False
        self._hearts = Heartbeats()
        self._mishaps = Mishaps(self)
        self._keeper = SettingsKeeper(
            ground.paths.config / SETTINGS_NAME, on_trouble=self._mishaps.report
        )
        self._pictures: PictureReader | None = None
        self.agent = AgentThread(self._build_engine)
        self.main = MainWindow(
            appearance=Appearance(app, self._settings),
            settings=self._settings,
            clock=SystemClock(),
        )
        self.quitting = Quitting(
            agent=self.agent,
            store=self._store,
            settings=self._keeper,
            lease=ground.lease,
            single=single,
            watchdog=ground.watchdog,
            note=note,
            parent=self,
        )
        self.main.pane.composer.model_chip.set_unset(endpoints(Settings(), os.environ))
        self._connect()
        Desktop(app, self.main)

    def open(self, text: str | None) -> None:
        """Show the window; everything heavy begins behind its first picture."""
        self._mishaps.listen()
        QtPulse(self._hearts, "window", self)
        self._hearts.start()
        is_first = not (self._ground.paths.data / DATABASE_NAME).exists()
        self.main.begin()
        self._greet(is_first=is_first)
        self.main.show()
        self._single.serve(self.text_arrived.emit)
        if text:
            self.on_text_arrived(text)
        self._warm_up()
        QTimer.singleShot(FIRST_PICTURE_MS, self.begin_work)

    def begin_work(self) -> None:
        """Let the services begin, once; Quit needs them too, to save what was asked of them."""
        if not self._has_begun:
            self._has_begun = True
            self.agent.start()
            gc.freeze()  # what is there now stays: no collection needs to look at it again
            gc.enable()

    def _greet(self, *, is_first: bool) -> None:
        """Say what a start has to say: welcome, how it ended last time, what is wrong now."""
        pane = self.main.pane
        if is_first:
            uses_built_in = not endpoints(self._settings, os.environ)
            pane.begin_welcome(
                has_built_in=uses_built_in and bundled_weights() is not None,
                talk_key=known_name(self._settings.talk_key),
            )
        remark = look_back(self._ground.paths, self._note)
        if remark is not None:
            pane.notice.show_sentence(remark.text, detail=remark.detail, stays=True)
        if self._ground.problem is not None:
            pane.show_problem(self._ground.problem, stays=True)

    def _build_engine(self, emit: Callable[[Event], None]) -> "Engine":
        """Build the services; called on the agent thread."""
        # Slow to load, and not needed for the first picture.
        import asyncio  # noqa: PLC0415

        from app.main.engine import Engine  # noqa: PLC0415
        from app.main.keys import open_keys  # noqa: PLC0415

        self._engine = Engine(
            paths=self._ground.paths,
            settings=self._settings,
            keys=open_keys(self._ground.paths, os.environ),
            environ=os.environ,
            lease=self._ground.lease,
            emit=emit,
            emit_voice=self.agent.tell_voice,
            emit_models=self.agent.tell_models,
        )
        loop = asyncio.get_running_loop()
        self._mishaps.listen_to_loop(loop)
        pulse_of_loop(loop, self._hearts, "agent")
        # Asked before the list is, so that it is known before the list leads anywhere.
        draft = self._engine.store.unsent_draft()
        self._looking = loop.create_task(self._look_for_draft(draft), name="unsent draft")
        return self._engine

    async def _look_for_draft(self, draft: Awaitable[ConversationId | None]) -> None:
        try:
            found = await draft
        except ProblemError:
            return  # whoever lists the conversations tells of it
        if found is not None:
            self.draft_found.emit(found)

    def _store(self) -> "SqliteStore | None":
        return self._engine.store if self._engine else None

    def _connect(self) -> None:
        self.agent.heard.connect(self.main.apply)
        self.main.pane.transcript.picture_wanted.connect(self.on_picture_wanted)
        self.main.command_issued.connect(self.agent.ask)
        self.agent.voice_heard.connect(self.main.pane.talking.apply)
        self.main.voice_command_issued.connect(self.on_voice_command)
        self.main.settings_changed.connect(self.on_settings_changed)
        self.agent.models_heard.connect(self.main.preferences.apply)
        self.main.preferences.model_command_issued.connect(self.on_model_command)
        self.main.link_activated.connect(self.on_link_activated)
        self.main.quit_requested.connect(self.begin_work)
        self.main.quit_requested.connect(self.quitting.begin)
        self.main.quit_now_requested.connect(self.quitting.hurry)
        self.quitting.phase_began.connect(self.main.apply)
        self.text_arrived.connect(self.on_text_arrived)
        self.quit_posted.connect(self.main.quit)
        self.main.quit_requested.connect(self._hearts.stop)
        self.draft_found.connect(self.on_draft_found)
        self._mishaps.happened.connect(self.on_mishap)

    def on_text_arrived(self, text: str) -> None:
        """Come to the front, with the words that a later start brought."""
        self.main.raise_with(text)

    def on_draft_found(self, conversation_id: str) -> None:
        """Show what was written last time and never sent."""
        self.main.navigation.resume(ConversationId(conversation_id))

    def on_mishap(self, problem: Problem) -> None:
        """Say that something failed, and go on."""
        self.main.pane.show_problem(problem, stays=True)

    def on_picture_wanted(self, name: str) -> None:
        """Have a picture read; most days there is none, and its reader is not loaded."""
        if self._pictures is None:
            from app.bridge.pictures import PictureReader  # noqa: PLC0415

            self._pictures = PictureReader(self._ground.paths.attachments, self)
            self._pictures.ready.connect(self.main.pane.transcript.show_picture)
        self._pictures.read(name)

    def on_voice_command(self, command: VoiceCommand) -> None:
        """Hand a wish about the microphone to its owner."""
        self._on_agent(lambda engine: engine.handle_voice(command))

    def on_settings_changed(self, settings: Settings) -> None:
        """Keep the settings and let the services follow them."""
        self._settings = settings
        self._keeper.keep(settings)
        self._on_agent(lambda engine: engine.use(settings))

    def on_model_command(self, command: "ModelCommand") -> None:
        """Hand a wish about models and keys to its owner."""
        self._on_agent(lambda engine: engine.handle_models(command))

    def on_link_activated(self, address: str) -> None:
        """Open a link that the person clicked, in the browser."""
        QDesktopServices.openUrl(QUrl(address))

    def _warm_up(self) -> None:
        self._on_agent(lambda engine: engine.warm_up())

    def _on_agent(self, work: "Callable[[Engine], None]") -> None:
        def on_loop() -> None:
            if self._engine is not None:  # else it could not be built, and somebody said so
                work(self._engine)

        self.agent.post(on_loop)
