"""An inline notice: a sentence, what can be done, and the details for who wants them."""

from dataclasses import dataclass

from PySide6.QtCore import QRectF, Qt, Signal
from PySide6.QtGui import QColor, QGuiApplication, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QHBoxLayout, QPlainTextEdit, QVBoxLayout, QWidget

from app.core.errors import Problem, ProblemKind
from app.core.wording import sentence
from app.ui.buttons import IconButton, text_button
from app.ui.column import OUTDENT
from app.ui.labels import plain
from app.ui.theme import Theme


@dataclass(frozen=True, slots=True, kw_only=True)
class _Saying:
    """One notice; what `stays` is about Belay, not about the conversation on the page."""

    text: str
    action: str
    detail: str
    is_problem: bool
    copies: bool
    stays: bool


class Notice(QWidget):
    """One problem at a time, above the composer; never in the way.

    One that stays comes back when what was said over it is dismissed.
    """

    action_wished = Signal()

    def __init__(self, *, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._is_problem = False
        self._said: list[_Saying] = []  # the last one is shown
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
        self.close_button.clicked.connect(self.dismiss)
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

    def show_problem(self, problem: Problem, *, action: str = "", stays: bool = False) -> None:
        """Say a problem, with a button if something can be done at once."""
        self._say(
            _Saying(
                text=sentence(problem),
                action=action,
                detail=problem.detail,
                is_problem=True,
                copies=problem.kind is ProblemKind.INTERNAL and bool(problem.detail),
                stays=stays,
            )
        )

    def show_sentence(
        self, text: str, *, action: str = "", detail: str = "", stays: bool = False
    ) -> None:
        """Say something that is no problem, or none any more."""
        self._say(
            _Saying(
                text=text, action=action, detail=detail, is_problem=False, copies=False, stays=stays
            )
        )

    def dismiss(self) -> None:
        """Take it away; what stayed beneath it shows again."""
        del self._said[-1:]
        self._show_last()

    def turn_page(self) -> None:
        """Keep only what is not about the conversation that was on the page."""
        self._said = [saying for saying in self._said if saying.stays]
        self._show_last()

    def _say(self, saying: _Saying) -> None:
        kept = [old for old in self._said if old.stays and old.text != saying.text]
        self._said = [*kept, saying]
        self._show_last()

    def _show_last(self) -> None:
        if not self._said:
            self.hide()
            return
        saying = self._said[-1]
        self._is_problem = saying.is_problem
        self._label.setText(saying.text)
        self.setAccessibleName(saying.text)
        self.action.setText(saying.action)
        self.action.setVisible(bool(saying.action))
        self._detail.setPlainText(saying.detail)
        self._detail.hide()
        self.details.setText("Show details")
        self.details.setVisible(bool(saying.detail))
        self.copy.setVisible(saying.copies)
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
        done = self._said[-1]
        self.action_wished.emit()  # it may have said something else by now
        self._said = [saying for saying in self._said if saying is not done]
        self._show_last()

    def _on_details(self) -> None:
        shown = self._detail.isHidden()
        self._detail.setVisible(shown)
        self.copy.setVisible(shown or self._said[-1].copies)
        self.details.setText("Hide details" if shown else "Show details")

    def _on_copy(self) -> None:
        QGuiApplication.clipboard().setText(f"{self._label.text()}\n{self._detail.toPlainText()}")
