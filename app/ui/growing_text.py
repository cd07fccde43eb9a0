"""A plain text box that is as high as its text, within bounds, and survives any paste."""

from PySide6.QtCore import QMimeData, Qt, Signal
from PySide6.QtGui import QInputMethodEvent, QResizeEvent, QTextOption
from PySide6.QtWidgets import QPlainTextEdit, QWidget

LIMIT = 250_000  # characters: as much as still answers to keys when it is all one line
_LONG_LINE = 10_000  # beyond it word wrapping is quadratic: 1 MB without a space took 51 s


class GrowingText(QPlainTextEdit):
    """Plain text in, plain text out; `composing` while an input method owns the keys."""

    paste_refused = Signal(int)  # characters that were too many; the text stays as it was

    def __init__(self, *, max_lines: int, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._max_lines = max_lines
        self.composing = False
        self.setTabChangesFocus(True)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.document().setDocumentMargin(0)
        self.document().documentLayout().documentSizeChanged.connect(self.fit)

    def fit(self) -> None:
        """Take the height of the text, from one line to the most."""
        wanted = max(1, round(self.document().size().height()))  # Qt counts it in lines here
        lines = min(wanted, self._max_lines)
        policy = Qt.ScrollBarPolicy
        over = wanted > self._max_lines
        self.setVerticalScrollBarPolicy(
            policy.ScrollBarAsNeeded if over else policy.ScrollBarAlwaysOff
        )
        height = lines * self.fontMetrics().lineSpacing() + 2 * self.frameWidth() + 2
        if height != self.height():
            self.setFixedHeight(height)

    def has_words(self) -> bool:
        """Say whether there is anything but white space."""
        return bool(self.toPlainText().strip())

    def insertFromMimeData(self, source: QMimeData) -> None:
        """Paste the plain text alone, unless it is too much for one message."""
        text = source.text()
        total = len(text) + self.document().characterCount()
        if total > LIMIT:
            self.paste_refused.emit(total)
            return
        self._wrap_for(text)
        self.insertPlainText(text.replace("\0", ""))
        self.ensureCursorVisible()

    def canInsertFromMimeData(self, source: QMimeData) -> bool:
        """Take only what has words."""
        return source.hasText()

    def set_text(self, text: str, cursor: int) -> None:
        """Replace everything and put the cursor back."""
        self._wrap_for(text)
        self.setPlainText(text)
        position = self.textCursor()
        position.setPosition(max(0, min(cursor, self.document().characterCount() - 1)))
        self.setTextCursor(position)

    def inputMethodEvent(self, event: QInputMethodEvent) -> None:
        """Notice when an input method is composing."""
        self.composing = bool(event.preeditString())
        super().inputMethodEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Wrap anew."""
        super().resizeEvent(event)
        self.fit()

    def _wrap_for(self, text: str) -> None:
        longest = max((len(line) for line in text.splitlines()), default=0)
        mode = QTextOption.WrapMode
        if longest > _LONG_LINE:
            self.setWordWrapMode(mode.WrapAnywhere)
        elif self.document().isEmpty():
            self.setWordWrapMode(mode.WrapAtWordBoundaryOrAnywhere)
