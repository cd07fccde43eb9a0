"""The window as a whole: what events show, what keys do everywhere."""

from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QApplication, QLineEdit, QPlainTextEdit, QToolButton
from pytestqt.qtbot import QtBot

from app.core.commands import (
    CreateConversation,
    OpenConversation,
    SaveDraft,
    SelectBranch,
    StopTurn,
    Submit,
)
from app.core.errors import Problem, ProblemKind
from app.core.events import (
    Completed,
    ConversationOpened,
    ConversationsChanged,
    Failed,
    MessageCommitted,
    ShutdownPhase,
    Stopped,
    StopReason,
    StorageTrouble,
    TurnEnded,
)
from app.core.ids import ConversationId, MessageId
from app.core.messages import Draft, Intent, OrderKind, Tree, WaitState
from app.ui.composer.round_button import Face
from app.ui.status import Announcement
from tests.ui import canned
from tests.ui.conftest import Hand

CTRL = Qt.KeyboardModifier.ControlModifier
ESC = Qt.Key.Key_Escape


def ended(outcome: Completed | Stopped | Failed, epoch: int = 8) -> TurnEnded:
    return TurnEnded(conversation_id=canned.HERE, turn_id=canned.TURN, epoch=epoch, outcome=outcome)


def opened(conversation_id: str, draft: Draft | None = None) -> ConversationOpened:
    return ConversationOpened(
        conversation_id=ConversationId(conversation_id),
        tree=Tree(),
        waiting=(),
        draft=draft or Draft(),
    )


def test_escape_stops_the_visible_turn_and_says_so(busy: Hand) -> None:
    busy.write("not cleared")
    busy.press(ESC)
    assert busy.last(StopTurn).epoch == 8
    assert busy.status == "Stopping…"
    busy.hear(ended(Stopped(reason=StopReason.PERSON, closed_in_s=0.0004)))
    assert busy.status == "Stopped · connection closed in 0.4 ms"
    busy.clock.pass_s(4)
    assert busy.status == ""
    assert busy.composer.box.toPlainText() == "not cleared"


def test_escape_does_nothing_when_nothing_runs(talk: Hand) -> None:
    talk.press(ESC)
    assert talk.commands == []


def test_escape_held_down_stops_once(busy: Hand) -> None:
    nothing = Qt.KeyboardModifier.NoModifier
    repeat = QKeyEvent(QKeyEvent.Type.KeyPress, ESC, nothing, "", autorep=True)
    QApplication.sendEvent(busy.composer.box, repeat)
    assert busy.commands == []


def test_second_escape_does_not_stop_what_comes_next(busy: Hand) -> None:
    busy.press(ESC)
    busy.press(ESC)
    assert len(busy.all_of(StopTurn)) == 1


@pytest.mark.parametrize("name", ["search", "list", "new", "settings"])
def test_escape_stops_from_wherever_the_focus_is(busy: Hand, name: str) -> None:
    getattr(busy.window.sidebar, name).setFocus()
    busy.press(ESC)
    assert busy.last(StopTurn).epoch == 8


def test_stop_between_enter_and_the_start_names_the_turn_to_come(talk: Hand) -> None:
    talk.write("Hello")
    talk.press(Qt.Key.Key_Return)
    talk.press(ESC)
    assert talk.last(StopTurn).epoch == 8


def test_stop_acts_on_the_visible_conversation_only(busy: Hand) -> None:
    busy.window.navigation.open(ConversationId("c2"))
    busy.hear(opened("c2"))
    busy.commands.clear()
    busy.press(ESC)
    assert busy.commands == []
    busy.window.navigation.open(canned.HERE)
    busy.press(ESC)
    assert busy.last(StopTurn).conversation_id == canned.HERE


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
    talk.hear(ended(Completed()))
    assert talk.status == ""
    assert talk.composer.round.accessibleName() == "Send"


def test_status_line_moves_on_by_itself(busy: Hand, qtbot: QtBot) -> None:
    busy.clock.pass_s(3)
    line = busy.window.pane.status_line
    qtbot.waitUntil(lambda: line.text.startswith("Writing… 3 s"))


def test_failure_offers_retry_of_the_last_thing_said(busy: Hand) -> None:
    busy.hear(ended(Failed(problem=Problem(kind=ProblemKind.UNREACHABLE))))
    assert busy.status == "Not answered"
    busy.click(busy.window.pane.status_line.retry)
    order = busy.last(Submit).order
    assert (order.kind, order.target) == (OrderKind.RETRY, "m3")


def test_changes_are_announced_once(talk: Hand) -> None:
    said: list[Announcement] = []
    talk.window.pane.announced.connect(said.append)
    talk.write("Hello")
    talk.press(Qt.Key.Key_Return)
    talk.hear(canned.started(8), canned.said("One"), canned.said(" two"), ended(Completed()))
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


def test_draft_and_cursor_come_back_with_their_conversation(talk: Hand) -> None:
    talk.write("first draft")
    for _ in range(3):
        talk.press(Qt.Key.Key_Left)
    talk.window.navigation.open(ConversationId("c2"))
    assert talk.all_of(SaveDraft)[-1].draft == Draft(text="first draft", cursor=8)
    assert talk.composer.box.toPlainText() == ""
    talk.hear(opened("c2", Draft(text="stored", cursor=2)))
    assert talk.composer.draft == Draft(text="stored", cursor=2)
    talk.window.navigation.open(canned.HERE)
    assert talk.composer.draft == Draft(text="first draft", cursor=8)


def test_words_typed_before_a_draft_arrives_are_kept_beside_it(talk: Hand) -> None:
    talk.window.navigation.open(ConversationId("c2"))
    talk.write("typed early")
    talk.hear(opened("c2", Draft(text="stored", cursor=6)))
    assert talk.composer.box.toPlainText() == "stored\ntyped early"


def test_sent_message_does_not_come_back_as_a_draft(talk: Hand) -> None:
    talk.write("Hello")
    talk.press(Qt.Key.Key_Return)
    talk.window.navigation.open(ConversationId("c2"))
    talk.window.navigation.open(canned.HERE)
    assert talk.composer.box.toPlainText() == ""


def test_chips_and_status_belong_to_their_conversation(busy: Hand) -> None:
    busy.clock.pass_s(1)
    busy.hear(canned.queue(canned.waiting("w1", "Later", Intent.QUEUE, WaitState.WAITING)))
    busy.window.navigation.open(ConversationId("c2"))
    busy.hear(opened("c2"))
    busy.hear(canned.said("still writing elsewhere"))
    assert busy.status == ""
    assert busy.composer.round.face is Face.SEND


def test_ctrl_n_turns_to_a_new_conversation_once(talk: Hand) -> None:
    talk.press(Qt.Key.Key_N, CTRL)
    talk.last(CreateConversation)
    talk.press(Qt.Key.Key_N, CTRL)
    assert len(talk.all_of(CreateConversation)) == 1
    assert QApplication.focusWidget() is talk.composer.box


def test_newest_conversation_opens_at_the_start_unless_something_was_typed(hand: Hand) -> None:
    hand.hear(canned.listed())
    assert hand.last(OpenConversation).conversation_id == "c1"


def test_empty_list_before_the_real_one_changes_nothing(hand: Hand) -> None:
    hand.hear(ConversationsChanged(conversations=()), canned.listed())
    assert hand.last(OpenConversation).conversation_id == "c1"


def test_person_who_asked_for_a_new_conversation_keeps_it(hand: Hand) -> None:
    hand.press(Qt.Key.Key_N, CTRL)
    hand.hear(canned.listed())
    assert hand.all_of(OpenConversation) == []


def test_typing_before_the_list_arrives_stays_where_it_is(hand: Hand) -> None:
    hand.write("Quick question")
    hand.hear(canned.listed())
    assert hand.all_of(OpenConversation) == []
    assert hand.composer.box.toPlainText() == "Quick question"


def test_list_that_changes_later_opens_nothing(talk: Hand) -> None:
    talk.window.navigation.new()
    talk.commands.clear()
    talk.hear(canned.listed())
    assert talk.commands == []


def test_sidebar_goes_and_comes_back(talk: Hand) -> None:
    header = talk.window.pane.header
    talk.click(header.toggle)
    assert not talk.window.sidebar.isVisible()
    assert header.toggle.accessibleName() == "Show the sidebar"
    talk.click(header.new)
    talk.last(CreateConversation)
    talk.click(header.toggle)
    assert talk.window.sidebar.isVisible()
    assert talk.window.sidebar.width() == 264


def test_narrow_window_gives_the_page_all_its_room_and_takes_it_back(talk: Hand) -> None:
    window = talk.window
    window.resize(500, 600)
    assert not window.sidebar.isVisible()
    assert window.pane.width() == 500
    window.resize(1000, 600)
    assert window.sidebar.isVisible()
    assert window.pane.geometry().left() == 264


def test_sidebar_over_a_narrow_page_goes_once_a_conversation_was_chosen(talk: Hand) -> None:
    window = talk.window
    window.resize(500, 600)
    talk.click(window.pane.header.toggle)
    assert window.sidebar.isVisible()
    assert window.pane.width() == 500
    window.sidebar.open_wished.emit("c2")
    assert not window.sidebar.isVisible()
    window.resize(1000, 600)
    assert window.sidebar.isVisible()


def test_hidden_sidebar_stays_hidden_when_the_window_grows(talk: Hand) -> None:
    talk.window.navigation.toggle_sidebar()
    talk.window.resize(500, 600)
    talk.window.resize(1000, 600)
    assert not talk.window.sidebar.isVisible()


def test_f2_brings_the_sidebar_back_to_rename(talk: Hand) -> None:
    talk.window.navigation.toggle_sidebar()
    talk.press(Qt.Key.Key_F2)
    assert talk.window.sidebar.isVisible()
    assert isinstance(QApplication.focusWidget(), QLineEdit)


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


def test_empty_page_does_not_flash_while_a_conversation_opens(talk: Hand) -> None:
    talk.window.navigation.open(ConversationId("c2"))
    assert not talk.window.pane.empty.isVisible()


def test_stale_words_of_another_conversation_are_not_shown(busy: Hand) -> None:
    busy.window.navigation.new()
    busy.hear(canned.said("late words"))
    assert busy.window.pane.empty.isVisible()


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
    busy.hear(ended(Failed(problem=offline), epoch=9))
    assert name in busy.status
    QApplication.processEvents()
    line = busy.window.pane.status_line
    assert line.retry.isVisible()
    assert line.retry.geometry().right() <= line.width()


def edit_in_bubble(hand: Hand) -> QPlainTextEdit:
    """Open the last question for change, as the person would."""
    buttons = hand.window.pane.transcript.findChildren(QToolButton)
    edits = [b for b in buttons if b.isVisible() and b.text() == "Edit"]
    hand.click(max(edits, key=lambda b: b.mapTo(hand.window, b.pos()).y()))
    focus = QApplication.focusWidget()
    assert isinstance(focus, QPlainTextEdit)
    assert focus.accessibleName() == "Edit message"
    return focus


def test_escape_leaves_a_message_that_is_edited_before_it_stops(busy: Hand) -> None:
    edit_in_bubble(busy)
    assert "Esc" not in busy.status
    busy.window.pane.focus_message()
    busy.press(ESC)
    assert busy.commands == []
    assert busy.status.endswith("Esc to stop")
    busy.press(ESC)
    busy.last(StopTurn)


def test_escape_in_the_find_bar_closes_it_and_does_not_stop(busy: Hand) -> None:
    busy.press(Qt.Key.Key_F, CTRL)
    assert isinstance(QApplication.focusWidget(), QLineEdit)
    assert "Esc" not in busy.status
    busy.press(ESC)
    assert busy.commands == []
    assert busy.status.endswith("Esc to stop")
