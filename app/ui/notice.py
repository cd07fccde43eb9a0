"""An inline notice: a sentence, what can be done, and the details for who wants them."""

from PySide6.QtCore import QRectF, Qt, Signal
from PySide6.QtGui import QColor, QGuiApplication, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QHBoxLayout, QPlainTextEdit, QVBoxLayout, QWidget

from app.core.errors import Problem
from app.core.wording import sentence
from app.ui.buttons import IconButton, text_button
from app.ui.column import OUTDENT
from app.ui.labels import plain
from app.ui.theme import Theme


class Notice(QWidget):
    """One problem at a time, above the composer; never in the way."""

    action_wished = Signal()

    def __init__(self, *, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._is_problem = False
        self._label = plain(name="notice")
        self._label.setWordWrap(True)
        self.action = text_button("")
        self.details = text_button("Show details", style="quiet")
        self.copy = text_button("Copy details", style="quiet")
        self.close_button = IconButton("close", "Dismiss", size=16)
        self._detail = QPlainTextEdit()
        self._lay_out()
        self.action.clicked.connect(self._on_action)
        self.details.clicked.connect(self._on_details)
        self.copy.clicked.connect(self._on_copy)
        self.close_button.clicked.connect(self.hide)
        self.set_theme(theme)
        self.hide()

    def _lay_out(self) -> None:
        self._detail.setReadOnly(True)
        self._detail.setAccessibleName("Details")
        self._detail.setMaximumHeight(120)
        row = QHBoxLayout()
        row.setSpacing(4)
        row.addWidget(self._label, 1)
        for button in (self.action, self.details, self.copy, self.close_button):
            row.addWidget(button, 0, Qt.AlignmentFlag.AlignVCenter)
        column = QVBoxLayout(self)
        column.setContentsMargins(OUTDENT, 8, 8, 8)
        column.addLayout(row)
        column.addWidget(self._detail)

    def set_theme(self, theme: Theme) -> None:
        """Repaint in other colours."""
        self._theme = theme
        self.close_button.set_theme(theme)
        self.update()

    def show_problem(self, problem: Problem, *, action: str = "") -> None:
        """Say a problem, with a button if something can be done at once."""
        self._say(sentence(problem), action=action, detail=problem.detail, is_problem=True)

    def show_sentence(self, text: str, *, action: str = "", detail: str = "") -> None:
        """Say something that is no problem, or none any more."""
        self._say(text, action=action, detail=detail, is_problem=False)

    def _say(self, text: str, *, action: str, detail: str, is_problem: bool) -> None:
        self._is_problem = is_problem
        self._label.setText(text)
        self.setAccessibleName(text)
        self.action.setText(action)
        self.action.setVisible(bool(action))
        self._detail.setPlainText(detail)
        self._detail.hide()
        self.details.setText("Show details")
        self.details.setVisible(bool(detail))
        self.copy.hide()
        self.update()
        self.show()

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw a panel; the edge of a problem has the colour of danger."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        color = self._theme.danger if self._is_problem else self._theme.border
        painter.setPen(QPen(QColor(color), 1))
        painter.setBrush(QColor(self._theme.background))
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), 10, 10)

    def _on_action(self) -> None:
        self.hide()
        self.action_wished.emit()

    def _on_details(self) -> None:
        shown = self._detail.isHidden()
        self._detail.setVisible(shown)
        self.copy.setVisible(shown)
        self.details.setText("Hide details" if shown else "Show details")

    def _on_copy(self) -> None:
        QGuiApplication.clipboard().setText(f"{self._label.text()}\n{self._detail.toPlainText()}")
