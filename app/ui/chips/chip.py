"""One waiting order: its words, what will become of it, and what can be done about it."""

from PySide6.QtCore import QRectF, Qt, Signal
from PySide6.QtGui import QColor, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QApplication, QHBoxLayout, QWidget

from app.core.messages import Intent, OrderKind, Waiting, WaitState
from app.ui.buttons import IconButton, text_button
from app.ui.chips.captions import caption, words
from app.ui.chips.chip_editor import ChipEditor
from app.ui.column import OUTDENT
from app.ui.labels import ElidedLabel, plain
from app.ui.theme import Theme

_ENTER = (Qt.Key.Key_Return, Qt.Key.Key_Enter)


class Chip(QWidget):
    """Shows one order; says what the person wants with it, by its id."""

    edit_begun = Signal(str)
    edit_changed = Signal(str, str)  # the words so far
    edit_ended = Signal(str, object)  # the new words, or None when left as they were
    remove_wished = Signal(str)
    promote_wished = Signal(str)
    move_wished = Signal(str, int)  # by so many places
    step_wished = Signal(str, int)  # the focus, up or down
    dragged = Signal(str, int)  # to this y of the parent
    dropped = Signal(str)

    def __init__(self, waiting: Waiting, *, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._waiting = waiting
        self._theme = theme
        self._pressed_y: int | None = None
        self._is_dragged = False
        self._editor: ChipEditor | None = None
        self._caption = plain(name="muted")
        self._words = ElidedLabel()
        self.promote = text_button("Send now")
        self.remove = IconButton("close", "Remove", size=16)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self._lay_out()
        self.promote.clicked.connect(self._on_promote)
        self.remove.clicked.connect(self._on_remove)
        self.set_theme(theme)

    def _lay_out(self) -> None:
        self._row = QHBoxLayout(self)
        self._row.setContentsMargins(OUTDENT, 3, 8, 3)
        self._row.setSpacing(8)
        self._row.addWidget(self._words, 1)
        self._row.addWidget(self._caption)
        self._row.addWidget(self.promote)
        self._row.addWidget(self.remove)

    @property
    def id(self) -> str:
        """The order's id."""
        return self._waiting.order.id

    @property
    def is_editing(self) -> bool:
        """Say whether its words are open for change."""
        return self._editor is not None

    def set_theme(self, theme: Theme) -> None:
        """Repaint in other colours."""
        self._theme = theme
        self.remove.set_theme(theme)
        self.update()

    def show_waiting(self, waiting: Waiting, *, busy: bool) -> None:
        """Show the order as it is now."""
        self._waiting = waiting
        said, fate = words(waiting), caption(waiting)
        self._words.setText(said)
        self._caption.setText(fate)
        redirects = waiting.intent is Intent.REDIRECT and waiting.state is WaitState.WAITING
        saving = waiting.state is WaitState.SAVING
        self.promote.setText("Redirect now" if busy else "Send now")
        self.promote.setVisible(not (redirects or saving or self.is_editing))
        self.setAccessibleName(f"{said}, {fate}")

    @property
    def edited_words(self) -> str | None:
        """What its words have been changed to so far; None when they are not open."""
        return None if self._editor is None else self._editor.toPlainText()

    def begin_edit(self, words: str | None = None, *, takes_focus: bool = True) -> None:
        """Open the words for change, in place; those of an edit that was left open go on."""
        if self.is_editing or self._waiting.order.kind not in (OrderKind.SEND, OrderKind.EDIT):
            return
        self._editor = ChipEditor(self._waiting.order.text if words is None else words)
        self._editor.kept.connect(self._on_kept)
        self._editor.left.connect(self.leave_edit)
        self._editor.textChanged.connect(self._on_changed)
        self._words.hide()
        self.promote.hide()
        self._row.insertWidget(0, self._editor, 1)
        self._editor.show()  # what cannot be seen cannot take the focus
        if takes_focus:
            self._editor.setFocus()
        self.edit_begun.emit(self.id)

    def leave_edit(self) -> None:
        """Close the edit and leave the words as they were."""
        self._end_edit(None)

    def _on_changed(self) -> None:
        if self._editor is not None:
            self.edit_changed.emit(self.id, self._editor.toPlainText())

    def _on_kept(self, text: str) -> None:
        self._end_edit(text if text != self._waiting.order.text else None)

    def _end_edit(self, text: str | None) -> None:
        if self._editor is None:
            return
        editor, self._editor = self._editor, None
        editor.hide()
        editor.deleteLater()
        self._words.show()
        self.setFocus()
        self.edit_ended.emit(self.id, text)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Edit, remove, promote, reorder or walk on."""
        held = event.modifiers()
        step = {Qt.Key.Key_Up: -1, Qt.Key.Key_Down: 1}.get(Qt.Key(event.key()))
        if self.is_editing:
            super().keyPressEvent(event)
        elif event.key() in _ENTER:
            control = held & Qt.KeyboardModifier.ControlModifier
            self._on_promote() if control else self.begin_edit()
        elif event.key() in (Qt.Key.Key_Delete, Qt.Key.Key_Backspace):
            self._on_remove()
        elif step and held & Qt.KeyboardModifier.AltModifier:
            self.move_wished.emit(self.id, step)
        elif step:
            self.step_wished.emit(self.id, step)
        else:
            super().keyPressEvent(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Begin a click or a drag."""
        if event.button() == Qt.MouseButton.LeftButton and not self.is_editing:
            self._pressed_y = round(event.position().y())

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Drag, once the mouse has moved far enough to mean it."""
        if self._pressed_y is None:
            return
        moved = abs(event.position().y() - self._pressed_y)
        if self._is_dragged or moved >= QApplication.startDragDistance():
            self._is_dragged = True
            self.setCursor(Qt.CursorShape.ClosedHandCursor)
            self.dragged.emit(self.id, round(self.mapToParent(event.position()).y()))

    def mouseReleaseEvent(self, _event: QMouseEvent) -> None:
        """Drop it, or edit it if it was a click."""
        pressed, self._pressed_y = self._pressed_y, None
        was_dragged, self._is_dragged = self._is_dragged, False
        self.unsetCursor()
        if was_dragged:
            self.dropped.emit(self.id)
        elif pressed is not None:
            self.begin_edit()

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw a quiet pill, ringed when it has the focus."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        width = 2.0 if self.hasFocus() else 1.0
        color = self._theme.accent if self.hasFocus() else self._theme.border
        painter.setPen(QPen(QColor(color), width))
        painter.setBrush(QColor(self._theme.panel if self._is_dragged else self._theme.background))
        inset = width / 2
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(inset, inset, -inset, -inset), 10, 10)

    def _on_promote(self) -> None:
        self.promote_wished.emit(self.id)

    def _on_remove(self) -> None:
        self.remove_wished.emit(self.id)
