"""Hold to talk at the desk: presses become commands, heard words go where they belong.

GUI thread. The conversation is the one that was visible at the press, whatever is opened later.
Words are sent as the person set it; the recording goes only when its words are safe.
"""

from collections.abc import Callable
from dataclasses import dataclass, field, replace

from PySide6.QtCore import QObject, Signal

from app.core.errors import Problem
from app.core.ids import ConversationId, MessageId, new_message_id
from app.core.messages import Intent
from app.core.ports import Clock
from app.core.voice import (
    ClipLanded,
    DiscardTalk,
    EndTalk,
    Force,
    PressTalk,
    ReleaseTalk,
    RetryClips,
    VoiceChanged,
    VoiceCommand,
    VoiceEvent,
    VoiceFailed,
    VoiceHeard,
    VoiceLevel,
    VoicePhase,
    VoiceReady,
    VoiceWords,
)
from app.ui.desk import Desk
from app.ui.voice.landing import Landing, landing
from app.ui.voice.words import ECHO, ECHO_S, NOTICE_S, elsewhere_words, landed_words


@dataclass(frozen=True, slots=True, kw_only=True)
class VoiceView:
    """What the window shows of the microphone."""

    changed: VoiceChanged = field(default_factory=lambda: VoiceChanged(phase=VoicePhase.IDLE))
    since: float = 0.0
    words: str = ""
    notice: str = ""
    notice_until: float = 0.0
    problem: Problem | None = None
    clip_kept: bool = False  # "Try again" stays on offer until it is taken
    kept_for: Problem | None = None  # why its words could not be written down
    is_flat: bool = False  # the notice is about a microphone that gave pure silence
    fixable: tuple[MessageId, str] | None = None  # what was just said here, while ↑ can fix it
    elsewhere: ConversationId | None = None  # where it was sent, if not to the visible page

    @property
    def is_recording(self) -> bool:
        """Say whether the microphone is open, or about to be."""
        return self.changed.phase in (VoicePhase.ARMING, VoicePhase.LISTENING)


class VoiceDesk(QObject):
    """Everything the window does with the microphone."""

    command_issued = Signal(object)  # a VoiceCommand
    view_changed = Signal(object)  # a VoiceView
    level_changed = Signal(float)  # dBFS
    ready_changed = Signal(object)  # a VoiceReady
    words_added = Signal(str)  # for the visible composer

    def __init__(
        self, *, desk: Desk, clock: Clock, has_text: Callable[[], bool], parent: QObject
    ) -> None:
        super().__init__(parent)
        self._desk = desk
        self._clock = clock
        self._has_text = has_text
        self._spoken_to = desk.state.id
        self._listening: set[ConversationId] = set()
        self.intent = Intent.REDIRECT
        self.view = VoiceView()

    def press(self) -> None:
        """The key or the button went down."""
        if not self.view.is_recording:
            self._spoken_to = self._desk.state.id
        self._issue(PressTalk(clip_id=new_message_id(), conversation_id=self._spoken_to))

    def release(self) -> None:
        """It came up again."""
        self._issue(ReleaseTalk())

    def discard(self) -> None:
        """Forget what is being recorded."""
        self._issue(DiscardTalk())

    def lose_focus(self) -> None:
        """End what would never be released."""
        if not self.view.changed.latched:  # it may not have begun yet: then it never does
            self._issue(EndTalk(why=Force.FOCUS_LOST))

    def forget_fix(self) -> None:
        """Stop offering ↑: it was used, or the page turned."""
        if self.view.fixable is not None:
            self._show(replace(self.view, notice="", fixable=None))

    def try_again(self) -> None:
        """Have kept recordings written down."""
        self._show(replace(self.view, problem=None, clip_kept=False))
        self._issue(RetryClips())

    def apply(self, event: VoiceEvent) -> None:
        """Take in what the microphone tells."""
        match event:
            case VoiceLevel(dbfs=dbfs):
                self.level_changed.emit(dbfs)
            case VoiceChanged():
                self._on_changed(event)
            case VoiceWords(text=text):
                self._show(replace(self.view, words=text))
            case VoiceHeard():
                self._on_heard(event)
            case VoiceReady():
                self.ready_changed.emit(event)
            case VoiceFailed(problem=problem, clip_kept=kept):
                self._on_failed(problem, kept=kept)
            case _:
                raise TypeError(f"not about the microphone: {event!r}")

    def _on_failed(self, problem: Problem, *, kept: bool) -> None:
        view = replace(self.view, words="")
        if kept:
            self._show(replace(view, clip_kept=True, kept_for=problem))
        else:
            self._show(replace(view, problem=problem))

    def tick(self) -> None:
        """Let time pass: notices end."""
        if self.view.notice and self._clock.monotonic() >= self.view.notice_until:
            self._show(replace(self.view, notice="", fixable=None, elsewhere=None))

    def _on_changed(self, changed: VoiceChanged) -> None:
        view = replace(self.view, changed=changed, since=self._clock.monotonic())
        if changed.phase is VoicePhase.ARMING:
            view = replace(view, words="", notice="", problem=None)
            view = replace(view, fixable=None, elsewhere=None)
        self._show(view)
        self._hold_back(changed.phase)

    def _hold_back(self, phase: VoicePhase) -> None:
        """Let nothing that waits start from the press until the words are on their way."""
        if phase is VoicePhase.ARMING and self._spoken_to not in self._listening:
            self._listening.add(self._spoken_to)
            self._desk.begin_listening(self._spoken_to)
        elif phase is VoicePhase.IDLE:
            for conversation_id in self._listening:
                self._desk.end_listening(conversation_id)
            self._listening.clear()

    def _on_heard(self, heard: VoiceHeard) -> None:
        if self._desk.is_gone(heard.conversation_id):  # here, where somebody sees it
            here = self._desk.state.id
            heard = replace(heard, conversation_id=here, force=heard.force or Force.FOCUS_LOST)
        is_here = heard.conversation_id == self._desk.state.id
        has_text = self._has_text() if is_here else self._desk.has_draft(heard.conversation_id)
        is_busy = self._desk.state.is_busy
        where = landing(heard, has_text=has_text)
        match where:
            case Landing.NOTHING:
                pass
            case Landing.SEND:
                self._desk.send_spoken(heard, self.intent)
            case Landing.STOP:
                self._desk.stop(heard.conversation_id)
                self._landed(heard)
            case Landing.ADD | Landing.CHECK:
                self._add(heard, is_here=is_here)
        self._tell_landing(where, heard, is_here=is_here, is_busy=is_busy)

    def _tell_landing(
        self, where: Landing, heard: VoiceHeard, *, is_here: bool, is_busy: bool
    ) -> None:
        if is_here and where is Landing.SEND:
            self._notice(ECHO, ECHO_S, fixable=(heard.clip_id, heard.text))
        elif is_here or where in (Landing.NOTHING, Landing.STOP):
            flat = where is Landing.NOTHING and heard.was_flat
            lasts_s = ECHO_S if flat else NOTICE_S  # there is a button to press
            self._notice(landed_words(where, heard, is_busy=is_busy), lasts_s, is_flat=flat)
        else:
            said = elsewhere_words(where, self._desk.title_of(heard.conversation_id))
            self._notice(said, ECHO_S, elsewhere=heard.conversation_id)

    def _add(self, heard: VoiceHeard, *, is_here: bool) -> None:
        if is_here:
            self.words_added.emit(heard.text)
        else:
            self._desk.add_to_draft(heard.conversation_id, heard.text)
        self._landed(heard)

    def _landed(self, heard: VoiceHeard) -> None:
        self._issue(ClipLanded(clip_id=heard.clip_id))

    def _notice(
        self,
        text: str,
        lasts_s: float,
        *,
        fixable: tuple[MessageId, str] | None = None,
        elsewhere: ConversationId | None = None,
        is_flat: bool = False,
    ) -> None:
        until = self._clock.monotonic() + lasts_s
        said = replace(self.view, words="", notice=text, notice_until=until)
        self._show(replace(said, fixable=fixable, elsewhere=elsewhere, is_flat=is_flat))

    def _show(self, view: VoiceView) -> None:
        if view != self.view:
            self.view = view
            self.view_changed.emit(view)

    def _issue(self, command: VoiceCommand) -> None:
        self.command_issued.emit(command)
