"""The composer: Message box, attachments, model, microphone, and the buttons that send and stop.

It shows what it is told and says what the person wants; it never knows a conversation.
"""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout

from app.core.errors import Problem, ProblemKind
from app.core.ids import MessageId
from app.core.messages import Draft, Intent
from app.core.ports import Clock
from app.core.settings import Settings
from app.ui.buttons import IconButton
from app.ui.composer.chords import Chord, Typed, meaning, possible
from app.ui.composer.context_meter import ContextMeter
from app.ui.composer.draft_pace import DraftPace
from app.ui.composer.frame import ComposerFrame
from app.ui.composer.message_box import MessageBox
from app.ui.composer.model_chip import ModelChip
from app.ui.composer.recall import Recall
from app.ui.composer.round_button import Face, RoundButton
from app.ui.composer.send_menu import SendMenu
from app.ui.conversation_state import ConversationState
from app.ui.theme import Theme
from app.ui.voice.meter import LevelMeter
from app.ui.voice.mic_button import MicButton
from app.ui.voice.talk_keys import USUAL, known_name

_IDLE = "Ask anything, or hold {key} to talk"
MIC_HINT = "Hold to talk, or hold {key}"
VERBS = {Intent.REDIRECT: "redirect", Intent.QUEUE: "queue", Intent.STEER: "steer"}


class Composer(ComposerFrame):
    """Where the person writes."""

    send_wished = Signal(str, object)  # the words and an Intent
    fix_wished = Signal(str, str)  # a message's id, and the words it should have had
    fix_begun = Signal()
    send_held_wished = Signal()
    stop_wished = Signal()
    chips_wished = Signal()  # ↑ in an empty box
    draft_changed = Signal(object)  # a Draft worth saving
    typed = Signal()
    problem_met = Signal(object)  # a Problem to say

    def __init__(self, *, clock: Clock, theme: Theme, settings: Settings) -> None:
        super().__init__(theme)
        self._settings = settings
        self._state: ConversationState | None = None
        self._recall = Recall()
        self._fixable: tuple[MessageId, str] | None = None  # what ↑ takes back for a moment
        self._fixing: tuple[MessageId, str] | None = None  # what the box is about
        self._pace = DraftPace(self)
        self.box = MessageBox()
        self.model_chip = ModelChip()
        self.context = ContextMeter()
        self.attach = IconButton("plus", "Attach", hint="Attach: not in this version")
        self.mic = MicButton(hint=MIC_HINT.format(key=USUAL))
        self.meter = LevelMeter(theme=theme)
        self.send_menu = SendMenu()
        self.round = RoundButton(clock=clock, theme=theme)
        self._lay_out()
        self._connect()
        self.set_theme(theme)
        self.set_settings(settings)

    def _lay_out(self) -> None:
        self.attach.setEnabled(False)
        self.send_menu.hide()
        tools = QHBoxLayout()
        tools.setSpacing(6)
        for widget in (self.attach, self.model_chip, self.context):
            tools.addWidget(widget)
        tools.addStretch(1)
        for button in (self.meter, self.mic, self.send_menu, self.round):
            tools.addWidget(button)
        rows = QVBoxLayout(self)
        rows.setContentsMargins(7, 13, 9, 7)
        rows.setSpacing(6)
        writing = QHBoxLayout()
        writing.setContentsMargins(9, 0, 7, 0)  # the words stand under the transcript's
        writing.addWidget(self.box)
        rows.addLayout(writing)
        rows.addLayout(tools)
        self.setFocusProxy(self.box)

    def _connect(self) -> None:
        self.box.enter_pressed.connect(self._on_enter)
        self.box.up_pressed.connect(self._on_up)
        self.box.down_pressed.connect(self._on_down)
        self.box.textChanged.connect(self._on_text_changed)
        self.box.cursorPositionChanged.connect(self._on_cursor_moved)
        self.box.ringed.connect(self.set_ringed)
        self.box.paste_refused.connect(self._on_paste_refused)
        self._pace.due.connect(self._on_draft_due)
        self.round.send_pressed.connect(self._on_send)
        self.round.stop_pressed.connect(self.stop_wished)
        self.send_menu.send_pressed.connect(self._on_send)
        self.send_menu.intent_chosen.connect(self._send)

    @property
    def draft(self) -> Draft:
        """What stands in the box."""
        return Draft(text=self.box.toPlainText(), cursor=self.box.textCursor().position())

    def set_draft(self, draft: Draft) -> None:
        """Put a conversation's draft back, with its cursor."""
        self.box.blockSignals(True)  # noqa: FBT003 - Qt's own signature
        self.box.set_text(draft.text, draft.cursor)
        self.box.blockSignals(False)  # noqa: FBT003
        self._pace.forget()
        self._recall.reset()
        self._fixing = None
        self.box.fit()
        self._show_buttons()

    def restore_draft(self, draft: Draft) -> None:
        """Take a draft that arrived late, and keep what it was joined with."""
        had_words = self.box.has_words()
        self.set_draft(draft)
        if had_words:
            self._pace.touch()

    def add_words(self, text: str) -> None:
        """Put words in at the cursor, apart from what stands beside it."""
        cursor = self.box.textCursor()
        before = self.box.toPlainText()[: cursor.selectionStart()]
        gap = " " if before and not before[-1].isspace() else ""
        if text:
            cursor.insertText(gap + text)
            self.box.setTextCursor(cursor)

    def offer_fix(self, said: tuple[MessageId, str] | None) -> None:
        """Let ↑ take back what was just said, until it is offered no more."""
        self._fixable = said

    @property
    def is_fixing(self) -> bool:
        """Say whether what is written replaces a message."""
        return self._fixing is not None

    def leave_fix(self) -> None:
        """Leave the message as it is; words that were changed stay in the box."""
        fixing, self._fixing = self._fixing, None
        if fixing is not None and self.box.toPlainText() == fixing[1]:
            self.box.set_text("", 0)

    def flush_draft(self) -> None:
        """Have the draft saved now."""
        self._pace.flush()

    def set_settings(self, settings: Settings) -> None:
        """Follow what the person chose."""
        self._settings = settings
        self.model_chip.set_settings(settings)
        self._show_buttons()

    def set_theme(self, theme: Theme) -> None:
        """Repaint in other colours and sizes."""
        super().set_theme(theme)
        for button in (self.attach, self.mic):
            button.set_theme(theme)
        self.round.set_theme(theme)
        self.meter.set_theme(theme)
        self.box.fit()

    def show_state(self, state: ConversationState) -> None:
        """Show the buttons and the invitation that fit the visible conversation."""
        self._state = state
        self._show_buttons()

    def _show_buttons(self) -> None:
        busy = self._state is not None and self._state.is_busy
        can_stop = self._state is not None and self._state.status.phase.can_stop
        has_words = self.box.has_words()
        self._keep_focus(will_be_enabled=can_stop if busy else has_words)
        if busy:
            self.round.show_face(Face.STOP, enabled=can_stop)
        else:
            self.round.show_face(Face.SEND, enabled=has_words)
        self.send_menu.offer(steering=self._has_tools)
        self.send_menu.setVisible(busy and has_words)
        verb = VERBS[possible(self._settings.enter_intent, has_tools=self._has_tools)]
        self._invite(f"Type to {verb}" if busy else _IDLE.format(key=self._talk_key))

    def _invite(self, words: str) -> None:
        if words != self.box.placeholderText():
            self.box.setPlaceholderText(words)
            self.box.viewport().update()  # Qt paints over the old words only where the caret blinks

    def _keep_focus(self, *, will_be_enabled: bool) -> None:
        if self.round.hasFocus() and not will_be_enabled:
            self.box.setFocus()

    @property
    def _talk_key(self) -> str:
        return known_name(self._settings.talk_key)

    @property
    def _has_tools(self) -> bool:
        return self._state is not None and self._state.has_tools

    def _on_enter(self, chord: Chord) -> None:
        match meaning(chord, self._settings, has_tools=self._has_tools):
            case Typed.NEWLINE:
                self.box.insertPlainText("\n")
                self.box.ensureCursorVisible()
            case Typed.NOTHING:
                pass
            case Intent() as intent:
                self._send(intent)

    def _on_send(self) -> None:
        self._send(possible(self._settings.enter_intent, has_tools=self._has_tools))

    def _send(self, intent: Intent) -> None:
        text = self.box.toPlainText()
        fixing, self._fixing = self._fixing, None
        if text.strip():
            self.set_draft(Draft())
            if fixing is not None:
                self._pace.touch()
                self.fix_wished.emit(fixing[0], text)
            else:
                self.send_wished.emit(text, intent)
        elif self._state and self._state.held and not self._state.is_busy:
            self.send_held_wished.emit()
        self.box.setFocus()

    def _begin_fix(self, said: tuple[MessageId, str]) -> None:
        self._fixable, self._fixing = None, said
        self.box.set_text(said[1], len(said[1]))
        self.box.selectAll()
        self.fix_begun.emit()

    def _on_up(self) -> None:
        if self._fixable is not None and self.box.document().isEmpty():
            self._begin_fix(self._fixable)
            return
        if self.box.document().isEmpty() and self._state and self._state.queue:
            self.chips_wished.emit()
            return
        self._recalled(self._recall.back(self._said(), self.box.toPlainText()))

    def _on_down(self) -> None:
        self._recalled(self._recall.forward(self._said(), self.box.toPlainText()))

    def _said(self) -> tuple[str, ...]:
        return self._state.own_words() if self._state else ()

    def _recalled(self, text: str | None) -> None:
        if text is not None:
            self.box.set_text(text, len(text))

    def _on_text_changed(self) -> None:
        self._pace.touch()
        self._show_buttons()
        self.typed.emit()

    def _on_cursor_moved(self) -> None:
        if not self.box.document().isEmpty():
            self._pace.touch()

    def _on_draft_due(self) -> None:
        self.draft_changed.emit(self.draft)

    def _on_paste_refused(self, characters: int) -> None:
        megabytes = max(round(characters / 1_000_000, 1), 0.1)
        shown = int(megabytes) if megabytes == int(megabytes) else megabytes
        self.problem_met.emit(
            Problem(kind=ProblemKind.MESSAGE_TOO_LARGE, params={"megabytes": shown})
        )
