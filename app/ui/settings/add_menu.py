"""What can be added: a provider, any other address, or a model file."""

from PySide6.QtCore import Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu, QWidget

from app.core.presets import PRESETS, Preset


class AddMenu(QMenu):
    """Says what the person wants to add."""

    preset_chosen = Signal(object)  # the Endpoint to begin with
    address_wished = Signal()
    file_wished = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        for preset in PRESETS:
            self.addAction(preset.name).setData(preset)
        self.addSeparator()
        self.address = self.addAction("Another address…")
        self.file = self.addAction("A model file (GGUF)…")
        self.triggered.connect(self._on_triggered)

    def _on_triggered(self, action: QAction) -> None:
        preset = action.data()
        if isinstance(preset, Preset):
            self.preset_chosen.emit(preset.endpoint())
        elif action is self.address:
            self.address_wished.emit()
        else:
            self.file_wished.emit()
