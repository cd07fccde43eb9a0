"""The Message box: the text the person writes, and the keys that mean more than a letter."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QFocusEvent, QKeyEvent
from PySide6.QtWidgets import QWidget

from app.ui.composer.chords import Chord
from app.ui.growing_text import GrowingText

_ENTER = (Qt.Key.Key_Return, Qt.Key.Key_Enter)
_MAX_LINES = 8
_BY_TAB = (Qt.FocusReason.TabFocusReason, Qt.FocusReason.BacktabFocusReason)


class MessageBox(GrowingText):
    """Tells which chord came with Enter; the composer decides what it means."""

    enter_pressed = Signal(object)  # a Chord
    up_pressed = Signal()  # ↑ with nowhere to go in the text
    down_pressed = Signal()
    ringed = Signal(bool)  # the keyboard brought the focus here; the first key ends it

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(max_lines=_MAX_LINES, parent=parent)
        self.setAccessibleName("Message")

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Ask for the ring when Tab led here; otherwise the cursor says it."""
        super().focusInEvent(event)
        self.ringed.emit(event.reason() in _BY_TAB)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """End the ring."""
        super().focusOutEvent(event)
        self.ringed.emit(False)  # noqa: FBT003 - a signal has no names

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Take Enter and the arrows at the edge of the text; leave the rest to Qt."""
        self.ringed.emit(False)  # noqa: FBT003 - a signal has no names
        if self.composing:
            event.accept()  # Enter and Esc belong to the input method
        elif event.key() in _ENTER:
            self._enter(event)
        elif event.key() == Qt.Key.Key_Up and not event.modifiers() & _MEANT and self._at_edge(-1):
            self.up_pressed.emit()
        elif event.key() == Qt.Key.Key_Down and not event.modifiers() & _MEANT and self._at_edge(1):
            self.down_pressed.emit()
        else:
            super().keyPressEvent(event)

    def _enter(self, event: QKeyEvent) -> None:
        event.accept()
        held = event.modifiers()
        modifier = Qt.KeyboardModifier
        chord = Chord(
            control=bool(held & modifier.ControlModifier),
            shift=bool(held & modifier.ShiftModifier),
            alt=bool(held & modifier.AltModifier),
        )
        if not event.isAutoRepeat():  # a key held too long must not send twice
            self.enter_pressed.emit(chord)

    def _at_edge(self, direction: int) -> bool:
        cursor = self.textCursor()
        where = cursor.MoveOperation.Up if direction < 0 else cursor.MoveOperation.Down
        return not cursor.movePosition(where)


_MEANT = (
    Qt.KeyboardModifier.ShiftModifier
    | Qt.KeyboardModifier.ControlModifier
    | Qt.KeyboardModifier.AltModifier
    | Qt.KeyboardModifier.MetaModifier
)
