"""The settings at work: what is chosen now, the look it leads to, and the dialog that changes it.

The dialog is made when it is first wanted: most days nobody opens it.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from app.core.settings import Settings
from app.ui.style import Appearance

if TYPE_CHECKING:
    from app.core.models import ModelEvent
    from app.ui.settings.dialog import SettingsDialog
    from app.ui.settings.models import ModelsPage
    from app.ui.settings.page import Page

MakePage = Callable[[], "Page"]
_MODELS = "Models"


class Preferences(QObject):
    """Holds the settings for the window; every change is shown at once and told."""

    settings_changed = Signal(object)  # the new Settings, chosen by the person
    settings_shown = Signal(object)  # the Settings to follow, wherever they came from
    model_command_issued = Signal(object)  # a ModelCommand
    model_heard = Signal(object)  # a ModelEvent

    def __init__(self, window: QWidget, *, appearance: Appearance, settings: Settings) -> None:
        super().__init__(window)
        self._window = window
        self._appearance = appearance
        self._settings = settings
        self._dialog: SettingsDialog | None = None
        self._models: ModelsPage | None = None
        self._makers: list[MakePage] = []

    @property
    def settings(self) -> Settings:
        """What is chosen now."""
        return self._settings

    @property
    def dialog(self) -> "SettingsDialog":
        """The dialog, made on first use."""
        if self._dialog is None:
            self._dialog = self._make_dialog()
        return self._dialog

    def _make_dialog(self) -> "SettingsDialog":
        from app.ui.settings.dialog import SettingsDialog  # noqa: PLC0415 - not at the start
        from app.ui.settings.general import GeneralPage  # noqa: PLC0415
        from app.ui.settings.models import ModelsPage  # noqa: PLC0415

        dialog = SettingsDialog(self._window)
        dialog.show_settings(self._settings)
        self._models = ModelsPage()
        self._models.command_issued.connect(self.model_command_issued)
        for page in (GeneralPage(), self._models, *(make() for make in self._makers)):
            dialog.add(page)
        dialog.settings_changed.connect(self._on_changed)
        return dialog

    def apply(self, event: "ModelEvent") -> None:
        """Show what was found out about models and keys."""
        self.model_heard.emit(event)
        if self._models is not None:
            self._models.apply(event)

    def add_page(self, make: MakePage) -> None:
        """Add a subject, before the dialog is first opened."""
        self._makers.append(make)

    def open(self) -> None:
        """Open the dialog where it was left."""
        self.dialog.open()

    def open_models(self) -> None:
        """Open the dialog at the models."""
        self.dialog.open_at(_MODELS)

    def open_at(self, title: str) -> None:
        """Open the dialog at a page."""
        self.dialog.open_at(title)

    def show(self, settings: Settings) -> None:
        """Follow settings that came from elsewhere."""
        self._settings = settings
        self._appearance.use(settings)
        if self._dialog is not None:
            self._dialog.show_settings(settings)
        self.settings_shown.emit(settings)

    def change(self, settings: Settings) -> None:
        """Choose other settings on the person's behalf."""
        self._on_changed(settings)

    def _on_changed(self, settings: Settings) -> None:
        self.show(settings)
        self.settings_changed.emit(settings)
