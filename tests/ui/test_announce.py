"""What is said aloud reaches Qt's accessibility in the right tone."""

import pytest
from PySide6.QtGui import QAccessible
from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot

from app.core.status import Announcement
from app.ui.announce import announce

TONE = QAccessible.AnnouncementPoliteness


@pytest.mark.parametrize(("assertive", "tone"), [(False, TONE.Polite), (True, TONE.Assertive)])
def test_errors_interrupt_and_the_rest_waits(
    qtbot: QtBot, monkeypatch: pytest.MonkeyPatch, assertive: bool, tone: object
) -> None:
    heard: list[tuple[str, object]] = []
    monkeypatch.setattr(QAccessible, "isActive", lambda: True)
    monkeypatch.setattr(
        QAccessible, "updateAccessibility", lambda e: heard.append((e.message(), e.politeness()))
    )
    label = QLabel()
    qtbot.addWidget(label)
    announce(label, Announcement(text="Stopped", is_assertive=assertive))
    assert heard == [("Stopped", tone)]


def test_nothing_is_said_when_nobody_listens(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    heard: list[object] = []
    monkeypatch.setattr(QAccessible, "isActive", lambda: False)
    monkeypatch.setattr(QAccessible, "updateAccessibility", heard.append)
    label = QLabel()
    qtbot.addWidget(label)
    announce(label, Announcement(text="Stopped"))
    assert heard == []
