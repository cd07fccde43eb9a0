"""The transcript as a widget: events in, wishes out.

Lives on the GUI thread. Shows what it is given, asks nothing of anybody: every wish of the
person leaves as a signal. Nothing the model wrote is ever treated as HTML, loaded or opened.
"""

import time
from collections.abc import Hashable
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, Qt, QTimer, Signal
from PySide6.QtGui import (
    QContextMenuEvent,
    QImage,
    QKeyEvent,
    QMouseEvent,
    QResizeEvent,
    QShowEvent,
)
from PySide6.QtWidgets import QWidget

from app.core.events import Event
from app.core.ids import MessageId
from app.ui.theme import Theme
from app.ui.transcript.buttons import ButtonPool
from app.ui.transcript.canvas import Canvas
from app.ui.transcript.changes import Grew, Murmured, Reset, Spliced
from app.ui.transcript.deeds import Key
from app.ui.transcript.doing import Doer
from app.ui.transcript.editing import Editing
from app.ui.transcript.item import MessageItem
from app.ui.transcript.keys import pressed
from app.ui.transcript.marks import Marks
from app.ui.transcript.overlays import JumpButton, LinkHint
from app.ui.transcript.page import Seen
from app.ui.transcript.pointer import Pointer
from app.ui.transcript.rows.base import Spot
from app.ui.transcript.selection import Selection
from app.ui.transcript.throttle import Throttle
from app.ui.transcript.warming import Warming

if TYPE_CHECKING:
    from app.ui.transcript.find import Hit
    from app.ui.transcript.finding import Finder


class TranscriptView(Canvas):
    """The conversation that is open."""

    retry_requested = Signal(str)  # a message id: answer again what it answered
    continue_requested = Signal(str)  # the id of the answer that broke off
    edit_submitted = Signal(str, str)  # the id of the person's message, the new text
    branch_selected = Signal(str)  # the id of the message whose branch to show
    link_activated = Signal(str)  # an http, https or mailto address that was clicked
    problem_action_requested = Signal(str)  # the ProblemKind to be put right
    picture_wanted = Signal(str)  # the name of an attached picture that has come into sight

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, parent)
        self.setAccessibleName("Transcript")
        look = self.page.stage.look
        self.pointer = Pointer(self, self.page, self._rows_seen)
        self.editing = Editing(self)
        self._pool = ButtonPool(self, self._on_pressed)
        self._jump = JumpButton(self, look)
        self._hint = LinkHint(self)
        self._finder: Finder | None = None
        self._doer = Doer(self)
        self._hovered: Hashable = None
        self._throttle = Throttle()
        self._flusher = QTimer(self, singleShot=True)
        self._warming = Warming(self)
        self._connect()

    def apply(self, event: Event) -> None:
        """Show what an event changed; events of other conversations change nothing."""
        changes = self.page.apply(event)
        if not changes:
            return
        is_new = any(isinstance(change, Reset) for change in changes)
        if is_new:
            self._forget()
        if all(isinstance(change, Grew | Murmured) for change in changes):
            self._plan_flush()
            return
        for change in changes:
            if isinstance(change, Spliced):
                self.pointer.forget_from(change.start)
        if self._finder is not None:
            self._finder.again()
        self.page.flush()
        self.relay()
        if is_new:
            self.editing.resume()

    def set_theme(self, theme: Theme) -> None:
        """Take another look."""
        self.page.set_theme(theme)
        look = self.page.stage.look
        self._jump.set_look(look)
        self._hint.hide()
        if self._finder is not None:
            self._finder.bar.set_look(look)
        self.fit()
        self.editing.set_look(look)
        self.relay()
        self._place_floats()

    def show_picture(self, name: str, picture: QImage) -> None:
        """Show an attached picture that was wanted; a null one cannot be shown."""
        self.page.stage.take_picture(name, picture)
        self.relay()

    def open_find(self) -> None:
        """Begin a search in this conversation."""
        self.finder.open(self.window_area())

    def reveal_message(self, message_id: str) -> bool:
        """Bring a message into the window; False if it is not in the branch that is shown."""
        index = self.page.model.index_of(MessageId(message_id))
        if index is None:
            return False
        self.page.reveal(index, 0, 0)
        self.relay()
        return True

    @property
    def is_editing(self) -> bool:
        """Say whether a message is open for change."""
        return self.editing.is_open

    def leave_edit(self) -> None:
        """End changing a message, and leave it as it was."""
        self.editing.abandon()
        self.relay()

    @property
    def finder(self) -> "Finder":
        """The search in this conversation; made when it is first wanted."""
        if self._finder is None:
            from app.ui.transcript.finding import Finder  # noqa: PLC0415

            self._finder = Finder(self, self.page.stage.look, self._items)
            self._finder.marked.connect(self.viewport().update)
            self._finder.arrived.connect(self._on_hit)
            self._finder.closed.connect(self.setFocus)
        return self._finder

    def flush(self) -> None:
        """Show the words that wait."""
        self._flusher.stop()
        began = time.thread_time()
        self.page.flush()
        self.shift(is_written=True)
        self._throttle.spent(time.monotonic(), time.thread_time() - began)

    def marked(self) -> Selection | None:
        """Say what is selected."""
        return self.pointer.selection

    def hits(self, item: int, row: int) -> Marks | None:
        """Say what is marked in a row because it was sought."""
        return None if self._finder is None else self._finder.marks(item, row)

    def after_placing(self) -> None:
        """Move buttons, the editor and the way back along."""
        self._lay_buttons()
        flow = self.page.flow
        self._jump.setVisible(not flow.is_stuck and flow.limit > 0)
        self.editing.follow(self.seen)

    def _connect(self) -> None:
        self._flusher.timeout.connect(self.flush)
        self._jump.clicked.connect(self.scroll_to_end)
        self.pointer.selected.connect(self._on_selected)
        self.pointer.link_chosen.connect(self.link_activated)
        self.pointer.pulled.connect(self.scroll_by)
        self.pointer.moved_sideways.connect(self.viewport().update)
        self.editing.submitted.connect(self.edit_submitted)
        self.page.stage.album.wanted.connect(self.picture_wanted)

    def _plan_flush(self) -> None:
        if not self._flusher.isActive():
            self._flusher.start(round(self._throttle.wait_s(time.monotonic()) * 1000))

    def _lay_buttons(self) -> None:
        wanted: dict[Hashable, Spot] = {}
        look = self.page.stage.look
        for one in self.seen:
            message = self.page.items[one.placed.item].entry.id
            for spot in one.row.spots(look, one.area):
                key = Key(message, one.placed.row, spot.deed)
                wanted[key] = self._doer.told(key, spot)
        self._pool.lay_out(wanted, look)
        self._pool.hover(self._is_hovered)

    def _is_hovered(self, key: Hashable) -> bool:
        return isinstance(key, Key) and key.message == self._hovered

    def _hover(self, message: Hashable) -> None:
        if message != self._hovered:
            self._hovered = message
            self._pool.hover(self._is_hovered)

    def _place_floats(self) -> None:
        self._jump.stand_in(self.window_area())
        if self._finder is not None:
            self._finder.bar.stand_in(self.window_area())

    def _rows_seen(self) -> list[Seen]:
        return self.seen

    def _items(self) -> list[MessageItem]:
        return self.page.items

    def _forget(self) -> None:
        self.editing.put_by()
        self.pointer.clear()
        self._hint.hide()
        if self._finder is not None:
            self._finder.forget()

    def _on_pressed(self, key: Hashable) -> None:
        if isinstance(key, Key):
            self._doer.do(key)

    def _on_selected(self) -> None:
        self.viewport().update()

    def _on_hit(self, hit: "Hit") -> None:
        self.page.reveal(hit.item, hit.row, hit.start)
        self.relay()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Fit what floats over the rows too."""
        super().resizeEvent(event)
        self._hint.hide()
        self._place_floats()

    def showEvent(self, event: QShowEvent) -> None:
        """Get ready for the first message while nobody waits for it."""
        super().showEvent(event)
        self._warming.start()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Begin to select."""
        if event.button() == Qt.MouseButton.LeftButton:
            self.pointer.press(
                event.position().toPoint(),
                extends=bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier),
                clicks=self.pointer.count_click(event.position().toPoint()),
            )

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """Select the word."""
        self.mousePressEvent(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Go on selecting; show where a link leads."""
        at = event.position().toPoint()
        if event.buttons() & Qt.MouseButton.LeftButton:
            self.pointer.move(at, self.viewport().rect())
            return
        self.viewport().setCursor(self.pointer.shape_at(at))
        look = self.page.stage.look
        self._hint.show_target(self.pointer.link_at(at), look, self.window_area())
        one = self.page.at(at, self.seen)
        self._hover(self.page.items[one.placed.item].entry.id if one else None)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """End selecting, or follow a link."""
        if event.button() == Qt.MouseButton.LeftButton:
            self.pointer.release(event.position().toPoint())
            self._doer.keep_selection()

    def leaveEvent(self, event: QEvent) -> None:
        """Hide what waits for the pointer."""
        super().leaveEvent(event)
        self._hint.hide()
        self._hover(None)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """Offer to copy."""
        self._doer.offer_menu(event.pos(), event.globalPos())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Scroll, copy, select all."""
        if not pressed(self, self._doer, event):
            event.ignore()  # the window may know what to do with it
