"""Notices: a sentence, an action, and details on request."""

import pytest
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.core.errors import Problem, ProblemKind
from app.ui.notice import Notice
from app.ui.theme import LIGHT

FULL = Problem(kind=ProblemKind.STORAGE_FULL, detail="SQLITE_FULL: 13")


@pytest.fixture
def notice(qtbot: QtBot) -> Notice:
    made = Notice(theme=LIGHT)
    qtbot.addWidget(made)
    made.resize(600, 60)
    return made


def edge(notice: Notice) -> QColor:
    QApplication.processEvents()
    return notice.grab().toImage().pixelColor(0, notice.height() // 2)


def test_problem_is_edged_in_danger_and_a_remark_is_not(notice: Notice) -> None:
    notice.show_problem(FULL)
    assert edge(notice) == QColor(LIGHT.danger)
    notice.show_sentence("Belay closed unexpectedly. Your conversations are here.")
    assert edge(notice) == QColor(LIGHT.border)


def test_details_show_and_hide_and_are_never_in_the_sentence(notice: Notice) -> None:
    notice.show_problem(FULL)
    assert "SQLITE" not in notice.accessibleName()
    notice.details.click()
    assert notice.details.text() == "Hide details"
    notice.copy.click()
    assert QApplication.clipboard().text().endswith("SQLITE_FULL: 13")
    notice.details.click()
    assert not notice.copy.isVisible()


def test_without_details_none_are_offered(notice: Notice) -> None:
    notice.show_sentence("Last time the microphone did not stop, so Belay closed itself.")
    assert not notice.details.isVisible()


def test_action_is_offered_once(notice: Notice, qtbot: QtBot) -> None:
    notice.show_problem(FULL, action="Try again")
    with qtbot.waitSignal(notice.action_wished):
        notice.action.click()
    assert not notice.isVisible()


def test_what_stays_outlives_the_page_and_comes_back_after_what_was_said_over_it(
    notice: Notice,
) -> None:
    notice.show_sentence("Belay closed unexpectedly.", stays=True)
    notice.show_sentence("This is about the conversation.")
    notice.turn_page()
    assert notice.accessibleName() == "Belay closed unexpectedly."
    notice.show_problem(FULL)
    notice.close_button.click()
    assert notice.accessibleName() == "Belay closed unexpectedly."
    notice.close_button.click()
    assert not notice.isVisible()


def test_page_turns_what_is_about_the_conversation_away(notice: Notice) -> None:
    notice.show_problem(FULL)
    notice.turn_page()
    assert not notice.isVisible()


def test_same_sentence_is_said_once(notice: Notice) -> None:
    for _ in range(2):
        notice.show_problem(FULL, stays=True)
    notice.close_button.click()
    assert not notice.isVisible()


def test_details_of_a_mishap_can_be_copied_at_once(notice: Notice) -> None:
    notice.show_problem(Problem(kind=ProblemKind.INTERNAL, detail="ValueError: no"))
    assert notice.copy.isVisible()
    notice.copy.click()
    assert QApplication.clipboard().text().endswith("ValueError: no")
