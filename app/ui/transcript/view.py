"""The transcript as a widget: events in, wishes out.

Lives on the GUI thread. Shows what it is given, asks nothing of anybody: every wish of the
person leaves as a signal. Nothing the model wrote is ever treated as HTML, loaded or opened.
Only rows in the window are laid out; while an answer is written only its end is painted anew.
"""

import time
from collections.abc import Hashable

from PySide6.QtCore import QEvent, QPoint, QRect, Qt, QTimer, Signal
from PySide6.QtGui import (
    QContextMenuEvent,
    QGuiApplication,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QResizeEvent,
    QShowEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QAbstractScrollArea, QFrame, QWidget

from app.core.events import Event
from app.ui.theme import Theme
from app.ui.transcript.buttons import ButtonPool
from app.ui.transcript.changes import Grew, Reset
from app.ui.transcript.deeds import Key
from app.ui.transcript.doing import Doer
from app.ui.transcript.find import Hit
from app.ui.transcript.finding import Finder
from app.ui.transcript.keys import pressed
from app.ui.transcript.overlays import JumpButton, LinkHint
from app.ui.transcript.page import Page, Seen
from app.ui.transcript.painting import paint_page
from app.ui.transcript.pointer import Pointer
from app.ui.transcript.rows.base import Spot
from app.ui.transcript.throttle import Throttle

_WHEEL_STEP = 60  # pixels for a notch


class TranscriptView(QAbstractScrollArea):
    """The conversation that is open."""

    retry_requested = Signal(str)  # a message id: answer again what it answered
    continue_requested = Signal(str)  # the id of the answer that broke off
    edit_submitted = Signal(str, str)  # the id of the person's message, the new text
    branch_selected = Signal(str)  # the id of the message whose branch to show
    link_activated = Signal(str)  # an http, https or mailto address that was clicked
    problem_action_requested = Signal(str)  # the ProblemKind to be put right

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName("Transcript")
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.viewport().setFocusProxy(self)
        self.viewport().setMouseTracking(True)
        self.viewport().setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self.page = Page(theme)
        self._seen: list[Seen] = []
        self._is_syncing = False
        self._hovered: Hashable = None
        self._throttle = Throttle()
        self._flusher = QTimer(self, singleShot=True)
        self._make_parts()
        self._connect()

    def _make_parts(self) -> None:
        look = self.page.stage.look
        self._pool = ButtonPool(self, self._on_pressed)
        self._pointer = Pointer(self, self.page, self._rows_seen)
        self._jump = JumpButton(self, look)
        self._hint = LinkHint(self)
        self._finder = Finder(self, look, lambda: self.page.items)
        self._doer = Doer(self)

    def _connect(self) -> None:
        self._flusher.timeout.connect(self.flush)
        self._jump.clicked.connect(self.scroll_to_end)
        self._pointer.selected.connect(self._on_selected)
        self._pointer.link_chosen.connect(self.link_activated)
        self._pointer.pulled.connect(self.scroll_by)
        self._pointer.moved_sideways.connect(self.viewport().update)
        self._finder.marked.connect(self.viewport().update)
        self._finder.arrived.connect(self._on_hit)
        self._finder.closed.connect(self.setFocus)
        self.verticalScrollBar().sliderReleased.connect(self._sync_bar)

    def apply(self, event: Event) -> None:
        """Show what an event changed; events of other conversations change nothing."""
        changes = self.page.apply(event)
        if not changes:
            return
        if any(isinstance(change, Reset) for change in changes):
            self._forget()
        if all(isinstance(change, Grew) for change in changes):
            self._plan_flush()
            return
        self._finder.again()
        self.page.flush()
        self.relay()

    def set_theme(self, theme: Theme) -> None:
        """Take another look."""
        self.page.set_theme(theme)
        look = self.page.stage.look
        self._jump.set_look(look)
        self._finder.bar.set_look(look)
        self._fit()
        self.relay()

    def open_find(self) -> None:
        """Begin a search in this conversation."""
        self._finder.open(self._window())

    @property
    def is_editing(self) -> bool:
        """Say whether a message is open for change."""
        return self._doer.is_editing

    def leave_edit(self) -> None:
        """End changing a message, and leave it as it was."""
        self._doer.leave_editor()
        self.relay()

    def scroll_by(self, distance: int) -> None:
        """Move what is seen; short ways are exact."""
        self.page.flow.scroll_by(distance)
        self._shift()

    def scroll_to_end(self) -> None:
        """Show the latest words and stay with them."""
        self.page.flow.scroll_to_end()
        self._shift()

    def scroll_to_start(self) -> None:
        """Show the first message."""
        self.page.flow.scroll_to(0)
        self._shift()

    @property
    def pointer(self) -> Pointer:
        """The mouse and what it selected."""
        return self._pointer

    @property
    def finder(self) -> Finder:
        """The search in this conversation."""
        return self._finder

    @property
    def seen(self) -> list[Seen]:
        """The rows in the window."""
        return self._seen

    def flush(self) -> None:
        """Show the words that wait."""
        self._flusher.stop()
        began = time.thread_time()
        self.page.flush()
        if self.isVisible():
            self._shift(repaints=True)
        self._throttle.spent(time.monotonic(), time.thread_time() - began)

    def relay(self) -> None:
        """Place and paint everything anew."""
        if not self.isVisible():
            return
        self._seen = self.page.seen()
        self._after_placing()
        self.viewport().update()

    def _plan_flush(self) -> None:
        if not self._flusher.isActive():
            self._flusher.start(round(self._throttle.wait_s(time.monotonic()) * 1000))

    def _shift(self, *, repaints: bool = False) -> None:
        """Place the rows anew; what only moved is moved on the screen."""
        before = {(one.placed.item, one.placed.row): one for one in self._seen}
        self._seen = self.page.seen()
        moved = _common_shift(before, self._seen)
        ratio = self.devicePixelRatioF()
        if moved is None or ratio != int(ratio) or abs(moved) >= self.viewport().height():
            self.viewport().update()
        elif moved:
            self.viewport().scroll(0, -moved)
        if repaints:
            self._update_changed(before)
        self._after_placing()

    def _update_changed(self, before: dict[tuple[int, int], Seen]) -> None:
        """Paint from the first row that is new or was written anew."""
        for one in self._seen:
            was = before.get((one.placed.item, one.placed.row))
            is_open = getattr(one.row, "is_open", False)
            if (
                was is None
                or was.row is not one.row
                or is_open
                or was.area.size() != one.area.size()
            ):
                top = max(0, one.placed.top - 8)
                self.viewport().update(0, top, self.viewport().width(), self.viewport().height())
                return

    def _after_placing(self) -> None:
        self._sync_bar()
        self._lay_buttons()
        self._jump.setVisible(not self.page.flow.is_stuck and self.page.flow.limit > 0)
        self._doer.place_editor(self._seen)

    def _sync_bar(self) -> None:
        bar = self.verticalScrollBar()
        if bar.isSliderDown():
            return  # the person holds it: it stays under the pointer
        self._is_syncing = True
        bar.setPageStep(max(1, self.viewport().height()))
        bar.setSingleStep(_WHEEL_STEP)
        bar.setRange(0, self.page.flow.limit)
        bar.setValue(self.page.flow.y)
        self._is_syncing = False

    def _lay_buttons(self) -> None:
        wanted: dict[Hashable, Spot] = {}
        look = self.page.stage.look
        for one in self._seen:
            message = self.page.items[one.placed.item].entry.id
            for spot in one.row.spots(look, one.area):
                key = Key(message, one.placed.row, spot.deed)
                wanted[key] = self._doer.told(key, spot)
        self._pool.lay_out(wanted, look)
        self._pool.hover(self._is_hovered)

    def _is_hovered(self, key: Hashable) -> bool:
        return isinstance(key, Key) and key.message == self._hovered

    def _rows_seen(self) -> list[Seen]:
        return self._seen

    def _window(self) -> QRect:
        return self.viewport().geometry()

    def _fit(self) -> None:
        if self.page.resize(self.viewport().width(), self.viewport().height()):
            self.page.flow.resize_all()

    def _forget(self) -> None:
        self._doer.leave_editor()
        self._pointer.clear()
        self._finder.forget()
        self._hint.hide()

    def _on_pressed(self, key: Hashable) -> None:
        if isinstance(key, Key):
            self._doer.do(key)

    def _on_selected(self) -> None:
        self.viewport().update()

    def _on_hit(self, hit: Hit) -> None:
        stage = self.page.stage
        self.page.items[hit.item].measure(hit.row)
        row = self.page.row(hit.item, hit.row)
        top, bottom = row.span_of(stage.look, stage.papers, hit.start)
        self.page.flow.resized(hit.item)
        self.page.flow.reveal(hit.item, hit.row, row.gap + top, row.gap + bottom)
        self.relay()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the rows that are seen."""
        painter = QPainter(self.viewport())
        paint_page(
            painter,
            self.page,
            self._seen,
            event.rect(),
            selection=self._pointer.selection,
            hits=self._finder.marks,
        )
        painter.end()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Fit the column."""
        super().resizeEvent(event)
        self._fit()
        self._jump.stand_in(self._window())
        self._finder.bar.stand_in(self._window())
        self.relay()

    def showEvent(self, event: QShowEvent) -> None:
        """Place what came while nobody looked."""
        super().showEvent(event)
        self._fit()
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
        self._shift()

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Scroll; sideways moves wide code."""
        if event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            event.ignore()
            return
        step = event.pixelDelta()
        if step.isNull():
            step = event.angleDelta() * _WHEEL_STEP / 120
        if event.modifiers() & Qt.KeyboardModifier.ShiftModifier and not step.x():
            step = QPoint(step.y(), 0)
        if abs(step.x()) > abs(step.y()):
            self._sideways(event.position().toPoint(), -step.x())
        elif step.y():
            self.scroll_by(-step.y())
        event.accept()

    def _sideways(self, at: QPoint, distance: int) -> None:
        one = self.page.at(at, self._seen)
        if one is not None and one.row.scroll_sideways(distance):
            self.viewport().update()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Begin to select."""
        if event.button() == Qt.MouseButton.LeftButton:
            extends = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
            self._pointer.press(
                event.position().toPoint(), extends=extends, clicks=self._doer.clicks(event)
            )

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """Select the word."""
        self.mousePressEvent(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Go on selecting; show where a link leads."""
        at = event.position().toPoint()
        if event.buttons() & Qt.MouseButton.LeftButton:
            self._pointer.move(at, self.viewport().rect())
            return
        self.viewport().setCursor(self._pointer.shape_at(at))
        self._hint.show_target(self._pointer.link_at(at), self.page.stage.look, self._window())
        one = self.page.at(at, self._seen)
        hovered = self.page.items[one.placed.item].entry.id if one else None
        if hovered != self._hovered:
            self._hovered = hovered
            self._pool.hover(self._is_hovered)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """End selecting, or follow a link."""
        if event.button() == Qt.MouseButton.LeftButton:
            self._pointer.release(event.position().toPoint())
            self._doer.keep_selection(QGuiApplication.clipboard())

    def leaveEvent(self, event: QEvent) -> None:
        """Hide what waits for the pointer."""
        super().leaveEvent(event)
        self._hint.hide()
        self._hovered = None
        self._pool.hover(self._is_hovered)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """Offer to copy."""
        self._doer.offer_menu(event.pos(), event.globalPos())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Scroll, copy, select all."""
        if not pressed(self, self._doer, event):
            event.ignore()  # the window may know what to do with it


def _common_shift(before: dict[tuple[int, int], Seen], now: list[Seen]) -> int | None:
    """Say by how much the rows moved that were seen before; None if there are none."""
    for one in now:
        was = before.get((one.placed.item, one.placed.row))
        if was is not None and was.row is one.row:
            return was.area.top() - one.area.top()
    return None
