"""Changing a message inside its bubble: Send branches, Esc leaves everything as it was."""

from PySide6.QtCore import QEvent, QObject, QRectF, Qt, Signal
from PySide6.QtGui import QKeyEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from app.ui.buttons import push_button
from app.ui.growing_text import GrowingText
from app.ui.transcript.look import Look, Tone

_MOST_LINES = 12
_CHROME = 74  # padding and the line of buttons


class MessageEditor(QWidget):
    """A text box with Cancel and Send; asks for the room that it needs."""

    submitted = Signal(str)
    left = Signal()
    room_changed = Signal(int)
    changed = Signal(str)  # the words so far

    def __init__(self, parent: QWidget, look: Look, text: str) -> None:
        super().__init__(parent)
        self._look = look
        self._box = GrowingText(max_lines=_MOST_LINES)
        self._box.set_text(text, len(text))
        self._box.setAccessibleName("Edit message")
        self._box.setFrameStyle(0)
        self._box.viewport().setAutoFillBackground(False)
        self._box.setStyleSheet("background: transparent; border: none;")
        self._box.setFont(look.voice(Tone.BODY).font)
        self._asked = 0  # the room it asked for last
        self._send = push_button("Send", primary=True)
        self._cancel = push_button("Cancel")
        self._lay_out()
        self._box.installEventFilter(self)
        self._box.textChanged.connect(self._on_changed)
        self._send.clicked.connect(self._on_send)
        self._cancel.clicked.connect(self.left)

    @property
    def room(self) -> int:
        """The height it needs; QPlainTextEdit's document counts in lines."""
        lines = max(1, min(_MOST_LINES, round(self._box.document().size().height())))
        return lines * self._box.fontMetrics().lineSpacing() + self._look.px(_CHROME)

    @property
    def words(self) -> str:
        """What stands in it now."""
        return self._box.toPlainText()

    def set_look(self, look: Look) -> None:
        """Take another look."""
        self._look = look
        self._box.setFont(look.voice(Tone.BODY).font)
        self._box.fit()
        self.update()
        self._ask_for_room()

    def begin(self, *, takes_focus: bool = True) -> None:
        """Appear, and take the focus unless the person is elsewhere."""
        self.show()
        if takes_focus:
            self._box.setFocus()
        self._box.moveCursor(self._box.textCursor().MoveOperation.End)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Take Enter and Esc, unless an input method is composing; grow with the box."""
        if watched is self._box and event.type() == QEvent.Type.Resize:
            self._ask_for_room()
        elif watched is self._box and isinstance(event, QKeyEvent) and not self._box.composing:
            if event.type() == QEvent.Type.ShortcutOverride and event.key() == Qt.Key.Key_Escape:
                event.accept()
                return True
            if event.type() == QEvent.Type.KeyPress:
                return self._key(event)
        return super().eventFilter(watched, event)

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: ARG002
        """Paint the bubble that is being changed."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(self._look.colour("accent"), 2))
        painter.setBrush(self._look.colour("own_message"))
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(1, 1, -1, -1), 12, 12)
        painter.end()

    def _key(self, event: QKeyEvent) -> bool:
        if event.key() == Qt.Key.Key_Escape:
            self.left.emit()
            return True
        breaks = Qt.KeyboardModifier.ShiftModifier | Qt.KeyboardModifier.AltModifier
        is_enter = event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter)
        if is_enter and not event.modifiers() & breaks:
            self._on_send()
            return True
        return False

    def _on_send(self) -> None:
        text = self._box.toPlainText().strip()
        if text:
            self.submitted.emit(text)

    def _on_changed(self) -> None:
        self._send.setEnabled(bool(self._box.toPlainText().strip()))
        self.changed.emit(self.words)
        self._ask_for_room()

    def _ask_for_room(self) -> None:
        if self.room != self._asked:
            self._asked = self.room
            self.room_changed.emit(self._asked)

    def _lay_out(self) -> None:
        buttons = QHBoxLayout()
        buttons.addStretch(1)
        buttons.addWidget(self._cancel)
        buttons.addWidget(self._send)
        column = QVBoxLayout(self)
        column.setContentsMargins(12, 8, 10, 10)
        column.addWidget(self._box)
        column.addStretch(1)
        column.addLayout(buttons)
