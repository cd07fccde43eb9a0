"""Models: who is asked, in which order, where they are and what they want.

With nothing set up the built-in model answers. Servers on this machine are looked for when the
page is first shown and offered; keys go their own way and never become settings.
"""

from dataclasses import replace
from pathlib import Path
from typing import assert_never

from PySide6.QtCore import QUrl, Signal
from PySide6.QtGui import QDesktopServices, QShowEvent
from PySide6.QtWidgets import QFileDialog, QFrame, QScrollArea, QWidget

from app.core.models import (
    CheckEndpoint,
    CheckFile,
    EndpointChecked,
    FileChecked,
    FindServers,
    ForgetKey,
    KeepKey,
    KeepKeyInFile,
    KeyLocated,
    ListModels,
    LocateKey,
    ModelEvent,
    ModelsListed,
    ServersFound,
)
from app.core.presets import preset_of
from app.core.settings import Endpoint, Settings, is_file
from app.core.wording import sentence
from app.ui.labels import plain
from app.ui.settings.add_menu import AddMenu
from app.ui.settings.endpoint_form import EndpointForm, is_address
from app.ui.settings.endpoint_list import EndpointList
from app.ui.settings.found_servers import FoundServers
from app.ui.settings.page import Page

_NOTHING = "Nothing is set up: the built-in model answers. It is small and often wrong."
_NEW = Endpoint(base_url="http://")


class ModelsPage(Page):
    """The list, the chosen model's form, and what was found on this machine."""

    title = "Models"
    command_issued = Signal(object)  # a ModelCommand

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._settings = Settings()
        self._endpoints: tuple[Endpoint, ...] = ()  # with one that has no address yet
        self.nothing = plain(_NOTHING, name="muted")
        self.list = EndpointList()
        self.menu = AddMenu(self)
        self.found = FoundServers()
        self.problem = plain(name="error")
        self.form = EndpointForm()
        self._lay_out()
        self._connect()
        self._connect_form()

    def _lay_out(self) -> None:
        self.list.add.setMenu(self.menu)
        for label in (self.nothing, self.problem):
            label.setWordWrap(True)
        self.problem.hide()
        scroll = QScrollArea()
        scroll.setWidgetResizable(True)
        scroll.setFrameShape(QFrame.Shape.NoFrame)
        scroll.setWidget(self.form)
        self.form.setObjectName("page")
        self._scroll = scroll
        for widget in (self.nothing, self.list, self.found, self.problem):
            self.add(widget)
        self._column.addWidget(scroll, 1)
        self._column.addStretch(0)

    def _connect(self) -> None:
        self.list.changed.connect(self._on_order)
        self.list.chosen.connect(self._on_chosen)
        self.menu.preset_chosen.connect(self._on_endpoint_wished)
        self.menu.address_wished.connect(self._on_address_wished)
        self.menu.file_wished.connect(self._on_file_wished)
        self.found.chosen.connect(self._on_endpoint_wished)

    def _connect_form(self) -> None:
        self.form.edited.connect(self._on_edited)
        self.form.test_wished.connect(self._on_test)
        self.form.models_wished.connect(self._ask_for_models)
        self.form.key.entered.connect(self._on_key)
        self.form.key.forget_wished.connect(self._on_forget)
        self.form.key.file_agreed.connect(self._on_file_agreed)
        self.form.key.page_wished.connect(self._on_key_page)

    @property
    def _endpoint(self) -> Endpoint | None:
        row = self.list.row
        return self._endpoints[row] if 0 <= row < len(self._endpoints) else None

    def show_settings(self, settings: Settings) -> None:
        """Show what is set up."""
        self._settings = settings
        unfinished = tuple(e for e in self._endpoints if not is_address(e.base_url))
        self._endpoints = (*settings.endpoints, *unfinished)
        self.list.show_endpoints(self._endpoints)
        self._show_chosen()

    def showEvent(self, event: QShowEvent) -> None:
        """Look round when the page is opened."""
        super().showEvent(event)
        self.command_issued.emit(FindServers())
        self._ask_about(self._endpoint)

    def apply(self, event: ModelEvent) -> None:
        """Show what was found out, if it is still about what is shown."""
        here = self._endpoint.base_url if self._endpoint else ""
        match event:
            case ServersFound(servers=servers):
                self.found.show_servers(servers, self._endpoints)
            case ModelsListed(base_url=base_url) if base_url == here:
                self.form.show_models(event.models)
                if event.problem is not None:
                    self.form.show_note(event.problem)
            case KeyLocated(base_url=base_url, place=place) if base_url == here:
                self.form.show_key(place)
            case EndpointChecked(endpoint=endpoint):
                if endpoint == self._endpoint:
                    self.form.show_checked(event)
            case FileChecked():
                self._on_file_checked(event)
            case ModelsListed() | KeyLocated():
                return
            case _:
                assert_never(event)

    def _show_chosen(self) -> None:
        endpoint = self._endpoint
        self.nothing.setVisible(endpoint is None)
        self._scroll.setVisible(endpoint is not None)
        self.found.show_for(self._endpoints)
        if endpoint is not None:
            self.form.show_endpoint(endpoint)

    def _ask_about(self, endpoint: Endpoint | None) -> None:
        if endpoint is None or is_file(endpoint) or not self.isVisible():
            return
        if not is_address(endpoint.base_url):
            return
        self.command_issued.emit(LocateKey(base_url=endpoint.base_url))
        self.command_issued.emit(ListModels(base_url=endpoint.base_url))

    def _ask_for_models(self) -> None:
        self._ask_about(self._endpoint)

    def _on_chosen(self, _row: int) -> None:
        self.problem.hide()
        self._show_chosen()
        self._ask_about(self._endpoint)

    def _on_order(self, endpoints: tuple[Endpoint, ...]) -> None:
        self._change(endpoints)
        self._show_chosen()

    def _on_endpoint_wished(self, endpoint: Endpoint) -> None:
        at = len(self._settings.endpoints)
        self._change((*self._endpoints[:at], endpoint, *self._endpoints[at:]))
        self.list.show_endpoints(self._endpoints, row=at)
        self._on_chosen(self.list.row)
        (self.form.key if preset_of(endpoint.base_url) else self.form.address).setFocus()

    def _on_address_wished(self) -> None:
        self._on_endpoint_wished(_NEW)
        self.form.address.selectAll()

    def _on_edited(self, endpoint: Endpoint) -> None:
        before, row = self._endpoint, self.list.row
        endpoints = tuple(
            endpoint if index == row else each for index, each in enumerate(self._endpoints)
        )
        self._change(endpoints)
        self.list.show_endpoints(self._endpoints)
        if before is None or before.base_url != endpoint.base_url:
            self._ask_about(endpoint)

    def _change(self, endpoints: tuple[Endpoint, ...]) -> None:
        self._endpoints = endpoints
        usable = tuple(each for each in endpoints if is_address(each.base_url))
        if usable != self._settings.endpoints:
            self._settings = replace(self._settings, endpoints=usable)
            self.changed.emit(self._settings)

    def _on_test(self) -> None:
        if self._endpoint is not None:
            self.command_issued.emit(CheckEndpoint(endpoint=self._endpoint))

    def _on_key(self, key: str) -> None:
        if self._endpoint is not None:
            self.command_issued.emit(KeepKey(base_url=self._endpoint.base_url, key=key))
            self.command_issued.emit(ListModels(base_url=self._endpoint.base_url))

    def _on_forget(self) -> None:
        if self._endpoint is not None:
            self.command_issued.emit(ForgetKey(base_url=self._endpoint.base_url))

    def _on_file_agreed(self) -> None:
        if self._endpoint is not None:
            self.command_issued.emit(KeepKeyInFile(base_url=self._endpoint.base_url))

    def _on_key_page(self) -> None:
        preset = preset_of(self._endpoint.base_url) if self._endpoint else None
        if preset is not None:
            QDesktopServices.openUrl(QUrl(preset.key_page))

    def _on_file_wished(self) -> None:
        dialog = QFileDialog(self, "Choose a model file", "", "Models (*.gguf)")
        dialog.fileSelected.connect(self._on_file_selected)
        dialog.open()

    def _on_file_selected(self, path: str) -> None:
        self.command_issued.emit(CheckFile(path=path))

    def _on_file_checked(self, checked: FileChecked) -> None:
        self.problem.setVisible(checked.problem is not None)
        if checked.problem is not None:
            self.problem.setText(sentence(checked.problem))
            return
        address = Path(checked.path).resolve().as_uri()
        self._on_endpoint_wished(Endpoint(base_url=address, model=checked.name))
