"""Hold to talk, put together: the key, the button, the meter, the bar and the desk.

GUI thread. The window gives it raw key events and the composer; it shows the light exactly while
the microphone listens.
"""

from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication, QEvent, QObject, Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent

from app.core.ports import Clock
from app.core.settings import Settings
from app.core.voice import ChooseMicrophone, ChooseSpeech, VoiceEvent, VoicePhase, VoiceReady
from app.core.wording import sentence
from app.ui.composer.composer import MIC_HINT, VERBS, Composer
from app.ui.desk import Desk
from app.ui.theme import Theme
from app.ui.voice.bar import VoiceBar
from app.ui.voice.key_grace import KeyGrace
from app.ui.voice.talk_keys import TALK_KEYS, USUAL, known_name
from app.ui.voice.voice_desk import VoiceDesk, VoiceView

if TYPE_CHECKING:
    from app.ui.settings.voice import VoicePage

_PAGE = "Voice"
_TICK_MS = 100


class Talking(QObject):
    """Everything that has to do with the microphone in the window."""

    command_issued = Signal(object)  # a VoiceCommand
    view_changed = Signal()
    open_wished = Signal(object)  # the ConversationId to turn to
    settings_wished = Signal(str)  # the page to open
    link_activated = Signal(str)  # the place in the system's settings to open

    def __init__(
        self, *, desk: Desk, composer: Composer, clock: Clock, theme: Theme, parent: QObject
    ) -> None:
        super().__init__(parent)
        self._composer = composer
        self._clock = clock
        self._theme = theme
        self._page = desk
        self._settings: Settings | None = None
        self.desk = VoiceDesk(desk=desk, clock=clock, has_text=composer.box.has_words, parent=self)
        self.bar = VoiceBar(theme=theme)
        self._key = KeyGrace(self)
        self._key_name = USUAL
        self._problem = ""  # why the button will not do
        self._timer = QTimer(self)
        self._timer.setInterval(_TICK_MS)
        self._connect()

    def _connect(self) -> None:
        self._composer.mic.pressed.connect(self._key.press)
        self._composer.mic.released.connect(self._key.release)
        self._key.went_down.connect(self._on_down)
        self._key.came_up.connect(self._on_up)
        self.desk.command_issued.connect(self.command_issued)
        self.desk.view_changed.connect(self._on_view_changed)
        self.desk.level_changed.connect(self._composer.meter.add)
        self.desk.words_added.connect(self._on_words_added)
        self.desk.ready_changed.connect(self._on_ready)
        self.bar.try_again_wished.connect(self.desk.try_again)
        self.bar.open_wished.connect(self._on_open)
        self.bar.choose_wished.connect(self._on_choose)
        self.bar.permission_wished.connect(self.link_activated)
        self._composer.fix_begun.connect(self.desk.forget_fix)
        self._composer.fix_wished.connect(self._page.fix)
        self._page.switched.connect(self.desk.forget_fix)
        self._timer.timeout.connect(self._on_tick)

    @property
    def is_recording(self) -> bool:
        """Say whether Esc would discard a recording."""
        return self.desk.view.is_recording or self._key.is_down  # it may only be opening

    def apply(self, event: VoiceEvent) -> None:
        """Take in what the microphone tells."""
        self.desk.apply(event)

    def set_settings(self, settings: Settings) -> None:
        """Follow what the person chose; the first settings are known to everybody."""
        before, self._settings = self._settings, settings
        self.desk.intent = settings.spoken_intent
        self._use_key(known_name(settings.talk_key))
        if before is None:
            return
        if settings.microphone != before.microphone:
            self.command_issued.emit(ChooseMicrophone(device=settings.microphone))
        language, folder = settings.speech_language, settings.speech_model
        if (language, folder) != (before.speech_language, before.speech_model):
            self.command_issued.emit(ChooseSpeech(language=language, folder=folder))

    def make_page(self) -> "VoicePage":
        """Make the page of the settings that is about talking."""
        from app.ui.settings.voice import VoicePage  # noqa: PLC0415 - when it is first opened

        page = VoicePage()
        page.command_issued.connect(self.command_issued)
        self.desk.ready_changed.connect(page.show_ready)
        self.desk.level_changed.connect(page.show_level)
        return page

    def set_theme(self, theme: Theme) -> None:
        """Repaint in other colours."""
        self._theme = theme
        self.bar.set_theme(theme)
        self._light(self.desk.view)

    def take_key(self, event: QKeyEvent, *, is_press: bool) -> bool:
        """Take a raw key event; False if it is not the talk key."""
        if event.key() != TALK_KEYS[self._key_name]:
            return False
        if not is_press:  # whatever else is held by now, the hold is over
            if not event.isAutoRepeat():
                self._key.release()
        elif event.modifiers() == Qt.KeyboardModifier.NoModifier or self._key.is_down:
            self._key.press()
        else:
            return False
        return True

    def eventFilter(self, _watched: QObject, event: QEvent) -> bool:
        """See the key come up wherever that happens, while it is held: a menu may be open."""
        if isinstance(event, QKeyEvent) and event.type() in (
            QEvent.Type.KeyPress,
            QEvent.Type.KeyRelease,
        ):
            self.take_key(event, is_press=event.type() == QEvent.Type.KeyPress)
        return False

    def lose_focus(self) -> None:
        """The window is no longer in front: a held key would never come up."""
        if self._key.is_down:
            self.desk.lose_focus()
            self._key.let_go()

    def _use_key(self, name: str) -> None:
        if name != self._key_name:
            self.lose_focus()
        self._key_name = name
        self._say_why()

    def _on_down(self) -> None:
        app = QCoreApplication.instance()
        assert app is not None
        app.installEventFilter(self)
        self.desk.press()

    def _on_up(self) -> None:
        app = QCoreApplication.instance()
        assert app is not None
        app.removeEventFilter(self)
        self.desk.release()

    def _on_choose(self) -> None:
        self.settings_wished.emit(_PAGE)

    def _on_words_added(self, text: str) -> None:
        self._composer.add_words(text)
        self._composer.flush_draft()

    def _on_ready(self, ready: VoiceReady) -> None:
        """Say at the button why it will not do, where it will not."""
        self._problem = sentence(ready.problem) if ready.problem is not None else ""
        self._say_why()

    def _say_why(self) -> None:
        hint = MIC_HINT.format(key=self._key_name)
        self._composer.mic.setToolTip(self._problem or hint)
        self._composer.mic.setAccessibleDescription(self._problem)

    def _on_open(self) -> None:
        if self.desk.view.elsewhere is not None:
            self.open_wished.emit(self.desk.view.elsewhere)

    def _on_view_changed(self, view: VoiceView) -> None:
        self._composer.offer_fix(view.fixable)
        self._light(view)
        self._show(view)
        is_moving = view.changed.phase is not VoicePhase.IDLE or bool(view.notice)
        self._timer.start() if is_moving else self._timer.stop()
        self.view_changed.emit()

    def _on_tick(self) -> None:
        self.desk.tick()
        self._show(self.desk.view)

    def _show(self, view: VoiceView) -> None:
        self.bar.show_view(
            view,
            now=self._clock.monotonic(),
            is_busy=self._page.state.is_busy,
            has_text=self._composer.box.has_words(),
            verb=VERBS[self.desk.intent],
        )

    def _light(self, view: VoiceView) -> None:
        """Light the microphone while it listens, and only then."""
        listens = view.changed.phase is VoicePhase.LISTENING
        self._composer.mic.show_change(view.changed, self._theme)
        self._composer.meter.setVisible(listens)
        if not listens:
            self._composer.meter.clear()
