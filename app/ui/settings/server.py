"""Server: which model answers, where it is, and the key it wants.

The key goes out through its own signal and is never part of the settings.
"""

from dataclasses import replace
from urllib.parse import urlsplit

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QLineEdit, QWidget

from app.core.errors import Problem, ProblemKind
from app.core.settings import Endpoint, Settings
from app.core.wording import sentence
from app.ui.labels import plain
from app.ui.settings.page import Page


class ServerPage(Page):
    """Address, model and key of the server that is asked first."""

    title = "Models"
    key_entered = Signal(str, str)  # the address it belongs to, and the key

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._settings = Settings()
        self.address = QLineEdit()
        self.model = QLineEdit()
        self.key = QLineEdit()
        self.error = plain(name="error")
        self._prepare()
        self.add_field("Address", self.address)
        self.add(self.error)
        self.add_field("Model", self.model)
        self.add_field("Key", self.key)
        self._note = plain("The key is kept only until Belay closes.", name="muted")
        self.add(self._note)
        self.finish()
        self.address.editingFinished.connect(self._on_edited)
        self.model.editingFinished.connect(self._on_edited)
        self.key.editingFinished.connect(self._on_key)

    def _prepare(self) -> None:
        self.address.setPlaceholderText("https://server.example/v1")
        self.model.setPlaceholderText("The first that the server lists")
        self.key.setEchoMode(QLineEdit.EchoMode.Password)
        self.key.setPlaceholderText("Only if the server wants one")
        self.error.setWordWrap(True)
        self.error.hide()

    def show_settings(self, settings: Settings) -> None:
        """Show the server that is asked first."""
        self._settings = settings
        first = settings.endpoints[0] if settings.endpoints else Endpoint(base_url="")
        if not self.address.hasFocus():
            self.address.setText(first.base_url)
        if not self.model.hasFocus():
            self.model.setText(first.model)

    def _on_edited(self) -> None:
        address = self.address.text().strip()
        wrong = bool(address) and not is_address(address)
        self.error.setVisible(wrong)
        if wrong:
            problem = Problem(kind=ProblemKind.BAD_ADDRESS, params={"address": address})
            self.error.setText(sentence(problem))
            return
        changed = with_first(self._settings, address, self.model.text().strip())
        if changed != self._settings:
            self._settings = changed
            self.changed.emit(changed)

    def _on_key(self) -> None:
        address, key = self.address.text().strip(), self.key.text().strip()
        if key and is_address(address):
            self.key.clear()
            self.key.setPlaceholderText("In use until Belay closes")
            self.key_entered.emit(address, key)


def is_address(text: str) -> bool:
    """Say whether this can be a server's address."""
    try:
        parts = urlsplit(text)
    except ValueError:
        return False
    return parts.scheme in ("http", "https") and bool(parts.hostname)


def with_first(settings: Settings, address: str, model: str) -> Settings:
    """Change the endpoint that is asked first; an empty address takes it away."""
    rest = settings.endpoints[1:]
    if not address:
        return replace(settings, endpoints=rest)
    known = settings.endpoints[0] if settings.endpoints else Endpoint(base_url=address)
    first = replace(known, base_url=address, model=model)
    return replace(settings, endpoints=(first, *rest))
