"""The key of a server: typed once, never shown, and said where it is kept.

The key leaves through a signal and is not held here.
"""

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QVBoxLayout, QWidget

from app.core.models import KeyPlace
from app.ui.buttons import text_button
from app.ui.labels import plain
from app.ui.settings.model_words import FILE_WARNING, key_words


class KeyField(QWidget):
    """One line for the key, and one that says where it is."""

    entered = Signal(str)
    forget_wished = Signal()
    file_agreed = Signal()
    page_wished = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._place = KeyPlace.NOWHERE
        self.line = QLineEdit()
        self.line.setEchoMode(QLineEdit.EchoMode.Password)
        self.line.setAccessibleName("Key")
        self.get = text_button("Get a key")
        self.words = plain(name="muted")
        self.words.setWordWrap(True)
        self.forget = text_button("Forget it")
        self.file = text_button("Keep it in a file…")
        self.agree = text_button("Keep it there")
        self._lay_out()
        self.setFocusProxy(self.line)
        self.line.editingFinished.connect(self._on_entered)
        self.get.clicked.connect(self.page_wished)
        self.forget.clicked.connect(self.forget_wished)
        self.file.clicked.connect(self._on_file)
        self.agree.clicked.connect(self.file_agreed)
        self.show_place(KeyPlace.NOWHERE)

    def _lay_out(self) -> None:
        top = QHBoxLayout()
        top.setSpacing(6)
        top.addWidget(self.line, 1)
        top.addWidget(self.get)
        below = QHBoxLayout()
        below.setSpacing(4)
        below.addWidget(self.words, 1)
        for button in (self.forget, self.file, self.agree):
            below.addWidget(button, 0, Qt.AlignmentFlag.AlignTop)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(2)
        column.addLayout(top)
        column.addLayout(below)

    def reset(self, *, has_page: bool) -> None:
        """Begin with another address: what was typed for the one before is not for it."""
        self.line.clear()
        self.get.setVisible(has_page)
        self.show_place(KeyPlace.NOWHERE)

    def show_place(self, place: KeyPlace) -> None:
        """Say where the key is."""
        self._place = place
        has_key = place is not KeyPlace.NOWHERE
        self.words.setText(key_words(place))
        self.words.setVisible(has_key)
        self.line.setPlaceholderText("Enter another" if has_key else "Only if the server wants one")
        self.forget.setVisible(has_key and place is not KeyPlace.ENVIRONMENT)
        self.file.setVisible(place is KeyPlace.SESSION)
        self.agree.hide()

    def _on_file(self) -> None:
        self.words.setText(FILE_WARNING)
        self.file.hide()
        self.forget.hide()
        self.agree.show()
        self.agree.setFocus()

    def _on_entered(self) -> None:
        key = self.line.text().strip()
        if key:
            self.line.clear()
            self.entered.emit(key)
