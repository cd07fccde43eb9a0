"""Settings: every change applies at once."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from app.core.messages import Intent
from app.core.settings import Settings, ThemeChoice
from app.ui.settings.general import GeneralPage
from app.ui.settings.page import ChoiceBox
from tests.ui.conftest import Hand

CTRL = Qt.KeyboardModifier.ControlModifier


@pytest.fixture
def told(hand: Hand) -> list[Settings]:
    """List what the window told about its settings."""
    found: list[Settings] = []
    hand.window.settings_changed.connect(found.append)
    return found


def general(hand: Hand) -> GeneralPage:
    hand.window.preferences.open()
    found = hand.window.preferences.dialog.findChild(GeneralPage)
    assert isinstance(found, GeneralPage)
    return found


def choose(box: ChoiceBox, words: str) -> None:
    """Choose with the keyboard: typing finds the words."""
    box.setFocus()
    QTest.keyClicks(box, words)


def test_ctrl_comma_opens_the_settings_without_blocking(hand: Hand) -> None:
    hand.press(Qt.Key.Key_Comma, CTRL)
    assert hand.window.preferences.dialog.isVisible()


def test_theme_applies_at_once_and_is_told(hand: Hand, told: list[Settings]) -> None:
    choose(general(hand).look, "Dark")
    assert told == [Settings(theme=ThemeChoice.DARK)]
    image = hand.window.pane.grab().toImage()
    assert image.pixelColor(5, 300).lightness() < 60


def test_text_size_applies_at_once(hand: Hand, told: list[Settings]) -> None:
    before = hand.composer.box.fontMetrics().height()
    width = hand.window.sidebar.width()
    choose(general(hand).text_size, "Very")
    assert told[-1].base_size_px == 20
    assert hand.composer.box.fontMetrics().height() > before
    assert hand.window.sidebar.width() == round(width * 20 / 15)


def test_size_from_the_file_that_is_not_offered_is_shown_as_it_is(hand: Hand) -> None:
    hand.window.show_settings(Settings(base_size_px=16))
    assert general(hand).text_size.currentText() == "16 px"


def test_enter_can_be_made_to_queue(hand: Hand, told: list[Settings]) -> None:
    choose(general(hand).intent, "Queue")
    assert told[-1].enter_intent is Intent.QUEUE


def test_ctrl_enter_can_be_made_to_send(hand: Hand, told: list[Settings]) -> None:
    box = general(hand).ctrl_enter
    QTest.keyClick(box, Qt.Key.Key_Space)
    assert told[-1].send_with_ctrl_enter


def test_problem_with_a_server_leads_to_the_models_page(hand: Hand) -> None:
    hand.window.pane.transcript.problem_action_requested.emit("unreachable")
    assert hand.window.preferences.dialog.names.currentItem().text() == "Models"


def test_escape_closes_the_settings_and_does_not_stop(busy: Hand) -> None:
    assert busy.status.endswith("Esc to stop")
    busy.window.preferences.open()
    dialog = busy.window.preferences.dialog
    assert "Esc" not in busy.status
    QTest.keyClick(dialog, Qt.Key.Key_Escape)
    QApplication.processEvents()
    assert not dialog.isVisible()
    assert busy.commands == []
