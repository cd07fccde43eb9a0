"""The chip that names the model which answers, and lets the person choose another."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu, QToolButton, QWidget

from app.core.settings import Endpoint, Settings
from app.ui.settings.model_words import model_name, server_name

_WIDEST = 28  # characters


class ModelChip(QToolButton):
    """Shows the first endpoint's model; a choice puts another endpoint first."""

    endpoint_chosen = Signal(object)  # an Endpoint
    servers_wished = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("modelChip")
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self._endpoints: tuple[Endpoint, ...] = ()
        self._answering = ""
        self._unset = ""
        self._menu = QMenu(self)
        self._menu.triggered.connect(self._on_triggered)
        self.setMenu(self._menu)
        self._show()

    def set_settings(self, settings: Settings) -> None:
        """Show what is set up."""
        if settings.endpoints[:1] != self._endpoints[:1]:
            self._answering = ""  # it was another's answer
        self._endpoints = settings.endpoints
        self._fill()
        self._show()

    def set_unset(self, name: str) -> None:
        """Say who answers where the settings name nobody."""
        self._unset = name
        self._fill()
        self._show()

    def show_answering(self, model: str) -> None:
        """Show the model that really answers, where the settings leave it open."""
        self._answering = model
        self._show()

    def _show(self) -> None:
        name = self._answering or self._unset or "Model"
        if self._endpoints:
            first = self._endpoints[0]
            name = first.model or self._answering or server_name(first)
        short = name if len(name) <= _WIDEST else f"{name[: _WIDEST - 1]}…"
        self.setText(f"{short} ▾")
        self.setAccessibleName("Model")
        self.setAccessibleDescription(name)
        self.setToolTip(f"Model: {name}" if name != "Model" else "Choose a model")

    def _fill(self) -> None:
        self._menu.clear()
        for endpoint in self._endpoints:
            action = self._menu.addAction(f"{model_name(endpoint)} · {server_name(endpoint)}")
            action.setToolTip(endpoint.base_url)
            action.setData(endpoint)
            action.setCheckable(True)
            action.setChecked(endpoint == self._endpoints[0])
        if self._endpoints:
            self._menu.addSeparator()
        self._menu.addAction("Set up models…")

    def _on_triggered(self, action: QAction) -> None:
        endpoint = action.data()
        if isinstance(endpoint, Endpoint):
            self.endpoint_chosen.emit(endpoint)
        else:
            self.servers_wished.emit()
