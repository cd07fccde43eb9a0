"""The transcript's public face: events in, wishes out."""

from PySide6.QtWidgets import QToolButton
from pytestqt.qtbot import QtBot

from app.core.errors import Problem, ProblemKind
from app.core.events import Failed, Stopped, StopReason
from app.ui.theme import DARK, LIGHT
from app.ui.transcript.view import TranscriptView
from tests.ui.transcript.conversation import asked, ended, opened, said, started


def shown(qtbot: QtBot) -> TranscriptView:
    view = TranscriptView(LIGHT)
    qtbot.addWidget(view)
    view.resize(800, 600)
    view.show()
    qtbot.waitExposed(view)
    view.apply(opened(asked("u1", "Why?")))
    view.apply(started())
    return view


def press(view: TranscriptView, label: str) -> None:
    buttons = [b for b in view.findChildren(QToolButton) if b.text() == label and b.isVisible()]
    assert len(buttons) == 1, [b.text() for b in view.findChildren(QToolButton)]
    buttons[0].click()


def test_retry_asks_for_another_answer(qtbot: QtBot) -> None:
    view = shown(qtbot)
    view.apply(said("Because."))
    view.apply(ended())
    with qtbot.waitSignal(view.retry_requested) as asked_for:
        press(view, "Retry")
    assert asked_for.args == ["a1"]


def test_interrupted_answer_can_be_continued(qtbot: QtBot) -> None:
    view = shown(qtbot)
    view.apply(said("Beca"))
    view.apply(ended(Stopped(reason=StopReason.PERSON)))
    with qtbot.waitSignal(view.continue_requested) as asked_for:
        press(view, "Continue")
    assert asked_for.args == ["a1"]


def test_problem_offers_what_puts_it_right(qtbot: QtBot) -> None:
    view = shown(qtbot)
    view.apply(ended(Failed(problem=Problem(kind=ProblemKind.KEY_REJECTED))))
    with qtbot.waitSignal(view.problem_action_requested) as asked_for:
        press(view, "Enter key")
    assert asked_for.args == ["key_rejected"]


def test_theme_can_change_while_it_is_shown(qtbot: QtBot) -> None:
    view = shown(qtbot)
    view.set_theme(DARK)
    view.apply(said("Because."))
    assert view.accessibleName() == "Transcript"
