""" "Stopped. 2 messages held.": what to do with orders that wait for the person's word."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QWidget

from app.ui.buttons import text_button
from app.ui.chips.captions import held_sentence
from app.ui.column import OUTDENT
from app.ui.conversation_state import ConversationState
from app.ui.labels import plain


class HeldBar(QWidget):
    """Counts what is held; offers to send or to discard all of it."""

    send_wished = Signal()
    discard_wished = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._label = plain(name="muted")
        self.send = text_button("Send them")
        self.discard = text_button("Discard", style="quiet")
        row = QHBoxLayout(self)
        row.setContentsMargins(OUTDENT, 0, 6, 0)
        row.setSpacing(4)
        row.addWidget(self._label)
        row.addSpacing(4)
        row.addWidget(self.send)
        row.addWidget(self.discard)
        row.addStretch(1)
        self.send.clicked.connect(self.send_wished)
        self.discard.clicked.connect(self.discard_wished)
        self.hide()

    def show_state(self, state: ConversationState) -> None:
        """Show the bar while something is held."""
        held = len(state.held)
        self._label.setText(
            held_sentence(
                held,
                was_stopped=state.was_stopped and not state.is_busy,
                has_failed=state.problem is not None and not state.is_busy,
            )
        )
        self.setVisible(held > 0)
