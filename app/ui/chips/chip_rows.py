"""The rows of chips: as high as they are, up to a point; beyond it they scroll."""

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtWidgets import QFrame, QScrollArea, QVBoxLayout, QWidget

_MOST = 196  # px: five chips


class ChipRows(QScrollArea):
    """Keeps chips in order without ever pushing the composer out of the window."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setWidgetResizable(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.viewport().setAutoFillBackground(False)
        self.holder = QWidget()
        self.holder.setAutoFillBackground(False)
        self._rows = QVBoxLayout(self.holder)
        self._rows.setContentsMargins(0, 0, 0, 0)
        self._rows.setSpacing(4)
        self.setWidget(self.holder)
        self.holder.installEventFilter(self)
        self._fit()

    def place(self, chips: list[QWidget]) -> None:
        """Put these chips one below the other."""
        for place, chip in enumerate(chips):
            self._rows.removeWidget(chip)
            self._rows.insertWidget(place, chip)
        self._fit()

    def take(self, chip: QWidget) -> None:
        """Let a chip go."""
        self._rows.removeWidget(chip)
        self._fit()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Grow with a chip that is edited."""
        if event.type() == QEvent.Type.LayoutRequest:
            self._fit()
        return super().eventFilter(watched, event)

    def _fit(self) -> None:
        wanted = self._rows.sizeHint().height() if self._rows.count() else 0
        self.setFixedHeight(min(wanted, _MOST))
        self.setVisible(wanted > 0)
