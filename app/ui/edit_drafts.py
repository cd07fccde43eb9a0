"""Keeps the words of open edits on disk, like a draft: soon after the last key, often enough."""

from collections.abc import Mapping

from PySide6.QtCore import QObject

from app.core.ids import MessageId
from app.ui.composer.draft_pace import DraftPace
from app.ui.desk import Desk


class EditDrafts(QObject):
    """Saves what messages of the visible conversation are being changed to."""

    def __init__(self, *, desk: Desk, parent: QObject) -> None:
        super().__init__(parent)
        self._desk = desk
        self._changed: dict[MessageId, str] = {}
        self._on_disk: set[MessageId] = set()
        self._pace = DraftPace(self)
        self._pace.due.connect(self._on_due)

    def know(self, edits: Mapping[MessageId, str]) -> None:
        """Know of edits that were on disk when their conversation was read."""
        self._on_disk.update(edits)

    def change(self, message_id: str, text: str) -> None:
        """Note what a message is being changed to."""
        self._changed[MessageId(message_id)] = text
        self._pace.touch()

    def end(self, message_id: str) -> None:
        """Forget an edit that was left."""
        was_on_disk = MessageId(message_id) in self._on_disk
        self.submit(message_id)
        if was_on_disk:
            self._desk.save_edit(MessageId(message_id), "")

    def submit(self, message_id: str) -> None:
        """Leave the rest to whoever accepts the new words: that ends the edit on disk."""
        self._changed.pop(MessageId(message_id), None)
        self._on_disk.discard(MessageId(message_id))

    def flush(self) -> None:
        """Have everything saved now: another conversation will be on the page, or none."""
        self._pace.flush()

    def _on_due(self) -> None:
        changed, self._changed = self._changed, {}
        self._on_disk.update(changed)
        for message_id, text in changed.items():
            self._desk.save_edit(message_id, text)
