"""The chips above the composer, in running order, with the bar over what is held."""

from collections.abc import Mapping

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

from app.core.ids import MessageId
from app.core.messages import Waiting, WaitState
from app.ui.chips.chip import Chip
from app.ui.chips.chip_rows import ChipRows
from app.ui.chips.held_bar import HeldBar
from app.ui.conversation_state import ConversationState
from app.ui.theme import Theme
from app.ui.undo_bar import UndoBar


class ChipsPanel(QWidget):
    """One chip per waiting order; chips keep their widgets, so an open edit survives news."""

    edit_begun = Signal(str)
    edit_ended = Signal(str, object)
    edit_changed = Signal(str, str)  # the words so far
    promote_wished = Signal(str)
    discard_wished = Signal(object)  # a tuple of ids
    restore_wished = Signal(object)  # a tuple of ids
    move_wished = Signal(str, int)  # to this place
    send_held_wished = Signal()
    left = Signal()  # the focus walks on to the Message box
    edit_state_changed = Signal()

    def __init__(self, *, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._chips: dict[str, Chip] = {}
        self._left_open: dict[str, str] = {}  # edits of a conversation that is not shown
        self._order: list[str] = []
        self._held: tuple[str, ...] = ()
        self._removed: tuple[str, ...] = ()
        self._drop_index: int | None = None
        self.held_bar = HeldBar()
        self.undo_bar = UndoBar()
        self._rows = ChipRows()
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(4)
        column.addWidget(self._rows)
        column.addWidget(self.undo_bar)
        column.addWidget(self.held_bar)
        self.held_bar.send_wished.connect(self.send_held_wished)
        self.held_bar.discard_wished.connect(self._on_discard_all)
        self.undo_bar.undo_wished.connect(self._on_undo)

    @property
    def is_editing(self) -> bool:
        """Say whether a chip is open for change."""
        return any(chip.is_editing for chip in self._chips.values())

    def leave_edit(self) -> None:
        """Close any open edit."""
        for chip in self._chips.values():
            chip.leave_edit()

    def set_theme(self, theme: Theme) -> None:
        """Repaint in other colours."""
        self._theme = theme
        for chip in self._chips.values():
            chip.set_theme(theme)

    def enter(self) -> None:
        """Take the focus, at the chip nearest to the composer."""
        if self._order:
            self._focus(self._order[-1])

    def show_state(self, state: ConversationState, shown: tuple[Waiting, ...]) -> None:
        """Show these orders, and the bar when some are held."""
        self._held = tuple(w.order.id for w in state.held)
        wanted = [w.order.id for w in shown]
        for gone in [key for key in self._chips if key not in wanted]:
            self._drop(gone)
        for waiting in shown:
            self._chip(waiting).show_waiting(waiting, busy=state.is_busy)
        if wanted != self._order:
            self._arrange(list(wanted))
        self._reopen(shown)
        self.held_bar.show_state(state)

    def forget_removed(self) -> None:
        """Take the offer to undo away: another conversation is shown."""
        self.undo_bar.hide()

    def resume_edits(self, edits: Mapping[MessageId, str]) -> None:
        """Go on with edits that were open when Belay ended; the focus stays where it is."""
        for key, words in edits.items():
            if key in self._chips:
                self._chips[key].begin_edit(words, takes_focus=False)

    def _chip(self, waiting: Waiting) -> Chip:
        known = self._chips.get(waiting.order.id)
        if known is not None:
            return known
        chip = Chip(waiting, theme=self._theme, parent=self._rows.holder)
        chip.edit_begun.connect(self.edit_begun)
        chip.edit_begun.connect(self.edit_state_changed)
        chip.edit_changed.connect(self.edit_changed)
        chip.edit_ended.connect(self.edit_ended)
        chip.edit_ended.connect(self.edit_state_changed)
        chip.promote_wished.connect(self.promote_wished)
        chip.remove_wished.connect(self._on_remove)
        chip.move_wished.connect(self._on_move)
        chip.step_wished.connect(self._on_step)
        chip.dragged.connect(self._on_dragged)
        chip.dropped.connect(self._on_dropped)
        self._chips[waiting.order.id] = chip
        return chip

    def _reopen(self, shown: tuple[Waiting, ...]) -> None:
        """Go on with edits that were open when another conversation was shown."""
        for waiting in shown:
            if waiting.state is WaitState.EDITING and waiting.order.id in self._left_open:
                self._chips[waiting.order.id].begin_edit(self._left_open.pop(waiting.order.id))

    def _drop(self, key: str) -> None:
        chip = self._chips.pop(key)
        had_focus = chip.hasFocus() or chip.is_editing
        if chip.edited_words is not None:
            self._left_open[key] = chip.edited_words
        self._rows.take(chip)
        chip.hide()
        chip.deleteLater()
        if had_focus:
            self.left.emit()

    def _arrange(self, order: list[str]) -> None:
        self._order = order
        chips = [self._chips[key] for key in order]
        self._rows.place(list(chips))
        before: QWidget = self.undo_bar.undo  # Tab comes to the chips before the Message box
        for chip in chips:
            for stop in (chip, chip.promote, chip.remove):
                QWidget.setTabOrder(before, stop)
                before = stop

    def _on_remove(self, key: str) -> None:
        self._remove((key,))

    def _on_discard_all(self) -> None:
        self._remove(self._held)

    def _remove(self, keys: tuple[str, ...]) -> None:
        self._removed = keys
        self.undo_bar.offer("Removed")
        self.discard_wished.emit(keys)

    def _on_undo(self) -> None:
        self.restore_wished.emit(self._removed)

    def _on_move(self, key: str, by: int) -> None:
        place = self._order.index(key) + by
        if 0 <= place < len(self._order):
            self.move_wished.emit(key, place)

    def _on_step(self, key: str, by: int) -> None:
        place = self._order.index(key) + by
        if place >= len(self._order):
            self.left.emit()
        elif place >= 0:
            self._focus(self._order[place])

    def _focus(self, key: str) -> None:
        chip = self._chips[key]
        chip.setFocus()
        self._rows.ensureWidgetVisible(chip, 0, 0)

    def _on_dragged(self, key: str, y: int) -> None:
        others = [self._chips[k] for k in self._order if k != key]
        place = sum(1 for chip in others if chip.geometry().center().y() < y)
        order = [k for k in self._order if k != key]
        order.insert(place, key)
        self._drop_index = place
        if order != self._order:
            self._arrange(order)

    def _on_dropped(self, key: str) -> None:
        if self._drop_index is not None:
            self.move_wished.emit(key, self._drop_index)
        self._drop_index = None
