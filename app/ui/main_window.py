"""The window: the sidebar and the page, the keys that work everywhere, the dialogs.

GUI thread. Events come in through `apply`, wishes leave as `command_issued`, `settings_changed`
and `quit_requested`; it starts nothing and reads nothing by itself.
"""

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QAction, QCloseEvent, QIcon, QKeyEvent, QKeySequence
from PySide6.QtWidgets import QApplication, QMainWindow, QWidget

from app.core.errors import ProblemKind
from app.core.events import (
    ConversationEvent,
    ConversationOpened,
    ConversationsChanged,
    Event,
    ShutdownPhase,
    StorageTrouble,
)
from app.core.ports import Clock
from app.core.settings import Settings
from app.ui.closing import ClosingDialog
from app.ui.desk import Desk
from app.ui.escape import EscapeAction, Surroundings, escape_action
from app.ui.first_answer import FirstAnswer
from app.ui.growing_text import GrowingText
from app.ui.icons import pixmap
from app.ui.model_corner import ModelCorner
from app.ui.navigation import Navigation
from app.ui.pane import ConversationPane
from app.ui.settings.preferences import Preferences
from app.ui.sidebar.sidebar import Sidebar
from app.ui.style import Appearance
from app.ui.theme import Theme
from app.ui.window_size import WindowSize


class MainWindow(QMainWindow):
    """Shows and wishes; whoever builds it connects the rest."""

    command_issued = Signal(object)  # a core Command
    voice_command_issued = Signal(object)  # a core VoiceCommand
    settings_changed = Signal(object)  # the new Settings
    link_activated = Signal(str)
    quit_requested = Signal()
    quit_now_requested = Signal()

    def __init__(self, *, appearance: Appearance, settings: Settings, clock: Clock) -> None:
        super().__init__()
        self.setObjectName("window")
        self._is_closing = False
        self.stays_when_closed = False
        theme = appearance.theme
        self.desk = Desk(clock=clock, parent=self)
        self.sidebar = Sidebar(clock=clock, theme=theme)
        self.pane = ConversationPane(desk=self.desk, clock=clock, theme=theme, settings=settings)
        self.navigation = Navigation(
            desk=self.desk, sidebar=self.sidebar, pane=self.pane, parent=self
        )
        self.preferences = Preferences(self, appearance=appearance, settings=settings)
        self.models = ModelCorner(
            desk=self.desk, pane=self.pane, preferences=self.preferences, parent=self
        )
        self._first_answer = FirstAnswer(
            desk=self.desk,
            notice=self.pane.notice,
            preferences=self.preferences,
            parent=self,
        )
        self.closing_dialog = ClosingDialog(self)
        self._lay_out()
        self._size = WindowSize(self, settings)
        self._connect()
        self._connect_preferences()
        appearance.theme_changed.connect(self._on_theme_changed)
        self._add_keys()
        self.navigation.show_title()
        self.pane.focus_message()

    def _lay_out(self) -> None:
        self.setCentralWidget(self.navigation.frame)
        self.setWindowIcon(QIcon(pixmap("belay", "", 64)))
        self.setMinimumSize(420, 360)

    def _connect(self) -> None:
        self.desk.command_issued.connect(self.command_issued)
        self.navigation.title_changed.connect(self._on_title_changed)
        self.pane.refreshed.connect(self._on_refreshed)
        self.pane.talking.view_changed.connect(self._on_refreshed)
        self.pane.talking.command_issued.connect(self.voice_command_issued)
        self.pane.talking.link_activated.connect(self.link_activated)
        self.pane.transcript.link_activated.connect(self.link_activated)
        self.closing_dialog.quit_now_wished.connect(self.quit_now_requested)

        app = QApplication.instance()
        assert isinstance(app, QApplication)
        app.focusChanged.connect(self._on_focus_changed)

    def _connect_preferences(self) -> None:
        wishes = self.preferences
        wishes.settings_changed.connect(self.settings_changed)
        wishes.settings_shown.connect(self.pane.composer.set_settings)
        wishes.settings_shown.connect(self.pane.talking.set_settings)
        wishes.add_page(self.pane.talking.make_page)
        self.pane.talking.settings_wished.connect(wishes.open_at)
        self.sidebar.settings_wished.connect(wishes.open)
        self.pane.welcome.model_wished.connect(wishes.open_models)
        self.pane.transcript.problem_action_requested.connect(self._on_problem_action)

    def _on_problem_action(self, kind: str) -> None:
        if kind == ProblemKind.TOO_LONG:
            self.models.choose_what()
        else:
            self.preferences.open_models()

    def _add_keys(self) -> None:
        standard = QKeySequence.StandardKey
        for keys, slot in (
            (QKeySequence(standard.New), self.navigation.new),
            (QKeySequence(standard.Find), self.pane.transcript.open_find),
            (QKeySequence("Ctrl+,"), self.preferences.open),
            (QKeySequence("F2"), self.navigation.rename),
            (QKeySequence("Ctrl+Q"), self.quit),
        ):
            action = QAction(self)
            action.setShortcut(keys)
            action.triggered.connect(slot)
            self.addAction(action)
        self._quit_action = action

    def _on_focus_changed(self, _old: QWidget | None, new: QWidget | None) -> None:
        """Let Quit be heard in dialogs too: while one is open, our own keys are not."""
        if new is not None and self._quit_action not in new.window().actions():
            new.window().addAction(self._quit_action)
        self.pane.note_focus(new)

    def begin(self) -> None:
        """Put an empty conversation on the page, once everything is connected."""
        self.desk.new()

    def apply(self, event: Event) -> None:
        """Show what happened."""
        match event:
            case ConversationsChanged(conversations=conversations):
                self.navigation.show_list(conversations)
            case ShutdownPhase():
                self.closing_dialog.apply(event)
            case StorageTrouble(problem=problem):
                self.pane.show_problem(problem, stays=True)
            case ConversationEvent():
                if isinstance(event, ConversationOpened):  # it may bring a draft of its own
                    self.desk.note_draft(self.pane.composer.draft)
                self._first_answer.apply(event)
                self.desk.apply(event)
                self.pane.apply(event)
                self.models.apply(event)

    def raise_with(self, text: str) -> None:
        """Come to the front; words that were brought along go to the composer."""
        self.setWindowState(self.windowState() & ~Qt.WindowState.WindowMinimized)
        self.show()
        self.raise_()
        self.activateWindow()
        self.pane.composer.add_words(text)
        self.pane.focus_message()

    def show_settings(self, settings: Settings) -> None:
        """Follow settings that came from elsewhere."""
        self.preferences.show(settings)

    def quit(self) -> None:
        """Begin to close: input off, the draft on its way, the rest is not ours."""
        if self._is_closing:
            return
        self._is_closing = True
        if (focus := QApplication.focusWidget()) is not None:
            focus.clearFocus()  # a field that is being filled in counts as filled in
        self.pane.flush_drafts()
        self._remember_size()
        self.navigation.frame.setEnabled(False)
        self.setWindowTitle("Belay: closing")
        self.closing_dialog.begin()
        self.quit_requested.emit()

    def _remember_size(self) -> None:
        settings = self._size.noted(self.preferences.settings)
        if settings != self.preferences.settings:
            self.preferences.change(settings)

    def closeEvent(self, event: QCloseEvent) -> None:
        """Closing the window is Quit, except by hand on a Mac; the process's end takes it away."""
        event.ignore()
        if self.stays_when_closed and event.spontaneous():
            self.pane.flush_drafts()
            self.hide()
        else:
            self.quit()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Take Esc, ⌘. on a Mac, and the talk key; a key held down counts once."""
        if event.matches(QKeySequence.StandardKey.Cancel):
            event.accept()
            if not event.isAutoRepeat():
                self._escape()
        elif not self.pane.talking.take_key(event, is_press=True):
            super().keyPressEvent(event)

    def keyReleaseEvent(self, event: QKeyEvent) -> None:
        """Take the talk key's release."""
        if not self.pane.talking.take_key(event, is_press=False):
            super().keyReleaseEvent(event)

    def changeEvent(self, event: QEvent) -> None:
        """Let go of the talk key with the focus: its release would go elsewhere."""
        if event.type() == QEvent.Type.ActivationChange and not self.isActiveWindow():
            self.pane.talking.lose_focus()
        super().changeEvent(event)

    def _escape(self) -> None:
        match escape_action(self._surroundings()):
            case EscapeAction.DISCARD_RECORDING:
                self.pane.talking.desk.discard()
            case EscapeAction.LEAVE_EDIT:
                self.pane.leave_edit()
            case EscapeAction.STOP:
                self.desk.stop()
            case EscapeAction.CLOSE_POPUP | EscapeAction.NOTHING:
                pass  # a popup closes itself

    def _surroundings(self) -> Surroundings:
        focus = QApplication.focusWidget()
        return Surroundings(
            is_composing=isinstance(focus, GrowingText) and focus.composing,
            has_popup=self.pane.is_finding
            or (QApplication.activePopupWidget() or QApplication.activeModalWidget()) is not None,
            is_recording=self.pane.talking.is_recording,
            is_editing=self.pane.is_editing or self.sidebar.list.is_renaming,
            can_stop=self.desk.state.status.phase.can_stop and not self._is_closing,
        )

    def _on_refreshed(self) -> None:
        stops = escape_action(self._surroundings()) is EscapeAction.STOP
        self.pane.set_esc_stops(stops=stops)

    def _on_title_changed(self, title: str) -> None:
        if not self._is_closing:
            self.setWindowTitle(f"{title} – Belay")

    def _on_theme_changed(self, theme: Theme) -> None:
        self.sidebar.set_theme(theme)
        self.pane.set_theme(theme)
        self.navigation.frame.arrange()
