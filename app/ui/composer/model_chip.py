"""The chip that names the model which answers here, and lets the person choose another."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QToolButton, QWidget

from app.core.choices import ordered
from app.core.ids import ConversationId
from app.core.settings import BUILT_IN, BUILT_IN_URL, Endpoint, Settings
from app.core.windows import window_of
from app.ui.model_names import server_name

if TYPE_CHECKING:
    from app.core.models import ModelInfo
    from app.ui.composer.model_picker import ModelPicker
    from app.ui.composer.model_rows import ModelRow

_WIDEST = 28  # characters


class ModelChip(QToolButton):
    """Shows the model of the visible conversation; a click opens the list."""

    endpoint_chosen = Signal(str, object)  # a conversation's id, and an Endpoint
    servers_wished = Signal()
    lists_wished = Signal(object)  # the base URLs whose models are not known yet
    changed = Signal()  # another model answers here, or more is known about it

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("modelChip")
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self._settings = Settings()
        self._conversation = ConversationId("")
        self._listed: Mapping[str, tuple[ModelInfo, ...]] = {}
        self._answering = ""
        self._unset: tuple[Endpoint, ...] = ()
        self._picker: ModelPicker | None = None
        self.clicked.connect(self.open_list)
        self._show()

    @property
    def endpoint(self) -> Endpoint:
        """The model that is asked first here; the built-in one where none is set up."""
        chosen = ordered(self._set_up, self._settings, self._conversation)
        return chosen[0] if chosen else Endpoint(base_url=BUILT_IN_URL)

    @property
    def _set_up(self) -> tuple[Endpoint, ...]:
        return self._settings.endpoints or self._unset

    @property
    def reads(self) -> int | None:
        """How much it can read; None if nobody has said."""
        endpoint = self.endpoint
        listed = {model.id: model for model in self._listed.get(endpoint.base_url, ())}
        known = listed.get(endpoint.model or self._answering)
        return window_of(endpoint, self._answering) or (known.context_window if known else None)

    @property
    def picker(self) -> "ModelPicker":
        """The list, made when it is first wanted."""
        if self._picker is None:
            from app.ui.composer.model_picker import ModelPicker  # noqa: PLC0415 - not at the start

            self._picker = ModelPicker(self)
            self._picker.picked.connect(self._on_picked)
            self._picker.setup_wished.connect(self.servers_wished)
        return self._picker

    def set_settings(self, settings: Settings) -> None:
        """Show what is set up."""
        before = self.endpoint
        self._settings = settings
        if self.endpoint != before:
            self._answering = ""  # it was another's answer
        self._show()

    def show_conversation(self, conversation_id: ConversationId) -> None:
        """Show who answers in another conversation."""
        if conversation_id != self._conversation:
            self._conversation = conversation_id
            self._answering = ""
            self._show()

    def set_unset(self, endpoints: tuple[Endpoint, ...]) -> None:
        """Say who answers where the settings name nobody."""
        self._unset = endpoints
        self._show()

    def show_answering(self, model: str) -> None:
        """Show the model that really answers, where the settings leave it open."""
        self._answering = model
        self._show()

    def show_listed(self, base_url: str, models: "tuple[ModelInfo, ...]") -> None:
        """Offer what a server has."""
        self._listed = {**self._listed, base_url: models}
        if self._picker is not None:
            self._picker.offer(self._rows())
        self.changed.emit()

    def open_list(self) -> None:
        """Open the list; what servers have is asked for meanwhile."""
        self.picker.offer(self._rows())
        self.picker.open_above(self)
        servers = {each.base_url for each in self._set_up} - self._listed.keys()
        self.lists_wished.emit(tuple(sorted(servers)))

    def _rows(self) -> "tuple[ModelRow, ...]":
        from app.ui.composer.model_rows import rows_of  # noqa: PLC0415 - with the list

        return rows_of(self._set_up, self._listed, self.endpoint)

    def _show(self) -> None:
        name = self._name()
        short = name if len(name) <= _WIDEST else f"{name[: _WIDEST - 1]}…"
        self.setText(f"{short} ▾")
        self.setAccessibleName("Model")
        self.setAccessibleDescription(name)
        self.setToolTip(f"Model: {name}")
        self.changed.emit()

    def _name(self) -> str:
        endpoint = self.endpoint
        if endpoint.base_url == BUILT_IN_URL:
            return self._answering or BUILT_IN
        return endpoint.model or self._answering or server_name(endpoint)

    def _on_picked(self, endpoint: Endpoint) -> None:
        self.endpoint_chosen.emit(self._conversation, endpoint)
