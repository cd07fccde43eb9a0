"""The first words: shown once, above an empty page, never in the way of typing."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from app.ui.buttons import push_button
from app.ui.labels import plain


def welcome_text(*, has_built_in: bool, talk_key: str | None) -> str:
    """Say what Belay is, and only what is true of this one."""
    said = [
        "Belay is an assistant you can stop or redirect at any moment: press Esc, or just type."
    ]
    if has_built_in:
        said.append("It already works, with a small model that runs only on this computer.")
    better = "choose a better model" if has_built_in else "choose a model"
    said.append(
        f"Hold {talk_key} and speak, or {better}." if talk_key else f"{better.capitalize()}."
    )
    return " ".join(said)


class Welcome(QWidget):
    """A greeting and two buttons."""

    dismissed = Signal()
    model_wished = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._text = plain(name="body")
        self._text.setWordWrap(True)
        self.start = push_button("Start", primary=True)
        self.choose = push_button("Choose a model")
        self.start.clicked.connect(self.dismissed)
        self.choose.clicked.connect(self.model_wished)
        buttons = QHBoxLayout()
        buttons.setSpacing(8)
        buttons.addWidget(self.start)
        buttons.addWidget(self.choose)
        buttons.addStretch(1)
        column = QVBoxLayout(self)
        column.setContentsMargins(16, 0, 16, 0)
        column.setSpacing(16)
        column.addStretch(2)
        column.addWidget(plain("Welcome", name="greeting"))
        column.addWidget(self._text)
        column.addLayout(buttons)
        column.addStretch(3)

    def say(self, *, has_built_in: bool, talk_key: str | None) -> None:
        """Choose the words."""
        self._text.setText(welcome_text(has_built_in=has_built_in, talk_key=talk_key))


class EmptyPage(QWidget):
    """What an empty conversation says."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        greeting = plain("Ask anything.", name="greeting")
        greeting.setAlignment(Qt.AlignmentFlag.AlignCenter)
        column = QVBoxLayout(self)
        column.addStretch(2)
        column.addWidget(greeting)
        column.addStretch(3)
