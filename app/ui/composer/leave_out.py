"""Asks what to leave out of what is sent; nothing is removed from the conversation itself."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QDialog,
    QHBoxLayout,
    QListWidget,
    QListWidgetItem,
    QVBoxLayout,
    QWidget,
)

from app.core.ids import MessageId
from app.ui.buttons import push_button
from app.ui.composer.context_use import Exchange, Use, short_use
from app.ui.labels import plain
from app.ui.model_names import short_count

_WHY = "What is ticked is not sent until Belay closes. It stays in the conversation."
_WORDS = 200


class LeaveOutDialog(QDialog):
    """Lists the exchanges, oldest first; the newest is what is being asked, and stays."""

    chosen = Signal(object)  # the ids that are left out from now on

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle("Leave out")
        self._exchanges: tuple[Exchange, ...] = ()
        self._use = Use()
        self.about = plain(_WHY, name="muted")
        self.about.setWordWrap(True)
        self.list = QListWidget()
        self.list.setObjectName("leave")
        self.list.setAccessibleName("What was said, oldest first")
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.list.setTextElideMode(Qt.TextElideMode.ElideRight)
        self.total = plain()
        self.done_button = push_button("Leave out", primary=True)
        self.cancel = push_button("Cancel")
        self._lay_out()
        self.list.itemChanged.connect(self._show_total)
        self.done_button.clicked.connect(self._on_done)
        self.cancel.clicked.connect(self.reject)

    def _lay_out(self) -> None:
        buttons = QHBoxLayout()
        buttons.addWidget(self.total, 1)
        buttons.addWidget(self.cancel)
        buttons.addWidget(self.done_button)
        column = QVBoxLayout(self)
        column.setContentsMargins(18, 18, 18, 18)
        column.setSpacing(10)
        for widget in (self.about, self.list):
            column.addWidget(widget)
        column.addLayout(buttons)
        self.resize(560, 440)

    def ask(
        self, found: tuple[Exchange, ...], ticked: frozenset[int], use: Use, *, sends: bool
    ) -> None:
        """Open it; `use` is what would be used if nothing were left out."""
        self._exchanges, self._use = found, use
        self.done_button.setText("Leave out and send" if sends else "Leave out")
        self.list.blockSignals(True)  # noqa: FBT003 - Qt's own signature
        self.list.clear()
        for index, exchange in enumerate(found[:-1]):
            self.list.addItem(_item(exchange, is_ticked=index in ticked))
        self.list.blockSignals(False)  # noqa: FBT003
        self._show_total()
        self.open()

    @property
    def ticked(self) -> tuple[Exchange, ...]:
        """What would be left out."""
        return tuple(
            exchange
            for index, exchange in enumerate(self._exchanges[:-1])
            if self.list.item(index).checkState() is Qt.CheckState.Checked
        )

    def _show_total(self) -> None:
        left = max(self._use.tokens - sum(each.tokens for each in self.ticked), 0)
        window = self._use.window
        fits = window is None or left <= window
        of = f" of {short_count(window)}" if window else ""
        self.total.setText(
            f"About {short_use(left)}{of} tokens{'' if fits else ': still too much'}"
        )

    def _on_done(self) -> None:
        ids: frozenset[MessageId] = frozenset().union(*(each.ids for each in self.ticked))
        self.accept()
        self.chosen.emit(ids)


def _item(exchange: Exchange, *, is_ticked: bool) -> QListWidgetItem:
    item = QListWidgetItem(f"{short_use(max(exchange.tokens, 1))} · {exchange.words[:_WORDS]}")
    item.setFlags(item.flags() | Qt.ItemFlag.ItemIsUserCheckable)
    item.setCheckState(Qt.CheckState.Checked if is_ticked else Qt.CheckState.Unchecked)
    item.setToolTip(exchange.words[:400])
    return item
