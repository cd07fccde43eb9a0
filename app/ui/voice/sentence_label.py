"""A sentence in one line where there is room for it, and in several where there is not."""

from PySide6.QtCore import QSize
from PySide6.QtWidgets import QLabel, QSizePolicy


class SentenceLabel(QLabel):
    """Qt's own label that wraps would do so even where there is room."""

    def __init__(self) -> None:
        super().__init__()
        self.setWordWrap(True)
        policy = QSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Preferred)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)

    def sizeHint(self) -> QSize:
        """Wish for one line."""
        metrics = self.fontMetrics()
        return QSize(metrics.horizontalAdvance(self.text()) + 4, metrics.lineSpacing())

    def minimumSizeHint(self) -> QSize:
        """Do with less."""
        return QSize(60, self.fontMetrics().lineSpacing())
