"""What happens when the person presses something in the transcript."""

from dataclasses import replace
from typing import TYPE_CHECKING

from PySide6.QtCore import QElapsedTimer, QObject, QPoint, Qt, QTimer
from PySide6.QtGui import QClipboard, QGuiApplication, QMouseEvent
from PySide6.QtWidgets import QApplication, QMenu

from app.core.ids import MessageId
from app.ui.transcript import copying
from app.ui.transcript.deeds import Key, branch_target, continue_target, retry_target
from app.ui.transcript.editor import MessageEditor
from app.ui.transcript.page import Seen
from app.ui.transcript.rows.base import Deed, Spot
from app.ui.transcript.rows.card import CardRow
from app.ui.transcript.rows.code import CodeRow, code_of
from app.ui.transcript.rows.editing import EditRow
from app.ui.transcript.rows.fold import FoldRow

if TYPE_CHECKING:
    from app.ui.transcript.view import TranscriptView

_COPIED_MS = 1500


class Doer(QObject):
    """Carries out what can be done here; what cannot leaves as the view's signals."""

    def __init__(self, view: "TranscriptView") -> None:
        super().__init__(view)
        self._view = view
        self._copied: Key | None = None
        self._editor: MessageEditor | None = None
        self._edited: MessageId | None = None
        self._clicks = 0
        self._last_click = QElapsedTimer()
        self._last_at = QPoint()
        self._timer = QTimer(self, singleShot=True, interval=_COPIED_MS)
        self._timer.timeout.connect(self._on_copied_long_enough)

    def do(self, key: Key) -> None:
        """Do what a button says."""
        index = self._view.page.model.index_of(key.message)
        if index is None or not isinstance(key.deed, Deed):
            return
        match key.deed:
            case Deed.COPY | Deed.COPY_CODE:
                self._copy(key, index)
            case Deed.FOLD:
                self._fold(key, index)
            case Deed.DETAILS:
                self._view.page.toggle_details(index)
                self._view.relay()
            case Deed.EDIT:
                self.edit(index)
            case _:
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

    def clicks(self, event: QMouseEvent) -> int:
        """Count how often the same place was clicked in a row."""
        at = event.position().toPoint()
        is_soon = self._last_click.isValid() and (
            self._last_click.elapsed() < QApplication.doubleClickInterval()
        )
        is_near = (at - self._last_at).manhattanLength() < 6
        self._clicks = self._clicks + 1 if is_soon and is_near else 1
        self._last_click.restart()
        self._last_at = at
        return self._clicks

    def copy_selection(self, *, as_markdown: bool = False) -> None:
        """Copy what is selected."""
        selection = self._view.pointer.selection
        if selection is None or selection.is_empty:
            return
        copy = copying.markdown if as_markdown else copying.plain
        QGuiApplication.clipboard().setText(copy(self._view.page.items, selection))

    def keep_selection(self, clipboard: QClipboard) -> None:
        """Let the middle button paste what is selected, where that is the custom."""
        selection = self._view.pointer.selection
        if selection is not None and not selection.is_empty and clipboard.supportsSelection():
            text = copying.plain(self._view.page.items, selection)
            clipboard.setText(text, QClipboard.Mode.Selection)

    def select_all(self) -> None:
        """Select the whole conversation."""
        self._view.pointer.set_selection(copying.everything(self._view.page.items))

    def offer_menu(self, at: QPoint, where: QPoint) -> None:
        """Offer what can be done at a place."""
        view = self._view
        menu = QMenu(view)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        selection = view.pointer.selection
        has_selection = selection is not None and not selection.is_empty
        copy = menu.addAction("Copy", self.copy_selection)
        as_markdown = menu.addAction("Copy as Markdown", self._on_copy_markdown)
        for action in (copy, as_markdown):
            action.setEnabled(has_selection)
        address = view.pointer.link_at(at)
        if address:
            link = menu.addAction("Copy link address", self._on_copy_link)
            link.setData(address)
        menu.addSeparator()
        menu.addAction("Select all", self.select_all)
        menu.popup(where)

    def edit(self, index: int) -> None:
        """Let the person change a message inside its bubble."""
        self.leave_editor()
        view = self._view
        entry = view.page.items[index].entry
        editor = MessageEditor(view.viewport(), view.page.stage.look, entry.words)
        editor.submitted.connect(self._on_edited)
        editor.left.connect(self._on_editor_left)
        editor.room_changed.connect(self._on_room)
        self._editor, self._edited = editor, entry.id
        view.page.make_room(index, editor.room)
        view.relay()
        for one in view.seen:
            if isinstance(one.row, EditRow):
                editor.begin(one.area)

    def place_editor(self, seen: list[Seen]) -> None:
        """Move the editor to where its message is."""
        if self._editor is None:
            return
        place = next((one.area for one in seen if isinstance(one.row, EditRow)), None)
        if place is None:
            self._editor.move(0, -self._editor.height() - 100)  # keeps the focus, out of sight
        else:
            self._editor.setGeometry(place)
            self._editor.setVisible(True)

    @property
    def is_editing(self) -> bool:
        """Say whether a message is open for change."""
        return self._editor is not None

    def leave_editor(self) -> None:
        """End changing a message; nothing else changed."""
        editor, self._editor = self._editor, None
        edited, self._edited = self._edited, None
        if editor is None:
            return
        editor.hide()
        editor.deleteLater()
        index = self._view.page.model.index_of(edited) if edited else None
        if index is not None and index < len(self._view.page.items):
            self._view.page.make_room(index, None)

    def _copy(self, key: Key, index: int) -> None:
        page = self._view.page
        if key.deed is Deed.COPY_CODE:
            row = page.row(index, key.row)
            text = code_of(row) if isinstance(row, CodeRow) else ""
        else:
            first, last = page.model.group_of(index)
            if page.items[index].entry.is_person:
                first = last = index
            texts = [copying.message_text(page.items[i]) for i in range(first, last + 1)]
            text = "\n\n".join(text for text in texts if text)
        QGuiApplication.clipboard().setText(text)
        self._copied = key
        self._timer.start()
        self._view.relay()

    def _fold(self, key: Key, index: int) -> None:
        row = self._view.page.row(index, key.row)
        if isinstance(row, FoldRow | CardRow):
            self._view.pointer.clear()
            self._view.page.toggle(index, row.part)
            self._view.relay()

    def _on_copied_long_enough(self) -> None:
        self._copied = None
        self._view.relay()

    def _on_copy_markdown(self) -> None:
        self.copy_selection(as_markdown=True)

    def _on_copy_link(self) -> None:
        sender = self.sender()
        data = getattr(sender, "data", None)
        if callable(data):
            QGuiApplication.clipboard().setText(str(data()))

    def _on_edited(self, text: str) -> None:
        edited = self._edited
        self.leave_editor()
        self._view.relay()
        if edited is not None:
            self._view.edit_submitted.emit(edited, text)

    def _on_editor_left(self) -> None:
        self.leave_editor()
        self._view.relay()
        self._view.setFocus()

    def _on_room(self, room: int) -> None:
        index = self._view.page.model.index_of(self._edited) if self._edited else None
        if index is not None:
            self._view.page.make_room(index, room)
            self._view.relay()
