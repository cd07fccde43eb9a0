"""What can be set for one model beyond its name; everything empty is left to the server."""

from collections.abc import Callable
from dataclasses import replace
from typing import TypeVar

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QGridLayout, QLineEdit, QPlainTextEdit, QVBoxLayout, QWidget

from app.core.presets import EFFORTS
from app.core.settings import Endpoint
from app.ui.labels import plain
from app.ui.settings.page import ChoiceBox

T = TypeVar("T")
_LEFT = "The server decides"


class MoreForm(QWidget):
    """Temperature, lengths, effort, instructions; a number that cannot be is marked, not taken."""

    edited = Signal(object)  # the Endpoint as it is now

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._endpoint = Endpoint(base_url="")
        self.temperature = _line("0 to 2")
        self.max_tokens = _line("tokens")
        self.context = _line("tokens")
        self.effort = ChoiceBox()
        self.effort.addItem(_LEFT, "")
        for effort in EFFORTS:
            self.effort.addItem(effort.capitalize(), effort)
        self.prompt = _Prompt()
        self._lay_out()
        for line in (self.temperature, self.max_tokens, self.context):
            line.editingFinished.connect(self._on_edited)
        self.effort.activated.connect(self._on_edited)
        self.prompt.left.connect(self._on_edited)

    def _lay_out(self) -> None:
        grid = QGridLayout()
        grid.setHorizontalSpacing(14)
        grid.setVerticalSpacing(2)
        fields: tuple[tuple[str, QWidget], ...] = (
            ("Temperature", self.temperature),
            ("Longest answer", self.max_tokens),
            ("Can read", self.context),
            ("Reasoning effort", self.effort),
        )
        for index, (caption, field) in enumerate(fields):
            label = plain(caption)
            label.setBuddy(field)
            field.setAccessibleName(caption)
            grid.addWidget(label, index // 2 * 2, index % 2)
            grid.addWidget(field, index // 2 * 2 + 1, index % 2)
        grid.setColumnStretch(0, 1)
        grid.setColumnStretch(1, 1)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 4, 0, 0)
        column.setSpacing(4)
        column.addLayout(grid)
        column.addWidget(plain("Instructions for this model"))
        column.addWidget(self.prompt)

    def show_endpoint(self, endpoint: Endpoint) -> None:
        """Show what is set."""
        self._endpoint = endpoint
        for line, value in (
            (self.temperature, endpoint.temperature),
            (self.max_tokens, endpoint.max_tokens),
            (self.context, endpoint.context_window),
        ):
            if not line.hasFocus():
                line.setText("" if value is None else f"{value:g}" if value < 1e6 else str(value))
        self.effort.choose(endpoint.reasoning_effort)
        if not self.prompt.hasFocus():
            self.prompt.setPlainText(endpoint.system_prompt)

    def _on_edited(self) -> None:
        changed = replace(
            self._endpoint,
            temperature=_read(self.temperature, _temperature, self._endpoint.temperature),
            max_tokens=_read(self.max_tokens, _count, self._endpoint.max_tokens),
            context_window=_read(self.context, _count, self._endpoint.context_window),
            reasoning_effort=str(self.effort.currentData()),
            system_prompt=self.prompt.toPlainText().strip(),
        )
        if changed != self._endpoint:
            self._endpoint = changed
            self.edited.emit(changed)


class _Prompt(QPlainTextEdit):
    left = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("prompt")
        self.setAccessibleName("Instructions for this model")
        self.setPlaceholderText("None of its own")
        self.setTabChangesFocus(True)
        self.setFixedHeight(72)

    def focusOutEvent(self, event: object) -> None:
        """Say that the person has finished."""
        super().focusOutEvent(event)  # type: ignore[arg-type]
        self.left.emit()


def _line(unit: str) -> QLineEdit:
    line = QLineEdit()
    line.setPlaceholderText(f"{_LEFT} ({unit})")
    return line


def _read(line: QLineEdit, parse: Callable[[str], T], before: T | None) -> T | None:
    """Read a field; what is no such number is put back as it was."""
    text = line.text().strip().replace(",", ".")
    if not text:
        return None
    try:
        return parse(text)
    except ValueError:
        line.setText("" if before is None else str(before))
        return before


def _temperature(text: str) -> float:
    value = float(text)
    if not 0 <= value <= 2:
        raise ValueError(text)
    return value


def _count(text: str) -> int:
    thousands = text.lower().endswith("k")
    value = int(float(text.rstrip("kK")) * (1024 if thousands else 1))
    if not 0 < value < 10**9:
        raise ValueError(text)
    return value
