"""A storm from the GUI thread over real threads, sockets and disk; then everything is true."""

import random
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QObject, QTimer, Slot
from pytestqt.qtbot import QtBot

from app.core.commands import SendHeld
from app.core.events import HistoryChanged, TurnStarted
from app.core.ids import MessageId
from app.core.messages import Intent, Role
from tests.bridge.hosted import Window
from tests.fakes.server import FakeServer
from tests.harness.environment import is_proving
from tests.unit.agent.promises import check_places, check_turns, check_words
from tests.unit.agent.stage import CHAT, on_disk
from tests.unit.agent.virtual import weighted
from tests.unit.agent.wire import asking

ACTS = weighted({"redirect": 6, "queue": 3, "steer": 2, "stop": 4, "release": 2, "wait": 3})
PAUSES_MS = [0, 0, 1, 2, 5, 20, 60]
SEEDS = range(40 if is_proving() else 2)
DEEDS = 150


@pytest.fixture
def server() -> Iterator[FakeServer]:
    with FakeServer(rate=400.0) as running:
        yield running


class Storm(QObject):
    """Does one thing after the other, at the pace of the dice."""

    def __init__(self, window: Window, dice: random.Random) -> None:
        super().__init__()
        self.sent: list[MessageId] = []
        self.deeds_left = DEEDS
        self._window = window
        self._dice = dice
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.timeout.connect(self.on_timeout)

    @Slot()
    def on_timeout(self) -> None:
        self._act(self._dice.choice(ACTS))
        self.deeds_left -= 1
        if self.deeds_left:
            self._timer.start(self._dice.choice(PAUSES_MS))

    def _act(self, what: str) -> None:
        match what:
            case "redirect" | "queue" | "steer":
                self.sent.append(self._window.send(f"m{len(self.sent)};", Intent(what)))
            case "stop":
                self._window.stop(self._window.epoch + self._dice.choice([0, 0, 1]))
            case "release":
                self._window.agent.ask(SendHeld(conversation_id=CHAT))
            case _:
                pass


@pytest.mark.parametrize("seed", SEEDS)
def test_after_a_storm_nothing_is_lost_doubled_or_left_open(
    seed: int, qtbot: QtBot, server: FakeServer, tmp_path: Path
) -> None:
    window = Window(qtbot, tmp_path / "a.db", asking(server.url))
    window.open()
    storm = Storm(window, random.Random(seed))
    storm.on_timeout()
    window.until(lambda: storm.deeds_left == 0)
    window.stop(window.epoch + 1)
    window.until(lambda: window.is_idle)
    window.finish()
    window.until(lambda: window.is_idle)
    kept = on_disk(tmp_path / "a.db")
    check_turns(window.events)
    check_places(window.events, storm.sent, [order.id for order, _ in kept.waiting])
    check_words(window.events, kept.tree)
    assert kept.tree == window.all(HistoryChanged)[-1].tree
    assert [order for order, _ in kept.waiting] == [each.order for each in window.waiting]
    check_server(server, window)


def check_server(server: FakeServer, window: Window) -> None:
    """No request was refused, none carried a message twice, and every connection is closed."""
    server.log.wait_for(lambda log: not log.open_connections)
    assert server.log.violations == []
    assert window.all(TurnStarted), "the storm did nothing"
    assert len(server.log.chats) <= len(window.all(TurnStarted))
    for request in server.log.chats:
        users = [m["content"] for m in request.messages if m["role"] == Role.USER]
        numbers = [word for content in users for word in content.split()]
        assert len(numbers) == len(set(numbers))
