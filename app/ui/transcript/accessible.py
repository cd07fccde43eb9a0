"""The transcript for screen readers: a list, each message an item with its plain text.

GUI thread only. Qt keeps bare pointers to interfaces, so Python keeps references to all of them
for as long as the process lives. Items stand for places in the list, not for messages: what
they say is read from the page when they are asked. (PySide's stubs do not know that "none" is an
answer, hence the ignored overrides.)
"""

from PySide6.QtCore import QObject, QPoint, QRect
from PySide6.QtGui import QAccessible, QAccessibleInterface, QAccessibleTextInterface
from PySide6.QtWidgets import QAccessibleWidget
from shiboken6 import VoidPtr, getCppPointer, isValid

from app.ui.transcript import units
from app.ui.transcript.copying import reading_text
from app.ui.transcript.item import MessageItem
from app.ui.transcript.view import TranscriptView

_LONGEST_NAME = 4000

_kept: list[object] = []


def install() -> None:
    """Let Qt ask us for the transcript's interface; once per process."""
    if _kept:
        return
    _kept.append(_make)
    QAccessible.installFactory(_make)


def _make(key: str, thing: QObject | None) -> QAccessibleInterface | None:  # noqa: ARG001
    if not isinstance(thing, TranscriptView):
        return None
    found = TranscriptList(thing)
    _kept.append(found)
    return found


class TranscriptList(QAccessibleWidget):
    """The list of messages; its last child is the area that holds the buttons."""

    def __init__(self, view: TranscriptView) -> None:
        super().__init__(view, QAccessible.Role.List, "Transcript")
        self.view = view
        self._items: list[MessageInterface] = []
        self._read: tuple[MessageItem, int, str] | None = None

    def words_of(self, item: MessageItem) -> str:
        """Read a message; the last one is kept, for readers ask for each of its lines."""
        if self._read is None or self._read[:2] != (item, item.stamp):
            was_opened = item.is_opened
            found = reading_text(item)
            if not was_opened:
                item.close()
            self._read = (item, item.stamp, found)
        return self._read[2]

    def childCount(self) -> int:
        """Count the messages, and the area with the buttons."""
        return len(self.view.page.items) + 1 if isValid(self.view) else 0

    def child(self, index: int) -> QAccessibleInterface | None:  # type: ignore[override]
        """Give a message, or the area with the buttons."""
        if not isValid(self.view) or not 0 <= index <= len(self.view.page.items):
            return None
        if index == len(self.view.page.items):
            return QAccessible.queryAccessibleInterface(self.view.viewport())
        while len(self._items) <= index:
            item = MessageInterface(self, len(self._items))
            QAccessible.registerAccessibleInterface(item)
            self._items.append(item)
        return self._items[index]

    def indexOfChild(self, child: QAccessibleInterface) -> int:
        """Find a child's place."""
        if isinstance(child, MessageInterface):
            return child.index
        return len(self.view.page.items) if child.object() is self.view.viewport() else -1

    def childAt(self, x: int, y: int) -> QAccessibleInterface | None:  # type: ignore[override]
        """Find the message at a point of the screen."""
        at = self.view.viewport().mapFromGlobal(QPoint(x, y))
        one = self.view.page.at(at, self.view.seen)
        return self.child(one.placed.item) if one is not None else None


class MessageInterface(QAccessibleInterface):
    """One message: who says what."""

    def __init__(self, owner: TranscriptList, index: int) -> None:
        super().__init__()
        self.owner = owner
        self.index = index
        self._words = MessageText(self)

    @property
    def view(self) -> TranscriptView:
        """The transcript it is in."""
        return self.owner.view

    @property
    def words(self) -> str:
        """What the message says."""
        if not self.isValid():
            return ""
        return self.owner.words_of(self.view.page.items[self.index])

    def isValid(self) -> bool:
        """Say whether there is still a message at this place."""
        return isValid(self.view) and self.index < len(self.view.page.items)

    def object(self) -> QObject | None:  # type: ignore[override]
        """It is no object of Qt's."""
        return None

    def parent(self) -> QAccessibleInterface:
        """It is in the list."""
        return self.owner

    def child(self, index: int) -> None:  # type: ignore[override]
        """It has none."""

    def childAt(self, x: int, y: int) -> None:  # type: ignore[override]
        """It has none."""

    def childCount(self) -> int:
        """It has none."""
        return 0

    def indexOfChild(self, child: QAccessibleInterface) -> int:  # noqa: ARG002
        """It has none."""
        return -1

    def role(self) -> QAccessible.Role:
        """An item of the list."""
        return QAccessible.Role.ListItem

    def state(self) -> QAccessible.State:
        """Only to be read; out of sight unless it is in the window."""
        state = QAccessible.State()
        state.readOnly = state.multiLine = state.selectableText = True
        is_seen = self.isValid() and any(one.placed.item == self.index for one in self.view.seen)
        state.offscreen = not is_seen
        return state

    def text(self, kind: QAccessible.Text) -> str:
        """Name it by who says what."""
        if kind is not QAccessible.Text.Name or not self.isValid():
            return ""
        is_person = self.view.page.items[self.index].entry.is_person
        words = self.words
        shown = words if len(words) <= _LONGEST_NAME else words[:_LONGEST_NAME] + "…"
        return f"{'You' if is_person else 'Assistant'}: {shown}"

    def setText(self, kind: QAccessible.Text, text: str) -> None:
        """It cannot be changed."""

    def rect(self) -> QRect:
        """Say where it is on the screen; nothing if it is out of sight."""
        if not self.isValid():
            return QRect()
        areas = [one.area for one in self.view.seen if one.placed.item == self.index]
        found = QRect()
        for area in areas:
            found = found.united(area)
        viewport = self.view.viewport()
        seen = found.intersected(viewport.rect())
        return QRect(viewport.mapToGlobal(seen.topLeft()), seen.size()) if areas else QRect()

    def interface_cast(self, kind: QAccessible.InterfaceType) -> int:
        """Offer its text for reading by character, word and line."""
        # Anything but a VoidPtr is read as a wild pointer: not even None or 0 would do.
        is_text = kind is QAccessible.InterfaceType.TextInterface
        address = getCppPointer(self._words)[0] if is_text else 0
        return VoidPtr(address)  # type: ignore[return-value]


class MessageText(QAccessibleTextInterface):
    """The text of a message, for reading by character, word and line."""

    def __init__(self, owner: MessageInterface) -> None:
        super().__init__()
        self._owner = owner
        self._cursor = 0

    def characterCount(self) -> int:
        """Count the characters, as Qt does."""
        return units.length(self._owner.words)

    def text(self, start: int, end: int) -> str:
        """Give a stretch of it."""
        words = self._owner.words
        return units.cut(words, max(0, start), units.length(words) if end < 0 else end)

    def cursorPosition(self) -> int:
        """Say where the reading caret is."""
        return self._cursor

    def setCursorPosition(self, position: int) -> None:
        """Move the reading caret."""
        self._cursor = max(0, min(position, self.characterCount()))

    def selectionCount(self) -> int:
        """Nothing is selected through here."""
        return 0

    def addSelection(self, start: int, end: int) -> None:
        """Nothing is selected through here."""

    def removeSelection(self, index: int) -> None:
        """Nothing is selected through here."""

    def setSelection(self, index: int, start: int, end: int) -> None:
        """Nothing is selected through here."""

    def characterRect(self, offset: int) -> QRect:  # noqa: ARG002
        """Say roughly where a character is: where its message is."""
        return self._owner.rect()

    def offsetAtPoint(self, point: QPoint) -> int:  # noqa: ARG002
        """Places of single characters are not known."""
        return 0

    def scrollToSubstring(self, start: int, end: int) -> None:  # noqa: ARG002
        """Bring the message into the window."""
        view = self._owner.view
        view.page.reveal(self._owner.index, 0, 0)
        view.relay()
