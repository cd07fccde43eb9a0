"""A transcript on an offscreen window, ready to be told things."""

from collections.abc import Callable

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QGuiApplication, QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.core.events import Event
from app.ui.theme import LIGHT
from app.ui.transcript.buttons import SpotButton
from app.ui.transcript.rows.base import Row
from app.ui.transcript.view import TranscriptView
from tests.ui.transcript.conversation import asked, message, opened

LEFT = Qt.MouseButton.LeftButton


class Shown:
    """A transcript and the hands that use it."""

    def __init__(self, qtbot: QtBot, width: int = 800, height: int = 600) -> None:
        self.view = TranscriptView(LIGHT)
        qtbot.addWidget(self.view)
        self.view.resize(width, height)
        self.view.show()
        qtbot.waitExposed(self.view)

    def hear(self, *events: Event) -> "Shown":
        """Take events in and show them."""
        for event in events:
            self.view.apply(event)
        self.view.flush()
        QApplication.processEvents()
        return self

    def answer(self, text: str) -> "Shown":
        """Show a conversation of one question and this answer, from its beginning."""
        self.hear(opened(asked("u1", "Why?"), message("a1", text, parent="u1")))
        self.view.scroll_to_start()
        return self

    @property
    def rows(self) -> list[Row]:
        """All rows of all messages."""
        return [item.row(number) for item in self.view.page.items for number in range(item.count)]

    @property
    def words(self) -> list[str]:
        """What can be selected in the window, row by row."""
        return [one.row.text for one in self.view.seen if one.row.can_select]

    def place_of(self, words: str, offset: int = 0) -> QPoint:
        """Find where some words are in the window; `offset` characters further on."""
        stage = self.view.page.stage
        for one in self.view.seen:
            text = one.row.text
            if one.row.can_select and words in text:
                wanted = text.index(words) + offset
                for y in range(one.area.top() + 4, one.area.bottom(), 8):
                    for x in range(one.area.left(), one.area.right()):
                        at = QPoint(x, y)
                        found = one.row.position_at(stage.look, stage.papers, at, one.area)
                        if found == wanted:
                            return at
        raise AssertionError(f"{words!r} is not in the window")

    def drag(self, start: QPoint, end: QPoint) -> None:
        """Press, move and release the mouse."""
        viewport = self.view.viewport()
        QTest.mousePress(viewport, LEFT, pos=start)
        QTest.mouseMove(viewport, (start + end) / 2)
        QTest.mouseMove(viewport, end)
        QTest.mouseRelease(viewport, LEFT, pos=end)

    def click(self, at: QPoint) -> None:
        """Click once."""
        QTest.mouseClick(self.view.viewport(), LEFT, pos=at)

    def hover(self, at: QPoint) -> None:
        """Move the pointer with no button held."""
        QTest.mouseMove(self.view.viewport(), at)
        QApplication.processEvents()

    def buttons(self, label: str = "") -> list[SpotButton]:
        """Find the buttons in the window, by what they say."""
        found = self.view.findChildren(SpotButton)
        return [b for b in found if not b.isHidden() and label in ("", b.text())]

    def press(self, label: str) -> None:
        """Press the one button that says this."""
        (button,) = self.buttons(label)
        button.click()
        QApplication.processEvents()

    def picture(self) -> QImage:
        """What is on the screen, not what would be painted."""
        QApplication.processEvents()
        # Not view.screen(): PySide would delete the screen with the wrapper.
        grabbed = QGuiApplication.primaryScreen().grabWindow(self.view.winId())
        rows = grabbed.copy(self.view.viewport().geometry())
        return rows.toImage().convertToFormat(QImage.Format.Format_RGB32)

    def painted(self) -> QImage:
        """What would be painted from scratch."""
        return (
            self.view.grab(self.view.viewport().geometry())
            .toImage()
            .convertToFormat(QImage.Format.Format_RGB32)
        )


def alike(one: QImage, other: QImage) -> bool:
    """Compare pictures; Qt rounds the edge of a curve by a hair when it is clipped."""
    if one == other or one.size() != other.size():
        return one == other
    pairs = zip(bytes(one.constBits()), bytes(other.constBits()), strict=True)
    return all(abs(a - b) <= 2 for a, b in pairs)


def clipboard() -> str:
    """What was copied."""
    return QGuiApplication.clipboard().text()


@pytest.fixture
def shown(qtbot: QtBot) -> Shown:
    """A transcript of 800 by 600."""
    return Shown(qtbot)


@pytest.fixture
def show(qtbot: QtBot) -> Callable[..., Shown]:
    """Make transcripts of any size."""

    def make(width: int = 800, height: int = 600) -> Shown:
        return Shown(qtbot, width, height)

    return make
