"""Turning from conversation to conversation: drafts, lists, the sidebar."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QLineEdit

from app.core.commands import (
    CreateConversation,
    OpenConversation,
    SaveDraft,
)
from app.core.events import (
    ConversationsChanged,
)
from app.core.ids import ConversationId
from app.core.messages import Draft, Intent, WaitState
from app.ui.composer.round_button import Face
from tests.ui import canned
from tests.ui.conftest import Hand

CTRL = Qt.KeyboardModifier.ControlModifier
ESC = Qt.Key.Key_Escape
DRAFT = ConversationId("never sent")


def test_draft_and_cursor_come_back_with_their_conversation(talk: Hand) -> None:
    talk.write("first draft")
    for _ in range(3):
        talk.press(Qt.Key.Key_Left)
    talk.window.navigation.open(ConversationId("c2"))
    assert talk.all_of(SaveDraft)[-1].draft == Draft(text="first draft", cursor=8)
    assert talk.composer.box.toPlainText() == ""
    talk.hear(canned.blank("c2", Draft(text="stored", cursor=2)))
    assert talk.composer.draft == Draft(text="stored", cursor=2)
    talk.window.navigation.open(canned.HERE)
    assert talk.composer.draft == Draft(text="first draft", cursor=8)


def test_words_typed_before_a_draft_arrives_are_kept_beside_it(talk: Hand) -> None:
    talk.window.navigation.open(ConversationId("c2"))
    talk.write("typed early")
    talk.hear(canned.blank("c2", Draft(text="stored", cursor=6)))
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
    busy.hear(canned.blank("c2"))
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


def test_empty_page_does_not_flash_while_a_conversation_opens(talk: Hand) -> None:
    talk.window.navigation.open(ConversationId("c2"))
    assert not talk.window.pane.empty.isVisible()


def test_stale_words_of_another_conversation_are_not_shown(busy: Hand) -> None:
    busy.window.navigation.new()
    busy.hear(canned.said("late words"))
    assert busy.window.pane.empty.isVisible()


def test_unsent_draft_is_where_a_start_leads(hand: Hand) -> None:
    hand.window.navigation.resume(DRAFT)
    hand.hear(canned.listed())
    assert hand.window.desk.state.id == DRAFT


def test_unsent_draft_is_where_a_start_leads_also_when_the_list_comes_first(hand: Hand) -> None:
    hand.hear(canned.listed())
    hand.window.navigation.resume(DRAFT)
    assert hand.window.desk.state.id == DRAFT


def test_person_who_writes_already_is_not_led_away(hand: Hand) -> None:
    hand.write("quick")
    hand.window.navigation.resume(DRAFT)
    assert hand.composer.box.toPlainText() == "quick"
    assert hand.all_of(OpenConversation) == []


def test_person_who_chose_a_conversation_is_not_led_away(talk: Hand) -> None:
    talk.window.navigation.resume(DRAFT)
    assert talk.window.desk.state.id == canned.HERE
