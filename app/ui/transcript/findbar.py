"""The bar for finding in the conversation: a line to type in, how many hits, next and previous."""

from PySide6.QtCore import QEvent, QObject, QRect, QRectF, Qt, Signal
from PySide6.QtGui import QKeyEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QHBoxLayout, QLabel, QLineEdit, QToolButton, QWidget

from app.ui.transcript.look import Look, Tone


class FindBar(QWidget):
    """Says what is sought and where to go; finds nothing itself."""

    sought = Signal(str)
    stepped = Signal(bool)  # forward or not
    left = Signal()

    def __init__(self, parent: QWidget, look: Look) -> None:
        super().__init__(parent)
        self._look = look
        self.box = QLineEdit(self)
        self.box.setPlaceholderText("Find in conversation")
        self.box.setAccessibleName("Find in conversation")
        self.box.setFrame(False)
        self.box.setStyleSheet("background: transparent; border: none;")
        self._count = QLabel(self)
        self._count.setTextFormat(Qt.TextFormat.PlainText)
        self._earlier = self._button("‹", "Previous hit")
        self._later = self._button("›", "Next hit")
        self._close = self._button("×", "Close find")
        self._lay_out()
        self.box.installEventFilter(self)
        self.box.textChanged.connect(self.sought)
        self._earlier.clicked.connect(self._on_earlier)
        self._later.clicked.connect(self._on_later)
        self._close.clicked.connect(self.left)
        self.set_look(look)
        self.hide()

    def set_look(self, look: Look) -> None:
        """Take another look."""
        self._look = look
        font = look.voice(Tone.CAPTION).font
        for widget in (self.box, self._count, self._earlier, self._later, self._close):
            widget.setFont(font)
        self._count.setStyleSheet(f"color: {look.theme.muted}; background: transparent;")
        self.update()

    def open(self, window: QRect) -> None:
        """Show it and take the focus, with what was sought before selected."""
        self.stand_in(window)
        self.show()
        self.raise_()
        self.box.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.box.selectAll()

    def stand_in(self, window: QRect) -> None:
        """Stand in the upper right corner."""
        width = min(self._look.px(360), window.width() - 24)
        height = self._look.px(42)
        self.setGeometry(window.right() - width - 12, window.top() + 10, width, height)

    def show_count(self, place: int, count: int, *, is_done: bool) -> None:
        """Say how many hits there are and which is shown."""
        more = "" if is_done else "+"
        words = "" if not self.box.text() else f"{place}/{count}{more}"
        if is_done and self.box.text() and not count:
            words = "None"
        self._count.setText(words)
        self._count.setAccessibleName(f"{count} hits" if words else "")

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Step with Enter, leave with Esc."""
        if watched is self.box and isinstance(event, QKeyEvent):
            is_escape = event.key() == Qt.Key.Key_Escape
            if event.type() == QEvent.Type.ShortcutOverride and is_escape:
                event.accept()
                return True
            if event.type() == QEvent.Type.KeyPress:
                return self._key(event)
        return super().eventFilter(watched, event)

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: ARG002
        """Paint the ground."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        has_focus = self.box.hasFocus()
        edge = self._look.colour("accent" if has_focus else "border")
        painter.setPen(QPen(edge, 1.5 if has_focus else 1))
        painter.setBrush(self._look.colour("raised"))
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(1, 1, -1, -1), 10, 10)
        painter.end()

    def _key(self, event: QKeyEvent) -> bool:
        if event.key() == Qt.Key.Key_Escape:
            self.left.emit()
            return True
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            back = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
            self.stepped.emit(not back)
            return True
        return False

    def _on_earlier(self) -> None:
        self.stepped.emit(False)  # noqa: FBT003

    def _on_later(self) -> None:
        self.stepped.emit(True)  # noqa: FBT003

    def _button(self, text: str, name: str) -> QToolButton:
        button = QToolButton(self)
        button.setText(text)
        button.setAccessibleName(name)
        button.setAutoRaise(True)
        button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        return button

    def _lay_out(self) -> None:
        line = QHBoxLayout(self)
        line.setContentsMargins(12, 4, 6, 4)
        line.setSpacing(2)
        line.addWidget(self.box, 1)
        for widget in (self._count, self._earlier, self._later, self._close):
            line.addWidget(widget)
