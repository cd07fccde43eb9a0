"""The sidebar beside the page; where there is no room for both, it lies over the page."""

from PySide6.QtCore import QEvent, QRect, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QWidget

_PAGE_NEEDS = 420  # less, and the page has the window to itself


class SideBySide(QWidget):
    """Places a sidebar of fixed width and a page; remembers whether the sidebar is wanted."""

    side_shown = Signal(bool)

    def __init__(self, side: QWidget, page: QWidget) -> None:
        super().__init__()
        self._side = side
        self._page = page
        self._is_narrow = False
        self._wanted = True  # while there is room
        page.setParent(self)
        side.setParent(self)

    @property
    def is_side_shown(self) -> bool:
        """Say whether the sidebar can be seen."""
        return not self._side.isHidden()

    def show_side(self, *, shown: bool) -> None:
        """Show or hide the sidebar, as the person wishes."""
        if not self._is_narrow:
            self._wanted = shown
        self._show(shown=shown)

    def make_way(self) -> None:
        """Take a sidebar that lies over the page away: the person has chosen."""
        if self._is_narrow:
            self._show(shown=False)

    def arrange(self) -> None:
        """Place both anew; the sidebar's width or the direction may have changed."""
        narrow = self.width() < self._side.width() + _PAGE_NEEDS
        if narrow != self._is_narrow:
            self._is_narrow = narrow
            self._show(shown=self._wanted and not narrow)
            return
        beside = self.is_side_shown and not narrow
        taken = self._side.width() if beside else 0
        side = QRect(0, 0, self._side.width(), self.height())
        page = QRect(taken, 0, self.width() - taken, self.height())
        self._side.setGeometry(self._mirrored(side))
        self._page.setGeometry(self._mirrored(page))

    def _mirrored(self, rect: QRect) -> QRect:
        if self.layoutDirection() == Qt.LayoutDirection.RightToLeft:
            rect.moveLeft(self.width() - rect.left() - rect.width())
        return rect

    def _show(self, *, shown: bool) -> None:
        was_shown = self.is_side_shown
        self._side.setVisible(shown)
        self._side.raise_()
        self.arrange()
        if shown != was_shown:
            self.side_shown.emit(shown)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Place both anew."""
        super().resizeEvent(event)
        self.arrange()

    def changeEvent(self, event: QEvent) -> None:
        """Follow the direction of the language."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.LayoutDirectionChange:
            self.arrange()
