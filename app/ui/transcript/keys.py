"""The keys that the transcript knows."""

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent, QKeySequence

if TYPE_CHECKING:
    from app.ui.transcript.doing import Doer
    from app.ui.transcript.view import TranscriptView

_LINE = 60
_SIDEWAYS = {Qt.Key.Key_Left: -_LINE, Qt.Key.Key_Right: _LINE}


def pressed(view: "TranscriptView", doer: "Doer", event: QKeyEvent) -> bool:
    """Do what a key stands for; False if it is not one of ours."""
    standard = QKeySequence.StandardKey
    if event.matches(standard.Copy):
        doer.copy_selection()
    elif event.matches(standard.SelectAll):
        doer.select_all()
    elif event.key() == Qt.Key.Key_Home:
        view.scroll_to_start()
    elif event.key() == Qt.Key.Key_End:
        view.scroll_to_end()
    elif (distance := _distance(view, event)) != 0:
        view.scroll_by(distance)
    elif event.key() in _SIDEWAYS and not event.modifiers():
        view.move_first_sideways(_SIDEWAYS[Qt.Key(event.key())])
    else:
        return False
    return True


def _distance(view: "TranscriptView", event: QKeyEvent) -> int:
    if event.modifiers() & (Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.AltModifier):
        return 0
    page = max(_LINE, view.viewport().height() - _LINE)
    key = Qt.Key
    is_back = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
    steps = {
        key.Key_Up: -_LINE,
        key.Key_Down: _LINE,
        key.Key_PageUp: -page,
        key.Key_PageDown: page,
        key.Key_Space: -page if is_back else page,
    }
    return steps.get(Qt.Key(event.key()), 0)
