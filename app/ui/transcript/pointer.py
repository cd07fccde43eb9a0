"""The mouse in the transcript: selecting across messages, links, dragging wide code sideways."""

from collections.abc import Callable

from PySide6.QtCore import QElapsedTimer, QObject, QPoint, QRect, Qt, QTimer, Signal
from PySide6.QtGui import QGuiApplication

from app.ui.transcript import units
from app.ui.transcript.page import Page, Seen
from app.ui.transcript.selection import Caret, Selection, word_around

_PULL_MS = 30


class Pointer(QObject):
    """Turns presses and moves into a selection; opens nothing itself."""

    selected = Signal(object)  # the Selection, or None
    link_chosen = Signal(str)
    pulled = Signal(int)  # dragged past an edge: scroll by this much
    moved_sideways = Signal()

    def __init__(self, parent: QObject, page: Page, seen: Callable[[], list[Seen]]) -> None:
        super().__init__(parent)
        self.selection: Selection | None = None
        self._page = page
        self._seen = seen
        self._is_selecting = False
        self._clicks = 0
        self._since_click = QElapsedTimer()
        self._press = QPoint()
        self._last = QPoint()
        self._dragged: Seen | None = None
        self._clock = QTimer(self)
        self._clock.setInterval(_PULL_MS)
        self._clock.timeout.connect(self._on_tick)

    def press(self, at: QPoint, *, extends: bool, clicks: int) -> None:
        """Begin to select, or to drag a bar."""
        self._press = self._last = at
        self._clicks = clicks
        if self._grab(at):
            return
        caret = self.caret_at(at)
        if caret is None:
            return
        self._is_selecting = True
        anchor = self.selection.anchor if extends and self.selection else caret
        self._select(Selection(anchor, caret))
        if clicks > 1:
            self._select_unit(caret)

    def move(self, at: QPoint, window: QRect) -> None:
        """Go on selecting or dragging."""
        before, self._last = self._last, at
        if self._dragged is not None:
            self._drag(at.x() - before.x())
        elif self._is_selecting:
            self._reach(at)
            is_outside = not window.top() <= at.y() <= window.bottom()
            if is_outside != self._clock.isActive():
                (self._clock.start if is_outside else self._clock.stop)()

    def release(self, at: QPoint) -> None:
        """End it; a click on a link that selected nothing follows the link."""
        self._clock.stop()
        self._dragged = None
        was_selecting, self._is_selecting = self._is_selecting, False
        is_click = (at - self._press).manhattanLength() < 4 and self._clicks == 1
        if was_selecting and is_click and (address := self.link_at(at)):
            self.link_chosen.emit(address)

    def count_click(self, at: QPoint) -> int:
        """Count how often the same place was clicked in a row."""
        is_soon = self._since_click.isValid() and (
            self._since_click.elapsed() < QGuiApplication.styleHints().mouseDoubleClickInterval()
        )
        is_near = (at - self._press).manhattanLength() < 6
        self._since_click.restart()
        return self._clicks + 1 if is_soon and is_near else 1

    def shape_at(self, at: QPoint) -> Qt.CursorShape:
        """Choose the pointer's shape."""
        one = self._page.at(at, self._seen())
        if one is None or self._bar_at(at) is not None:
            return Qt.CursorShape.ArrowCursor
        if self.link_at(at):
            return Qt.CursorShape.PointingHandCursor
        is_text = one.row.is_over_text(at, one.area)
        return Qt.CursorShape.IBeamCursor if is_text else Qt.CursorShape.ArrowCursor

    def link_at(self, at: QPoint) -> str:
        """Give the address under a point."""
        one = self._page.at(at, self._seen())
        if one is None or not one.area.contains(at):
            return ""
        stage = self._page.stage
        return one.row.link_at(stage.look, stage.papers, at, one.area)

    def caret_at(self, at: QPoint) -> Caret | None:
        """Find the place in the text that is nearest to a point."""
        one = self._page.at(at, self._seen())
        if one is None:
            return None
        if not one.row.can_select:
            return Caret(one.placed.item, one.placed.row, 0)
        stage = self._page.stage
        if at.y() < one.area.top():
            position = 0
        else:
            position = one.row.position_at(stage.look, stage.papers, at, one.area)
        return Caret(one.placed.item, one.placed.row, position)

    def clear(self) -> None:
        """Select nothing."""
        self._is_selecting = False
        self._clock.stop()
        if self.selection is not None:
            self._select(None)

    def forget_from(self, item: int) -> None:
        """Select nothing of the messages from this one on: others stand there now."""
        if self.selection is not None and self.selection.end.item >= item:
            self.clear()

    def set_selection(self, selection: Selection | None) -> None:
        """Select something else than with the mouse."""
        self._select(selection)

    def _select(self, selection: Selection | None) -> None:
        self.selection = selection
        self.selected.emit(selection)

    def _reach(self, at: QPoint) -> None:
        caret = self.caret_at(at)
        if caret is None or self.selection is None or caret == self.selection.head:
            return
        if self._clicks > 1:
            self._select_unit(caret)
        else:
            self._select(Selection(self.selection.anchor, caret))

    def _select_unit(self, caret: Caret) -> None:
        """Select the whole word, or on the third click the whole row."""
        start, end = self._unit(caret)
        before = self.selection
        if before is not None and caret < before.anchor:
            anchor = self._unit(before.anchor)[1] if before.is_empty else before.anchor
            self._select(Selection(max(anchor, end), start))
        else:
            anchor = before.anchor if before is not None and not before.is_empty else start
            self._select(Selection(min(anchor, start), end))

    def _unit(self, caret: Caret) -> tuple[Caret, Caret]:
        if caret.row >= self._page.items[caret.item].count:
            return caret, caret  # the row went while the button was down
        text = self._page.row(caret.item, caret.row).text
        if self._clicks > 2:
            first, last = 0, len(text)
        else:
            first, last = word_around(text, units.index(text, caret.position))
        return (
            Caret(caret.item, caret.row, units.position(text, first)),
            Caret(caret.item, caret.row, units.position(text, last)),
        )

    def _on_tick(self) -> None:
        window = self._page.flow.window
        past = self._last.y() if self._last.y() < 0 else self._last.y() - window
        self.pulled.emit(max(-80, min(80, past)))
        self._reach(self._last)

    def _bar_at(self, at: QPoint) -> Seen | None:
        one = self._page.at(at, self._seen())
        track = one.row.track(self._page.stage.look, one.area) if one else None
        return one if track is not None and track.adjusted(0, -3, 0, 3).contains(at) else None

    def _grab(self, at: QPoint) -> bool:
        self._dragged = self._bar_at(at)
        return self._dragged is not None

    def _drag(self, distance: int) -> None:
        assert self._dragged is not None
        row = self._dragged.row
        track = row.track(self._page.stage.look, self._dragged.area)
        if row.shelf and track is not None and row.shelf.drag(track, distance):
            self.moved_sideways.emit()
