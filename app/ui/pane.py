"""The page of the open conversation: title, transcript, status line, chips, composer.

It shows the desk's visible state and passes the person's wishes to the desk.
"""

from collections.abc import Mapping

from PySide6.QtCore import QTimer, Signal
from PySide6.QtWidgets import (
    QApplication,
    QLineEdit,
    QSizePolicy,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from app.core.errors import Problem
from app.core.events import ConversationEvent, ConversationOpened, TurnStarted
from app.core.ids import MessageId
from app.core.messages import Draft, Tree
from app.core.ports import Clock
from app.core.settings import Settings
from app.core.status import Announcement
from app.core.status_words import announcement, line
from app.ui.announce import announce
from app.ui.chips.captions import shown
from app.ui.chips.panel import ChipsPanel
from app.ui.column import Column
from app.ui.composer.composer import Composer
from app.ui.conversation_state import ConversationState
from app.ui.desk import Desk
from app.ui.edit_drafts import EditDrafts
from app.ui.header import Header
from app.ui.notice import Notice
from app.ui.status_line import StatusLine
from app.ui.theme import Theme
from app.ui.transcript.view import TranscriptView
from app.ui.voice.talking import Talking
from app.ui.welcome import EmptyPage, Welcome

_TICK_MS = 50
_ESC_TO_STOP = " · Esc to stop"


class ConversationPane(QWidget):
    """Everything beside the sidebar."""

    announced = Signal(object)  # an Announcement, as it was made
    refreshed = Signal()  # it may have changed what Esc does

    def __init__(self, *, desk: Desk, clock: Clock, theme: Theme, settings: Settings) -> None:
        super().__init__()
        self.setObjectName("pane")
        self._desk = desk
        self._clock = clock
        self._esc_stops = False
        self._has_old_edits = False  # open since the last start, and nobody has been there yet
        self._is_welcoming = False
        self.header = Header(theme=theme)
        self.transcript = TranscriptView(theme)
        self.empty = EmptyPage()
        self.welcome = Welcome()
        self.notice = Notice(theme=theme)
        self.status_line = StatusLine(theme=theme)
        self.chips = ChipsPanel(theme=theme)
        self.composer = Composer(clock=clock, theme=theme, settings=settings)
        self.talking = Talking(
            desk=desk, composer=self.composer, clock=clock, theme=theme, parent=self
        )
        self.talking.set_settings(settings)
        self._edit_drafts = EditDrafts(desk=desk, parent=self)
        self._greeting = Column(theme=theme)
        self._column = Column(theme=theme)
        self._timer = QTimer(self)
        self._timer.setInterval(_TICK_MS)
        self._lay_out()
        self._connect_desk()
        self._connect_composer()
        self._connect_chips()
        self._connect_transcript()

    def _lay_out(self) -> None:
        self._greeting.add(self.welcome)
        self._pages = QStackedWidget()
        for page in (self.transcript, self.empty, self._greeting):
            self._pages.addWidget(page)
        for widget in (
            self.notice,
            self.status_line,
            self.chips,
            self.talking.bar,
            self.composer,
        ):
            self._column.add(widget)
        # In a low window the page gives way first, never the composer.
        self._pages.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Ignored)
        rows = QVBoxLayout(self)
        rows.setContentsMargins(0, 0, 0, 14)
        rows.setSpacing(0)
        rows.addWidget(self.header)
        rows.addWidget(self._pages, 1)
        rows.addWidget(self._column)

    def _connect_desk(self) -> None:
        self._desk.switched.connect(self._on_switched)
        self._desk.state_changed.connect(self._on_state_changed)
        self._desk.draft_restored.connect(self.composer.restore_draft)
        self._desk.edits_restored.connect(self._edit_drafts.know)
        self._desk.edits_restored.connect(self.chips.resume_edits)
        self._desk.edits_restored.connect(self._on_edits_restored)
        self._desk.edits_restored.connect(self.transcript.editing.remember)
        self._timer.timeout.connect(self.refresh)

    def _connect_composer(self) -> None:
        self.composer.send_wished.connect(self._desk.send)
        self.composer.send_held_wished.connect(self._desk.send_held)
        self.composer.stop_wished.connect(self._desk.stop)
        self.composer.draft_changed.connect(self._desk.save_draft)
        self.composer.chips_wished.connect(self.chips.enter)
        self.composer.typed.connect(self._on_typed)
        self.composer.problem_met.connect(self.show_problem)
        self.welcome.dismissed.connect(self.end_welcome)
        self.status_line.retry_wished.connect(self._on_retry)

    def _connect_chips(self) -> None:
        self.chips.edit_begun.connect(self._desk.begin_revision)
        self.chips.edit_ended.connect(self._desk.end_revision)
        self.chips.edit_ended.connect(self._on_chip_edit_ended)
        self.chips.edit_changed.connect(self._edit_drafts.change)
        self.chips.promote_wished.connect(self._desk.promote)
        self.chips.discard_wished.connect(self._desk.discard)
        self.chips.restore_wished.connect(self._desk.put_back)
        self.chips.move_wished.connect(self._desk.move)
        self.chips.send_held_wished.connect(self._desk.send_held)
        self.chips.left.connect(self.focus_message)
        self.chips.edit_state_changed.connect(self.refresh)

    def _connect_transcript(self) -> None:
        self.transcript.retry_requested.connect(self._desk.retry)
        self.transcript.continue_requested.connect(self._desk.go_on)
        self.transcript.edit_submitted.connect(self._edit_drafts.submit)
        self.transcript.edit_submitted.connect(self._desk.edit)
        self.transcript.editing.changed.connect(self._edit_drafts.change)
        self.transcript.editing.left.connect(self._edit_drafts.end)
        self.transcript.branch_selected.connect(self._desk.select_branch)

    def apply(self, event: ConversationEvent) -> None:
        """Show an event of the visible conversation."""
        if event.conversation_id != self._desk.state.id:
            return
        self.transcript.apply(event)  # type: ignore[arg-type]
        if isinstance(event, TurnStarted):
            self.composer.model_chip.show_answering(event.model)

    def set_theme(self, theme: Theme) -> None:
        """Repaint everything in other colours and sizes."""
        for part in (
            self.header,
            self.transcript,
            self.notice,
            self.status_line,
            self.chips,
            self.composer,
            self.talking,
            self._greeting,
            self._column,
        ):
            part.set_theme(theme)

    def set_esc_stops(self, *, stops: bool) -> None:
        """Say whether the next Esc would stop the turn."""
        if stops != self._esc_stops:
            self._esc_stops = stops
            self._show_line()

    def show_problem(self, problem: Problem, *, stays: bool = False) -> None:
        """Say a problem above the composer; one that stays is not about this conversation."""
        self.notice.show_problem(problem, stays=stays)
        self._announce(Announcement(text=self.notice.accessibleName(), is_assertive=True))

    def begin_welcome(self, *, has_built_in: bool, talk_key: str | None) -> None:
        """Greet a person who is here for the first time."""
        self.welcome.say(has_built_in=has_built_in, talk_key=talk_key)
        self._is_welcoming = True
        self._show_page(self._desk.state)

    def end_welcome(self) -> None:
        """Leave the page to the conversation."""
        self._is_welcoming = False
        self._show_page(self._desk.state)
        self.focus_message()

    def _on_edits_restored(self, edits: Mapping[MessageId, str]) -> None:
        self._has_old_edits = bool(edits)

    def note_focus(self, widget: QWidget | None) -> None:
        """Notice that the person goes on with an edit from before."""
        places = (self.chips, self.transcript)
        if widget is not None and any(place.isAncestorOf(widget) for place in places):
            self._has_old_edits = False

    @property
    def is_editing(self) -> bool:
        """Say whether the person changes a chip or a message, or fixes what was heard."""
        is_open = self.chips.is_editing or self.transcript.is_editing
        return self.composer.is_fixing or (is_open and not self._has_old_edits)

    @property
    def is_finding(self) -> bool:
        """Say whether the focus is in the find bar, which takes Esc for itself."""
        focus = QApplication.focusWidget()
        return isinstance(focus, QLineEdit) and self.transcript.isAncestorOf(focus)

    def leave_edit(self) -> None:
        """Leave an open edit; its words stay as they were."""
        if self.composer.is_fixing:
            self.composer.leave_fix()
        elif self.chips.is_editing:
            self.chips.leave_edit()
        else:
            self.transcript.leave_edit()

    def focus_message(self) -> None:
        """Put the focus where the person writes."""
        self.composer.box.setFocus()

    def flush_drafts(self) -> None:
        """Have everything that is being written saved now."""
        self.composer.flush_draft()
        self._edit_drafts.flush()

    def refresh(self) -> None:
        """Let time pass."""
        self._desk.tick()
        self._show(self._desk.state)

    def _on_switched(self, state: ConversationState) -> None:
        self.chips.forget_removed()
        self.notice.turn_page()
        self.composer.set_draft(state.draft)
        # A clean page until the contents arrive; a new conversation has none.
        blank = ConversationOpened(conversation_id=state.id, tree=Tree(), waiting=(), draft=Draft())
        self.transcript.apply(blank)
        self._show(state)
        self.focus_message()

    def _on_state_changed(self, before: ConversationState, after: ConversationState) -> None:
        said = announcement(before.status, after.status)
        if said is not None:
            self._announce(said)
        self._show(after)

    def _show(self, state: ConversationState) -> None:
        self.composer.show_state(state)
        self.chips.show_state(state, shown(state, self._clock.monotonic()))
        self._show_page(state)
        self.refreshed.emit()
        self._show_line()
        self._pace(state)

    def _show_line(self) -> None:
        now = self._clock.monotonic()
        hint = _ESC_TO_STOP if self._esc_stops else ""
        self.status_line.show_line(line(self._desk.state.status, now, how_to_stop=hint))

    def _show_page(self, state: ConversationState) -> None:
        if not (state.is_open and state.is_empty):
            self._pages.setCurrentWidget(self.transcript)
        else:
            self._pages.setCurrentWidget(self._greeting if self._is_welcoming else self.empty)

    def _pace(self, state: ConversationState) -> None:
        shows_receipt = state.status.stopped is not None
        if state.is_busy or shows_receipt or state.sent:
            if not self._timer.isActive():
                self._timer.start()
        else:
            self._timer.stop()

    def _announce(self, said: Announcement) -> None:
        announce(self.status_line, said)
        self.announced.emit(said)

    def _on_typed(self) -> None:
        if self._is_welcoming:
            self.end_welcome()

    def _on_chip_edit_ended(self, message_id: str) -> None:
        self._edit_drafts.end(message_id)

    def _on_retry(self) -> None:
        self._desk.retry()
