"""Changing a message: the editor inside its bubble, one at a time, moving with the page."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from app.core.ids import MessageId
from app.ui.transcript.look import Look
from app.ui.transcript.page import Seen
from app.ui.transcript.rows.base import MESSAGE_GAP, EditRow

if TYPE_CHECKING:
    from app.ui.transcript.canvas import Canvas
    from app.ui.transcript.editor import MessageEditor


class Editing(QObject):
    """Opens the editor in a message, and says what came of it."""

    submitted = Signal(str, str)  # the message's id, the new text
    changed = Signal(str, str)  # likewise, so far
    left = Signal(str)  # the message stays as it was

    def __init__(self, canvas: "Canvas") -> None:
        super().__init__(canvas)
        self._canvas = canvas
        self._editor: MessageEditor | None = None
        self._edited: MessageId | None = None
        self._put_by: dict[MessageId, str] = {}

    @property
    def is_open(self) -> bool:
        """Say whether a message is open for change."""
        return self._editor is not None

    def begin(self, index: int, *, takes_focus: bool = True) -> None:
        """Let the person change a message inside its bubble."""
        from app.ui.transcript.editor import MessageEditor  # noqa: PLC0415 - seldom wanted

        self.put_by()
        page = self._canvas.page
        entry = page.items[index].entry
        words = self._put_by.pop(entry.id, entry.words)
        editor = MessageEditor(self._canvas.viewport(), page.stage.look, words)
        editor.submitted.connect(self._on_submitted)
        editor.left.connect(self._on_left)
        editor.changed.connect(self._on_changed)
        editor.room_changed.connect(self._on_room)
        self._editor, self._edited = editor, entry.id
        page.make_room(index, editor.room)
        self._canvas.relay()
        editor.begin(takes_focus=takes_focus)

    def remember(self, edits: Mapping[MessageId, str]) -> None:
        """Know of edits that were open when Belay ended."""
        self._put_by = {**edits, **self._put_by}

    def resume(self) -> None:
        """Go on with the newest edit of the page that is shown; the focus stays where it is."""
        for message in reversed(self._put_by):
            index = self._canvas.page.model.index_of(message)
            if index is not None and index < len(self._canvas.page.items):
                self.begin(index, takes_focus=False)
                return

    def set_look(self, look: Look) -> None:
        """Take another look."""
        if self._editor is not None:
            self._editor.set_look(look)

    def follow(self, seen: list[Seen]) -> None:
        """Move the editor to where its message is."""
        if self._editor is None:
            return
        place = next((one.area for one in seen if isinstance(one.row, EditRow)), None)
        if place is None:
            self._editor.move(0, -self._editor.height() - 100)  # out of sight, keeps the focus
        else:
            gap = self._canvas.page.stage.look.px(MESSAGE_GAP)
            self._editor.setGeometry(place.adjusted(0, 0, 0, -gap))

    def put_by(self) -> None:
        """Close the editor because something else is shown; the next one here goes on with it."""
        if self._editor is not None and self._edited is not None:
            self._put_by[self._edited] = self._editor.words
        self.leave()

    def leave(self) -> None:
        """End changing a message; nothing else changed."""
        editor, self._editor = self._editor, None
        edited, self._edited = self._edited, None
        if editor is None:
            return
        editor.hide()
        editor.deleteLater()
        self._make_room(edited, None)

    def abandon(self) -> None:
        """End changing a message because the person does not want to any more."""
        edited = self._edited
        self.leave()
        if edited is not None:
            self.left.emit(edited)

    def _make_room(self, message: MessageId | None, room: int | None) -> None:
        page = self._canvas.page
        index = page.model.index_of(message) if message else None
        if index is not None and index < len(page.items):
            page.make_room(index, room)

    def _on_submitted(self, text: str) -> None:
        edited = self._edited
        self.leave()
        self._canvas.relay()
        if edited is not None:
            self.submitted.emit(edited, text)

    def _on_changed(self, text: str) -> None:
        if self._edited is not None:
            self.changed.emit(self._edited, text)

    def _on_left(self) -> None:
        self.abandon()
        self._canvas.relay()
        self._canvas.setFocus()

    def _on_room(self, room: int) -> None:
        self._make_room(self._edited, room)
        self._canvas.relay()
