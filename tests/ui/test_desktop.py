"""The desktop's own ways of ending a program, and of not ending it."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.core.commands import SaveDraft
from app.main.desktop import Desktop
from tests.ui.conftest import Hand


def test_end_of_the_session_is_quit_with_the_draft_on_its_way(
    talk: Hand, qapp: QApplication, qtbot: QtBot
) -> None:
    Desktop(qapp, talk.window, platform="linux")
    talk.write("half a thought")
    with qtbot.waitSignal(talk.window.quit_requested):
        qapp.commitDataRequest.emit(None)
    assert talk.last(SaveDraft).draft.text == "half a thought"


def test_on_a_mac_an_app_whose_window_is_hidden_shows_it_when_turned_to(
    talk: Hand, qapp: QApplication
) -> None:
    desktop = Desktop(qapp, talk.window, platform="darwin")
    talk.window.hide()
    desktop.on_state_changed(Qt.ApplicationState.ApplicationInactive)
    assert not talk.window.isVisible()
    desktop.on_state_changed(Qt.ApplicationState.ApplicationActive)
    assert talk.window.isVisible()


def test_on_a_mac_the_quit_of_the_menu_still_quits(
    talk: Hand, qapp: QApplication, qtbot: QtBot
) -> None:
    Desktop(qapp, talk.window, platform="darwin")
    with qtbot.waitSignal(talk.window.quit_requested):
        talk.window.close()  # as the system closes it for Quit: not by the person's hand
