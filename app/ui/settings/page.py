"""What a page of the settings is: a title, and a form that shows and changes `Settings`."""

from PySide6.QtCore import Signal
from PySide6.QtGui import QPaintEvent, QWheelEvent
from PySide6.QtWidgets import QComboBox, QLabel, QVBoxLayout, QWidget

from app.core.settings import Settings
from app.ui.arrows import paint_arrow
from app.ui.labels import plain


class Page(QWidget):
    """A page tells the whole new Settings at every change; there is no Apply."""

    title = ""
    changed = Signal(object)  # the new Settings

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(28, 22, 28, 22)
        self._column.setSpacing(6)
        self._column.addWidget(plain(self.title, name="pageTitle"))
        self._column.addSpacing(8)

    def show_settings(self, settings: Settings) -> None:
        """Show what is chosen now, without telling a change."""
        raise NotImplementedError

    def add_field(self, caption: str, field: QWidget) -> QLabel:
        """Add a field with its caption above it; the caption names it for the screen reader."""
        label = plain(caption)
        label.setBuddy(field)
        field.setAccessibleName(caption)
        self._column.addWidget(label)
        self._column.addWidget(field)
        self._column.addSpacing(10)
        return label

    def add(self, widget: QWidget) -> None:
        """Add anything else."""
        self._column.addWidget(widget)

    def finish(self) -> None:
        """Keep the fields at the top."""
        self._column.addStretch(1)


class ChoiceBox(QComboBox):
    """A choice of a few values; draws its own arrow, which a style sheet would take away."""

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the arrow over the box."""
        super().paintEvent(event)
        paint_arrow(self, inset=12)

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Leave the wheel to the page: scrolling past must not choose."""
        event.ignore()

    def choose(self, value: object) -> None:
        """Show a value as chosen."""
        self.setCurrentIndex(max(0, self.findData(value)))
