"""A window off screen, a clock in the test's hand, and the commands it issued."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TypeVar

import pytest
from PySide6.QtCore import QEvent, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QDialog, QWidget
from pytestqt.qtbot import QtBot

from app.core.commands import Command
from app.core.events import Event
from app.core.settings import Settings
from app.ui.composer.composer import Composer
from app.ui.main_window import MainWindow
from app.ui.style import Appearance
from tests.ui import canned
from tests.ui.clocks import HandClock

T = TypeVar("T")


@pytest.fixture
def clock() -> HandClock:
    """Give a clock that stands still."""
    return HandClock()


@pytest.fixture(scope="session")
def one_appearance(qapp: QApplication) -> Appearance:
    """Give the one appearance that an application has."""
    return Appearance(qapp, Settings())


@pytest.fixture
def appearance(one_appearance: Appearance) -> Appearance:
    """Dress the application as it is by default."""
    one_appearance.use(Settings())
    return one_appearance


@dataclass
class Hand:
    """The person at the window: sees what is shown, and does what a hand can do."""

    window: MainWindow
    clock: HandClock
    commands: list[Command] = field(default_factory=list)

    @property
    def composer(self) -> Composer:
        """The composer."""
        return self.window.pane.composer

    @property
    def status(self) -> str:
        """What the status line says, once its label is due."""
        self.clock.pass_s(0.2)
        self.window.pane.refresh()
        return self.window.pane.status_line.text

    def hear(self, *events: Event) -> None:
        """Let the services say something."""
        for event in events:
            self.window.apply(event)

    def write(self, text: str) -> None:
        """Type where the focus is."""
        QTest.keyClicks(_focus(), text)

    def press(
        self,
        key: Qt.Key,
        held: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier,
    ) -> None:
        """Press a key where the focus is."""
        QTest.keyClick(_focus(), key, held)
        QApplication.processEvents()  # Qt puts the end of an edit off

    def click(self, widget: QWidget) -> None:
        """Click in the middle of something that can be seen."""
        assert widget.isVisible()
        QTest.mouseClick(widget, Qt.MouseButton.LeftButton)

    def last(self, kind: type[T]) -> T:
        """Give the newest command, which must be of this kind."""
        assert self.commands, "no command was issued"
        newest = self.commands[-1]
        assert isinstance(newest, kind), newest
        return newest

    def all_of(self, kind: type[T]) -> list[T]:
        """Give every command of a kind, oldest first."""
        return [command for command in self.commands if isinstance(command, kind)]


def _focus() -> QWidget:
    focus = QApplication.focusWidget()
    assert focus is not None, "nothing has the focus"
    return focus


@pytest.fixture
def hand(qtbot: QtBot, appearance: Appearance, clock: HandClock) -> Iterator[Hand]:
    """Show a window with an empty conversation."""
    window = MainWindow(appearance=appearance, settings=Settings(), clock=clock)
    made = Hand(window, clock)
    window.command_issued.connect(made.commands.append)
    window.begin()
    window.show()
    with qtbot.waitActive(window):
        window.activateWindow()
    made.commands.clear()
    yield made
    put_away(window)


def put_away(window: MainWindow) -> None:
    """Leave nothing behind that could keep the next window from becoming active."""
    popup = QApplication.activePopupWidget()
    if popup is not None:
        popup.close()
    for dialog in window.findChildren(QDialog):
        dialog.hide()
    window.hide()
    window.deleteLater()
    QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)


@pytest.fixture
def talk(hand: Hand) -> Hand:
    """Show a window with a conversation in it, idle."""
    hand.window.navigation.open(canned.HERE)
    hand.hear(canned.listed(), canned.opened(last_epoch=7))
    hand.commands.clear()
    return hand


@pytest.fixture
def busy(talk: Hand) -> Hand:
    """Show a conversation in the middle of an answer."""
    talk.hear(canned.started(8), canned.said("Once upon"))
    return talk
