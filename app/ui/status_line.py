"""The line above the composer: what is going on, and what Stop did."""

from PySide6.QtCore import QPointF, Qt, Signal
from PySide6.QtGui import QColor, QPainter, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QWidget

from app.core.status_words import Line, Tone
from app.ui.buttons import text_button
from app.ui.column import OUTDENT
from app.ui.labels import ElidedLabel
from app.ui.theme import Theme


class Dot(QWidget):
    """A small disc: at work, or in trouble."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.color = QColor()
        self.setFixedSize(10, 10)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw it."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(self.color)
        painter.drawEllipse(QPointF(5, 5), 4.5, 4.5)


class StatusLine(QWidget):
    """Shows a `Line`; keeps its height when there is none, so that nothing jumps."""

    retry_wished = Signal()
    built_in_wished = Signal()
    now_wished = Signal()

    def __init__(self, *, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._line = Line()
        self._dot = Dot()
        self._label = ElidedLabel(name="status")
        self._label.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Preferred)
        self.retry = text_button("Retry")
        self.retry.clicked.connect(self.retry_wished)
        self.built_in = text_button("Use built-in")
        self.built_in.clicked.connect(self.built_in_wished)
        self.now = text_button("Now")
        self.now.clicked.connect(self.now_wished)
        row = QHBoxLayout(self)
        row.setContentsMargins(OUTDENT, 0, 6, 0)
        row.setSpacing(8)
        row.addWidget(self._dot)
        row.addWidget(self._label)
        row.addWidget(self.retry)
        row.addWidget(self.built_in)
        row.addWidget(self.now)
        row.addStretch(1)
        self.set_theme(theme)

    @property
    def text(self) -> str:
        """What it says now."""
        return self._label.text()

    def set_theme(self, theme: Theme) -> None:
        """Repaint in other colours and sizes."""
        self._theme = theme
        self.setFixedHeight(theme.px(28))
        self._show()

    def show_line(self, line: Line) -> None:
        """Say something else, if it is something else."""
        if line != self._line:
            self._line = line
            self._show()

    def _show(self) -> None:
        line = self._line
        busy = line.tone is Tone.BUSY
        self._dot.color = QColor(self._theme.accent if busy else self._theme.danger)
        self._dot.setVisible(bool(line.text) and line.tone is not Tone.QUIET)
        self._dot.update()
        self._label.setText(line.text)
        if self._label.property("tone") != line.tone.value:
            self._label.setProperty("tone", line.tone.value)
            self._label.style().unpolish(self._label)
            self._label.style().polish(self._label)
        self.retry.setVisible(line.offers_retry)
        self.built_in.setVisible(line.offers_built_in)
        self.now.setVisible(line.offers_now)
