"""One model: its address, its key, its name, and a test that says in words what is wrong."""

from dataclasses import replace
from urllib.parse import urlsplit

from PySide6.QtCore import QStringListModel, Qt, Signal
from PySide6.QtWidgets import QCompleter, QHBoxLayout, QLineEdit, QVBoxLayout, QWidget

from app.core.errors import Problem, ProblemKind
from app.core.models import EndpointChecked, KeyPlace, ModelInfo
from app.core.presets import preset_of
from app.core.settings import Endpoint, is_file
from app.core.wording import sentence
from app.ui.buttons import push_button, text_button
from app.ui.labels import plain
from app.ui.settings.key_field import KeyField
from app.ui.settings.model_words import capabilities, checked_words
from app.ui.settings.more_form import MoreForm
from app.ui.settings.page import ChoiceBox


class EndpointForm(QWidget):
    """Shows an endpoint and says how it was changed; knows no other."""

    edited = Signal(object)  # the Endpoint as it is now
    test_wished = Signal()
    models_wished = Signal()  # the model list was opened

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._endpoint = Endpoint(base_url="")
        self._models: dict[str, ModelInfo] = {}
        self.address = QLineEdit()
        self.error = plain(name="error")
        self.key = KeyField()
        self.model = ModelBox()
        self.about = plain(name="muted")
        self.test = push_button("Test")
        self.result = plain(name="muted")
        self.more_button = text_button("More settings")
        self.more = MoreForm()
        self._lay_out()
        self._connect()

    def _lay_out(self) -> None:
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 4, 0)
        column.setSpacing(4)
        self._address_caption = _captioned(column, "Address", self.address)
        column.addWidget(self.error)
        self._key_caption = _captioned(column, "Key", self.key)
        _captioned(column, "Model", self.model)
        column.addWidget(self.about)
        row = QHBoxLayout()
        row.setSpacing(10)
        row.addWidget(self.test, 0, Qt.AlignmentFlag.AlignTop)
        row.addWidget(self.result, 1)
        column.addSpacing(4)
        column.addLayout(row)
        column.addWidget(self.more_button, 0, Qt.AlignmentFlag.AlignLeft)
        column.addWidget(self.more)
        column.addStretch(1)
        self.address.setPlaceholderText("https://server.example/v1")
        for label in (self.error, self.result, self.about):
            label.setWordWrap(True)
        self.more.hide()

    def _connect(self) -> None:
        self.address.editingFinished.connect(self._on_address)
        self.model.picked.connect(self._on_model)
        self.model.opened.connect(self.models_wished)
        self.test.clicked.connect(self._on_test)
        self.more_button.clicked.connect(self._on_more)
        self.more.edited.connect(self._take)

    def show_endpoint(self, endpoint: Endpoint) -> None:
        """Show an endpoint; with another address, everything about the one before goes."""
        moved = endpoint.base_url != self._endpoint.base_url
        self._endpoint = endpoint
        if not self.address.hasFocus():
            self.address.setText(endpoint.base_url)
        self.model.show_name(endpoint.model)
        self.more.show_endpoint(endpoint)
        self.error.hide()
        if moved:
            preset = preset_of(endpoint.base_url)
            self.key.reset(has_page=preset is not None)
            self.show_models(())
            self.show_checked(None)
        for widget in (self.key, self._key_caption):
            widget.setVisible(not is_file(endpoint))
        self._show_about()

    def show_models(self, models: tuple[ModelInfo, ...]) -> None:
        """Offer the server's models."""
        self._models = {model.id: model for model in models}
        self.model.offer(tuple(self._models))
        self.model.show_name(self._endpoint.model)
        self._show_about()

    def show_note(self, problem: Problem) -> None:
        """Say why there is no list; the model's name can be typed all the same."""
        self.about.setText(sentence(problem))
        self.about.show()

    def show_key(self, place: KeyPlace) -> None:
        """Say where the key is."""
        self.key.show_place(place)

    def show_checked(self, checked: EndpointChecked | None) -> None:
        """Say how the test went; None takes the last word back."""
        self.test.setEnabled(True)
        name = "muted" if checked is None else ("error" if checked.problem else "ok")
        self.result.setText("" if checked is None else checked_words(checked))
        if self.result.objectName() != name:
            self.result.setObjectName(name)
            self.result.style().unpolish(self.result)
            self.result.style().polish(self.result)

    def _show_about(self) -> None:
        known = self._models.get(self._endpoint.model)
        self.about.setText(capabilities(known) if known else "")
        self.about.setVisible(bool(self.about.text()))

    def _on_address(self) -> None:
        address = self.address.text().strip()
        if not is_address(address):
            problem = Problem(kind=ProblemKind.BAD_ADDRESS, params={"address": address or "That"})
            self.error.setText(sentence(problem))
            self.error.show()
            return
        self.error.hide()
        if address != self._endpoint.base_url:
            preset = preset_of(address)
            strict = preset is not None and not preset.user_after_tool
            self._take(replace(self._endpoint, base_url=address, user_after_tool=not strict))

    def _on_model(self, name: str) -> None:
        known = self._models.get(name)
        window = known.context_window if known else self._endpoint.context_window
        self._take(replace(self._endpoint, model=name, context_window=window))

    def _take(self, endpoint: Endpoint) -> None:
        if endpoint != self._endpoint:
            self.show_endpoint(endpoint)
            self.edited.emit(endpoint)

    def _on_test(self) -> None:
        self.show_checked(None)
        self.test.setEnabled(False)
        self.result.setText("Asking…")
        self.test_wished.emit()

    def _on_more(self) -> None:
        self.more.setVisible(self.more.isHidden())
        self.more_button.setText("More settings" if self.more.isHidden() else "Fewer settings")


class ModelBox(ChoiceBox):
    """A model's name: typed, or found in the server's list by any part of it."""

    picked = Signal(str)
    opened = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._line = QLineEdit()
        self.setLineEdit(self._line)  # makes it editable
        self.setInsertPolicy(ChoiceBox.InsertPolicy.NoInsert)
        self._names = QStringListModel(self)
        completer = QCompleter(self._names, self)
        completer.setFilterMode(Qt.MatchFlag.MatchContains)
        completer.setCaseSensitivity(Qt.CaseSensitivity.CaseInsensitive)
        self.setCompleter(completer)
        line = self._line
        line.setPlaceholderText("The first that the server lists")
        line.editingFinished.connect(self._on_edited)
        self.activated.connect(self._on_edited)

    def offer(self, names: tuple[str, ...]) -> None:
        """Offer these names, keeping what is written."""
        written = self.currentText()
        self.clear()
        self.addItems(list(names))
        self._names.setStringList(list(names))
        self.setCurrentIndex(-1)
        self.setEditText(written)

    def show_name(self, name: str) -> None:
        """Show a name as chosen, unless the person is writing one."""
        if not self._line.hasFocus():
            self.setEditText(name)

    def showPopup(self) -> None:
        """Open the list, and have it filled if it is empty."""
        if not self.count():
            self.opened.emit()
        super().showPopup()

    def _on_edited(self) -> None:
        self.picked.emit(self.currentText().strip())


def _captioned(column: QVBoxLayout, caption: str, field: QWidget) -> QWidget:
    label = plain(caption)
    label.setBuddy(field)
    field.setAccessibleName(caption)
    column.addSpacing(4)
    column.addWidget(label)
    column.addWidget(field)
    return label


def is_address(text: str) -> bool:
    """Say whether this can be a server's address, or a model file's."""
    try:
        parts = urlsplit(text)
    except ValueError:
        return False
    if parts.scheme == "file":
        return len(parts.path) > 1
    return parts.scheme in ("http", "https") and bool(parts.hostname)
