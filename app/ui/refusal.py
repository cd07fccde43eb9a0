"""The one window of a Belay that cannot start: why, and nothing else to do."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QDialog, QHBoxLayout, QVBoxLayout, QWidget

from app.ui.buttons import push_button
from app.ui.labels import plain


class RefusalDialog(QDialog):
    """Says a sentence; Close, Enter and Esc end it."""

    dismissed = Signal()

    def __init__(self, sentence: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle("Belay cannot start")
        text = plain(sentence, name="body")
        text.setWordWrap(True)
        close = push_button("Close", primary=True)
        close.setDefault(True)
        close.clicked.connect(self.accept)
        self.finished.connect(self.dismissed)
        foot = QHBoxLayout()
        foot.addStretch(1)
        foot.addWidget(close)
        column = QVBoxLayout(self)
        column.setContentsMargins(24, 22, 24, 18)
        column.setSpacing(10)
        column.addWidget(plain("Belay cannot start", name="heading"))
        column.addWidget(text)
        column.addSpacing(6)
        column.addLayout(foot)
        self.setMinimumWidth(420)
