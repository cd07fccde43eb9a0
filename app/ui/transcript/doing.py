"""What happens when the person presses something in the transcript."""

from dataclasses import replace
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QPoint, Qt, QTimer
from PySide6.QtGui import QClipboard, QGuiApplication

from app.ui.transcript.deeds import Key, branch_target, continue_target, retry_target
from app.ui.transcript.rows.base import Deed, Spot

if TYPE_CHECKING:
    from app.ui.transcript.view import TranscriptView

_COPIED_MS = 1500


class Doer(QObject):
    """Carries out what can be done here; what cannot leaves as the view's signals."""

    def __init__(self, view: "TranscriptView") -> None:
        super().__init__(view)
        self._view = view
        self._copied: Key | None = None
        self._timer = QTimer(self, singleShot=True, interval=_COPIED_MS)
        self._timer.timeout.connect(self._on_copied_long_enough)

    def do(self, key: Key) -> None:
        """Do what a button says."""
        page = self._view.page
        index = page.model.index_of(key.message)
        if index is None or key.row >= page.items[index].count:
            return  # it went while the button was still in the window
        if key.deed in (Deed.COPY, Deed.COPY_CODE):
            self._copy(key, index)
        elif key.deed is Deed.FOLD:
            self._fold(key, index)
        elif key.deed is Deed.DETAILS:
            page.toggle_details(index)
            self._view.relay()
        elif key.deed is Deed.EDIT:
            self._view.editing.begin(index)
        else:
            self._wish(key.deed, index)

    def _wish(self, deed: Deed, index: int) -> None:
        view, model = self._view, self._view.page.model
        entry = model.entries[index]
        if deed is Deed.RETRY:
            view.retry_requested.emit(retry_target(model, index))
        elif deed is Deed.CONTINUE:
            view.continue_requested.emit(continue_target(model, index))
        elif deed is Deed.REMEDY and entry.notice and entry.notice.problem:
            view.problem_action_requested.emit(str(entry.notice.problem.kind))
        elif deed is Deed.SHOW_ANSWER and (hidden := model.answering_elsewhere()):
            view.branch_selected.emit(hidden.following)
        elif deed in (Deed.EARLIER_BRANCH, Deed.LATER_BRANCH):
            target = branch_target(model, index, later=deed is Deed.LATER_BRANCH)
            if target is not None:
                view.branch_selected.emit(target)

    def told(self, key: Key, spot: Spot) -> Spot:
        """Say "Copied" on the button that has just copied."""
        return replace(spot, text="Copied") if key == self._copied else spot

    def copy_selection(self, *, as_markdown: bool = False) -> None:
        """Copy what is selected."""
        from app.ui.transcript import copying  # noqa: PLC0415 - needs all kinds of rows

        selection = self._view.pointer.selection
        if selection is None or selection.is_empty:
            return
        copy = copying.markdown if as_markdown else copying.plain
        QGuiApplication.clipboard().setText(copy(self._view.page.items, selection))

    def keep_selection(self) -> None:
        """Let the middle button paste what is selected, where that is the custom."""
        from app.ui.transcript import copying  # noqa: PLC0415 - needs all kinds of rows

        clipboard = QGuiApplication.clipboard()
        selection = self._view.pointer.selection
        if selection is not None and not selection.is_empty and clipboard.supportsSelection():
            text = copying.plain(self._view.page.items, selection)
            clipboard.setText(text, QClipboard.Mode.Selection)

    def select_all(self) -> None:
        """Select the whole conversation."""
        from app.ui.transcript import copying  # noqa: PLC0415 - needs all kinds of rows

        self._view.pointer.set_selection(copying.everything(self._view.page.items))

    def offer_menu(self, at: QPoint, where: QPoint) -> None:
        """Offer what can be done at a place."""
        from PySide6.QtWidgets import QMenu  # noqa: PLC0415 - seldom wanted

        menu = QMenu(self._view)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        selection = self._view.pointer.selection
        copy = menu.addAction("Copy", self.copy_selection)
        as_markdown = menu.addAction("Copy as Markdown", self._on_copy_markdown)
        for action in (copy, as_markdown):
            action.setEnabled(selection is not None and not selection.is_empty)
        address = self._view.pointer.link_at(at)
        if address:
            menu.addAction("Copy link address", self._on_copy_link).setData(address)
        menu.addSeparator()
        menu.addAction("Select all", self.select_all)
        menu.popup(where)

    def _copy(self, key: Key, index: int) -> None:
        from app.ui.transcript import copying  # noqa: PLC0415 - needs all kinds of rows

        page = self._view.page
        if key.deed is Deed.COPY_CODE:
            text = copying.code_text(page.row(index, key.row))
        else:
            is_person = page.items[index].entry.is_person
            first, last = (index, index) if is_person else page.model.group_of(index)
            texts = [copying.message_text(page.items[i]) for i in range(first, last + 1)]
            text = "\n\n".join(text for text in texts if text)
        QGuiApplication.clipboard().setText(text)
        self._copied = key
        self._timer.start()
        self._view.relay()

    def _fold(self, key: Key, index: int) -> None:
        part = self._view.page.row(index, key.row).part
        if part is not None:
            self._view.pointer.clear()
            self._view.page.toggle(index, part)
            self._view.relay()

    def _on_copied_long_enough(self) -> None:
        self._copied = None
        self._view.relay()

    def _on_copy_markdown(self) -> None:
        self.copy_selection(as_markdown=True)

    def _on_copy_link(self) -> None:
        data = getattr(self.sender(), "data", None)
        if callable(data):
            QGuiApplication.clipboard().setText(str(data()))
