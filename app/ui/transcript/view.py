"""The transcript as a widget: events in, wishes out.

Lives on the GUI thread. Shows what it is given, asks nothing of anybody: every wish of the
person leaves as a signal. Nothing the model wrote is ever treated as HTML, loaded or opened.
"""

from PySide6.QtCore import Signal
from PySide6.QtGui import QTextCursor
from PySide6.QtWidgets import QHBoxLayout, QPlainTextEdit, QToolButton, QVBoxLayout, QWidget

from app.core.events import Event
from app.core.wording import caption, sentence
from app.ui.theme import Theme
from app.ui.transcript.changes import Grew
from app.ui.transcript.entry import Entry
from app.ui.transcript.model import TranscriptModel
from app.ui.transcript.problems import Wish, remedy


class TranscriptView(QWidget):
    """The conversation that is open."""

    retry_requested = Signal(str)  # a message id: answer again what it answered
    continue_requested = Signal(str)  # the id of the answer that broke off
    edit_submitted = Signal(str, str)  # the id of the person's message, the new text
    branch_selected = Signal(str)  # the id of the message whose branch to show
    link_activated = Signal(str)  # an http, https or mailto address that was clicked
    problem_action_requested = Signal(str)  # the ProblemKind to be put right

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName("Transcript")
        self._theme = theme
        self._model = TranscriptModel()
        self._text = QPlainTextEdit(self)
        self._text.setReadOnly(True)
        self._text.setAccessibleName("Transcript")
        self._buttons = QHBoxLayout()
        column = QVBoxLayout(self)
        column.addWidget(self._text)
        column.addLayout(self._buttons)

    def apply(self, event: Event) -> None:
        """Show what an event changed; events of other conversations change nothing."""
        changes = self._model.apply(event)
        last = len(self._model.entries) - 1
        for change in changes:
            if isinstance(change, Grew) and change.index == last:
                self._append(change.text)
            else:
                self._rewrite()

    def set_theme(self, theme: Theme) -> None:
        """Take another look."""
        self._theme = theme

    def open_find(self) -> None:
        """Begin a search in this conversation."""

    def _append(self, text: str) -> None:
        cursor = self._text.textCursor()
        cursor.movePosition(QTextCursor.MoveOperation.End)
        cursor.insertText(text)

    def _rewrite(self) -> None:
        self._text.setPlainText("\n\n".join(_lines(entry) for entry in self._model.entries))
        while (item := self._buttons.takeAt(0)) is not None:
            if (widget := item.widget()) is not None:
                widget.deleteLater()
        if self._model.entries and self._model.running is None:
            self._offer(self._model.entries[-1])

    def _offer(self, entry: Entry) -> None:
        if not entry.is_person or entry.notice:
            self._button("Retry", lambda: self.retry_requested.emit(entry.id))
        if entry.ending.is_interrupted:
            self._button("Continue", lambda: self.continue_requested.emit(entry.id))
        if entry.notice and entry.notice.problem:
            kind = entry.notice.problem.kind
            found = remedy(kind, has_words=bool(entry.words))
            if found.wish is Wish.FIX:
                self._button(found.label, lambda: self.problem_action_requested.emit(str(kind)))

    def _button(self, label: str, pressed: object) -> None:
        button = QToolButton(self)
        button.setText(label)
        button.clicked.connect(pressed)
        self._buttons.addWidget(button)
        button.show()


def _lines(entry: Entry) -> str:
    lines = [("> " if entry.is_person else "") + entry.words, caption(entry.ending)]
    if entry.notice:
        problem = entry.notice.problem
        lines.append(sentence(problem) if problem else "Stopped before an answer")
    return "\n".join(line for line in lines if line)
