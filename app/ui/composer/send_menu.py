"""The small "Send ▾" beside Stop: what is written can still go out, in one of three ways."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QAction, QPaintEvent
from PySide6.QtWidgets import QMenu, QToolButton, QWidget

from app.core.messages import Intent
from app.ui.arrows import paint_arrow

_WORDS = {
    Intent.REDIRECT: "Redirect: stop, answer this instead",
    Intent.QUEUE: "Queue: send after this answer",
    Intent.STEER: "Steer: pass it on at the next step",
}
_KEYS = {
    Intent.REDIRECT: "Ctrl+Return",
    Intent.QUEUE: "Ctrl+Shift+Return",
    Intent.STEER: "Ctrl+Alt+Return",
}


class SendMenu(QToolButton):
    """A click sends as Enter would; the arrow lets the person choose."""

    send_pressed = Signal()
    intent_chosen = Signal(object)  # an Intent

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("sendMenu")
        self.setText("Send")
        self.setAccessibleName("Send while it works")
        self.setToolTip("Send as Enter would; the arrow shows the other ways")
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setPopupMode(QToolButton.ToolButtonPopupMode.MenuButtonPopup)
        self._actions: dict[Intent, QAction] = {}
        self.setMenu(self._make_menu())
        self.clicked.connect(self.send_pressed)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the arrow over the button."""
        super().paintEvent(event)
        paint_arrow(self, inset=8)

    def offer(self, *, steering: bool) -> None:
        """Offer steering only to a turn that has steps."""
        self._actions[Intent.STEER].setVisible(steering)

    def _make_menu(self) -> QMenu:
        menu = QMenu(self)
        for intent, words in _WORDS.items():
            action = menu.addAction(words)
            # Shown, not bound: the Message box knows its chords, and two owners are ambiguous.
            action.setShortcut(_KEYS[intent])
            action.setShortcutContext(Qt.ShortcutContext.WidgetShortcut)
            action.setShortcutVisibleInContextMenu(True)
            action.setData(intent)
            self._actions[intent] = action
        menu.triggered.connect(self._on_triggered)
        return menu

    def _on_triggered(self, action: QAction) -> None:
        self.intent_chosen.emit(Intent(action.data()))  # Qt hands back a plain string
