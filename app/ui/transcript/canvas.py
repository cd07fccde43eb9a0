"""The scroll area that shows a page: places rows, paints them, scrolls by anchors.

GUI thread only. While an answer is written, what only moved is moved on the screen and only the
rows that changed are painted.
"""

from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QResizeEvent, QShowEvent, QWheelEvent
from PySide6.QtWidgets import QAbstractScrollArea, QFrame, QWidget

from app.ui.theme import Theme
from app.ui.transcript.marks import Marks
from app.ui.transcript.page import Page, Seen
from app.ui.transcript.painting import paint_page
from app.ui.transcript.selection import Selection

_NOTCH = 60  # pixels for a notch of the wheel


class Canvas(QAbstractScrollArea):
    """Shows a page; subclasses say what is marked, and what happens once rows are placed."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.viewport().setFocusProxy(self)
        self.viewport().setMouseTracking(True)
        self.viewport().setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self.page = Page(theme)
        self.seen: list[Seen] = []
        self._is_syncing = False
        self.verticalScrollBar().sliderReleased.connect(self._sync_bar)

    def marked(self) -> Selection | None:
        """Say what is selected."""
        return None

    def hits(self, item: int, row: int) -> Marks | None:  # noqa: ARG002
        """Say what is marked in a row because it was sought."""
        return None

    def after_placing(self) -> None:
        """Move along what stands on the rows."""

    def scroll_by(self, distance: int) -> None:
        """Move what is seen; short ways are exact."""
        self.page.flow.scroll_by(distance)
        self.shift()

    def scroll_to_end(self) -> None:
        """Show the latest words and stay with them."""
        self.page.flow.scroll_to_end()
        self.shift()

    def scroll_to_start(self) -> None:
        """Show the first message."""
        self.page.flow.scroll_to(0)
        self.shift()

    def move_first_sideways(self, distance: int) -> None:
        """Move the first thing in the window that is wider than the column."""
        wide = (one.row.shelf for one in self.seen if one.row.shelf and one.row.shelf.limit)
        shelf = next(wide, None)
        if shelf is not None and shelf.move(distance):
            self.viewport().update()

    def relay(self) -> None:
        """Place and paint everything anew."""
        if not self.isVisible():
            return
        self.seen = self.page.seen()
        self._sync_bar()
        self.after_placing()
        self.viewport().update()

    def shift(self, *, is_written: bool = False) -> None:
        """Place the rows anew; what only moved is moved on the screen."""
        if not self.isVisible():
            return
        before = {(one.placed.item, one.placed.row): one for one in self.seen}
        self.seen = self.page.seen()
        self._blit(_common_shift(before, self.seen))
        if is_written:
            self._update_written(before)
        self._sync_bar()
        self.after_placing()

    def fit(self) -> None:
        """Take the window's size in."""
        if self.page.resize(self.viewport().width(), self.viewport().height()):
            self.page.flow.resize_all()

    def window_area(self) -> QRect:
        """Say where the rows are seen, in this widget."""
        return self.viewport().geometry()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the rows that are seen."""
        painter = QPainter(self.viewport())
        clip = event.rect()
        paint_page(painter, self.page, self.seen, clip, selection=self.marked(), hits=self.hits)
        painter.end()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Fit the column."""
        super().resizeEvent(event)
        self.fit()
        self.relay()

    def showEvent(self, event: QShowEvent) -> None:
        """Place what came while nobody looked."""
        super().showEvent(event)
        self.fit()
        self.relay()

    def scrollContentsBy(self, dx: int, dy: int) -> None:  # noqa: ARG002
        """Follow the scroll bar."""
        if self._is_syncing:
            return
        bar, flow = self.verticalScrollBar(), self.page.flow
        if not bar.isSliderDown():
            flow.scroll_by(bar.value() - flow.y)
        elif bar.value() >= bar.maximum():
            flow.scroll_to_end()
        else:
            flow.scroll_to(bar.value())
        self.shift()

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Scroll; sideways moves wide content."""
        if event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            event.ignore()  # the window may zoom
            return
        step = event.pixelDelta()
        if step.isNull():
            step = event.angleDelta() * _NOTCH / 120
        if event.modifiers() & Qt.KeyboardModifier.ShiftModifier and not step.x():
            step = QPoint(step.y(), 0)
        if abs(step.x()) > abs(step.y()):
            self._move_sideways(event.position().toPoint(), -step.x())
        elif step.y():
            self.scroll_by(-step.y())
        event.accept()

    def _move_sideways(self, at: QPoint, distance: int) -> None:
        one = self.page.at(at, self.seen)
        if one is not None and one.row.shelf and one.row.shelf.move(distance):
            self.viewport().update()

    def _blit(self, moved: int | None) -> None:
        ratio = self.devicePixelRatioF()
        is_exact = ratio == int(ratio)
        if moved is None or not is_exact or abs(moved) >= self.viewport().height():
            self.viewport().update()
        elif moved:
            self.viewport().scroll(0, -moved)

    def _update_written(self, before: dict[tuple[int, int], Seen]) -> None:
        """Paint from the first row that is new or was written anew."""
        for one in self.seen:
            was = before.get((one.placed.item, one.placed.row))
            is_same = was is not None and (was.row, was.stamp) == (one.row, one.stamp)
            if not is_same or was is None or was.area.size() != one.area.size():
                top = max(0, one.placed.top - 8)
                self.viewport().update(0, top, self.viewport().width(), self.viewport().height())
                return

    def _sync_bar(self) -> None:
        bar = self.verticalScrollBar()
        if bar.isSliderDown():
            return  # the person holds it: it stays under the pointer
        self._is_syncing = True
        bar.setPageStep(max(1, self.viewport().height()))
        bar.setSingleStep(_NOTCH)
        bar.setRange(0, self.page.flow.limit)
        bar.setValue(self.page.flow.y)
        self._is_syncing = False


def _common_shift(before: dict[tuple[int, int], Seen], now: list[Seen]) -> int | None:
    """Say by how much the rows moved that were seen before; None if there are none."""
    for one in now:
        was = before.get((one.placed.item, one.placed.row))
        if was is not None and was.row is one.row:
            return was.area.top() - one.area.top()
    return None
