"""The window as a whole: what events show, what keys do everywhere."""

from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.core.commands import (
    SaveDraft,
    SelectBranch,
    Submit,
)
from app.core.errors import Problem, ProblemKind
from app.core.events import (
    Completed,
    Failed,
    MessageCommitted,
    ShutdownPhase,
    StorageTrouble,
)
from app.core.ids import ConversationId, MessageId
from app.core.messages import OrderKind
from app.core.status import Announcement
from tests.ui import canned
from tests.ui.conftest import Hand

CTRL = Qt.KeyboardModifier.ControlModifier
ESC = Qt.Key.Key_Escape


def test_status_and_button_follow_a_turn(talk: Hand) -> None:
    talk.write("Hello")
    talk.press(Qt.Key.Key_Return)
    assert talk.status == "Saving… · Esc to stop"
    order = talk.last(Submit).order
    talk.hear(MessageCommitted(conversation_id=canned.HERE, message_id=order.id))
    talk.hear(canned.started(8))
    assert talk.status == "Connecting to local-7b… · Esc to stop"
    talk.hear(canned.said("x" * 400))
    assert talk.status == "Writing… · Esc to stop"
    assert talk.composer.round.accessibleName() == "Stop"
    talk.hear(canned.ended(Completed()))
    assert talk.status == ""
    assert talk.composer.round.accessibleName() == "Send"


def test_status_line_moves_on_by_itself(busy: Hand, qtbot: QtBot) -> None:
    busy.clock.pass_s(3)
    line = busy.window.pane.status_line
    qtbot.waitUntil(lambda: line.text.startswith("Writing… 3 s"))


def test_failure_offers_retry_of_the_last_thing_said(busy: Hand) -> None:
    busy.hear(canned.ended(Failed(problem=Problem(kind=ProblemKind.UNREACHABLE))))
    assert busy.status == "Not answered"
    busy.click(busy.window.pane.status_line.retry)
    order = busy.last(Submit).order
    assert (order.kind, order.target) == (OrderKind.RETRY, "m3")


def test_changes_are_announced_once(talk: Hand) -> None:
    said: list[Announcement] = []
    talk.window.pane.announced.connect(said.append)
    talk.write("Hello")
    talk.press(Qt.Key.Key_Return)
    talk.hear(canned.started(8), canned.said("One"), canned.said(" two"), canned.ended(Completed()))
    assert [each.text for each in said] == ["Sent", "Answering", "Answer finished"]


def test_transcripts_wishes_become_commands(talk: Hand) -> None:
    transcript = talk.window.pane.transcript
    transcript.retry_requested.emit("m2")
    assert talk.last(Submit).order.kind is OrderKind.RETRY
    transcript.continue_requested.emit("m2")
    assert talk.last(Submit).order.kind is OrderKind.CONTINUE
    transcript.edit_submitted.emit("m1", "Other words")
    order = talk.last(Submit).order
    assert (order.kind, order.target, order.text) == (OrderKind.EDIT, "m1", "Other words")
    transcript.branch_selected.emit("m2")
    assert talk.last(SelectBranch).message_id == "m2"


def test_editing_a_message_leaves_the_composer_alone(talk: Hand) -> None:
    talk.write("my draft")
    talk.window.pane.transcript.edit_submitted.emit("m1", "Other words")
    assert talk.composer.box.toPlainText() == "my draft"


def test_storage_trouble_is_said_with_its_details(talk: Hand) -> None:
    trouble = Problem(kind=ProblemKind.STORAGE_FULL, detail="SQLITE_FULL")
    talk.hear(StorageTrouble(problem=trouble))
    notice = talk.window.pane.notice
    assert notice.isVisible()
    assert notice.accessibleName() == "The disk is full. Free some space, then try again."
    assert not notice.copy.isVisible()
    talk.click(notice.details)
    talk.click(notice.copy)
    assert "SQLITE_FULL" in QApplication.clipboard().text()
    talk.click(notice.close_button)
    assert not notice.isVisible()


def test_quit_turns_input_off_saves_the_draft_and_asks_once(talk: Hand, qtbot: QtBot) -> None:
    asked: list[bool] = []
    talk.window.quit_requested.connect(lambda: asked.append(True))
    talk.write("unsaved")
    talk.window.close()
    talk.window.close()
    assert talk.last(SaveDraft).draft.text == "unsaved"
    assert asked == [True]
    assert talk.window.windowTitle() == "Belay: closing"
    assert not talk.composer.box.isEnabled()
    assert talk.window.isVisible()
    dialog = talk.window.closing_dialog
    assert not dialog.isVisible()
    qtbot.waitUntil(dialog.isVisible)


def test_ctrl_q_quits(talk: Hand, qtbot: QtBot) -> None:
    with qtbot.waitSignal(talk.window.quit_requested):
        talk.press(Qt.Key.Key_Q, CTRL)


def test_closing_dialog_says_what_is_waited_for(talk: Hand, qtbot: QtBot) -> None:
    dialog = talk.window.closing_dialog
    talk.hear(ShutdownPhase(name="the answer", deadline_s=0.5, saved=False))
    assert dialog.words == ("Waiting for the answer, at most 1 s.", "Saving…")
    talk.hear(ShutdownPhase(name="the microphone", deadline_s=2.4, saved=True))
    assert dialog.words == (
        "Waiting for the microphone, at most 3 s.",
        "Everything you wrote is saved.",
    )
    dialog.open()
    dialog.reject()
    assert dialog.isVisible()
    with qtbot.waitSignal(talk.window.quit_now_requested):
        dialog.quit_now.click()


def test_welcome_stands_aside_for_typing(hand: Hand) -> None:
    pane = hand.window.pane
    pane.begin_welcome(has_built_in=True, talk_key="F9")
    assert pane.welcome.isVisible()
    assert QApplication.focusWidget() is hand.composer.box
    hand.write("H")
    assert not pane.welcome.isVisible()
    assert pane.empty.isVisible()
    hand.press(Qt.Key.Key_Return)
    assert not pane.empty.isVisible()


@pytest.mark.parametrize("name", ["m2", "m3"])
def test_retry_reaches_the_message_it_was_asked_for(talk: Hand, name: str) -> None:
    talk.window.pane.transcript.retry_requested.emit(name)
    assert talk.last(Submit).order.target == MessageId(name)


def test_model_chip_names_the_model_that_answers_here(talk: Hand) -> None:
    elsewhere = replace(canned.started(3), conversation_id=ConversationId("c2"), model="other")
    talk.hear(canned.started(8), elsewhere)
    assert talk.composer.model_chip.text() == "local-7b ▾"


def test_long_status_is_elided_and_leaves_its_button_in_reach(busy: Hand) -> None:
    busy.window.resize(420, 500)
    name = "a-model-with-a-very-long-name-that-nobody-would-type-by-hand"
    busy.hear(replace(canned.started(9), model=name))
    offline = Problem(kind=ProblemKind.NO_NETWORK)
    busy.hear(canned.ended(Failed(problem=offline), epoch=9))
    assert name in busy.status
    QApplication.processEvents()
    line = busy.window.pane.status_line
    assert line.retry.isVisible()
    assert line.retry.geometry().right() <= line.width()
