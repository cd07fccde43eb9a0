"""General: how it looks, and what Enter does."""

from collections.abc import Mapping
from dataclasses import replace

from PySide6.QtWidgets import QCheckBox, QWidget

from app.core.messages import Intent
from app.core.settings import Settings, ThemeChoice
from app.ui.settings.page import ChoiceBox, Page

_THEMES = {
    "Like the system": ThemeChoice.SYSTEM,
    "Light": ThemeChoice.LIGHT,
    "Dark": ThemeChoice.DARK,
}
_SIZES = {"Small": 13, "Normal": 15, "Large": 17, "Very large": 20}
_INTENTS = {
    "Redirect: stop, answer this instead": Intent.REDIRECT,
    "Queue: send after this answer": Intent.QUEUE,
    "Steer: pass it on at the next step": Intent.STEER,
}


class GeneralPage(Page):
    """Theme, text size, Enter."""

    title = "General"

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._settings = Settings()
        self.look = _choice(_THEMES)
        self.text_size = _choice(_SIZES)
        self.intent = _choice(_INTENTS)
        self.ctrl_enter = QCheckBox("Send with Ctrl+Enter; Enter breaks the line")
        self.add_field("Theme", self.look)
        self.add_field("Text size", self.text_size)
        self.add_field("While it works, Enter means", self.intent)
        self.add(self.ctrl_enter)
        self.finish()
        for box in (self.look, self.text_size, self.intent):
            box.activated.connect(self._on_changed)
        self.ctrl_enter.clicked.connect(self._on_changed)

    def show_settings(self, settings: Settings) -> None:
        """Show what is chosen now."""
        self._settings = settings
        if self.text_size.findData(settings.base_size_px) < 0:
            self.text_size.addItem(f"{settings.base_size_px} px", settings.base_size_px)
        self.look.choose(settings.theme)
        self.text_size.choose(settings.base_size_px)
        self.intent.choose(settings.enter_intent)
        self.ctrl_enter.setChecked(settings.send_with_ctrl_enter)

    def _on_changed(self) -> None:
        changed = replace(
            self._settings,
            theme=ThemeChoice(self.look.currentData()),
            base_size_px=int(self.text_size.currentData()),
            enter_intent=Intent(self.intent.currentData()),
            send_with_ctrl_enter=self.ctrl_enter.isChecked(),
        )
        if changed != self._settings:
            self._settings = changed
            self.changed.emit(changed)


def _choice(values: Mapping[str, object]) -> ChoiceBox:
    box = ChoiceBox()
    for words, value in values.items():
        box.addItem(words, value)
    return box
