"""The list of conversations: find, open, rename, delete, undo."""

from dataclasses import replace

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QContextMenuEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLineEdit, QMenu

from app.core.commands import (
    CreateConversation,
    DeleteConversation,
    OpenConversation,
    RenameConversation,
    RestoreConversation,
    SaveDraft,
    StopTurn,
)
from app.core.events import ConversationsChanged
from app.core.ids import ConversationId
from app.core.messages import Mark
from app.ui.sidebar.conversation_list import ConversationList
from tests.ui import canned
from tests.ui.conftest import Hand

LEFT = Qt.MouseButton.LeftButton


def rows(hand: Hand) -> list[str]:
    """List the rows as a screen reader reads them."""
    model = hand.window.sidebar.list.rows
    role = Qt.ItemDataRole.AccessibleTextRole
    return [model.data(model.index(row), role) for row in range(model.rowCount())]


def listing(hand: Hand) -> ConversationList:
    return hand.window.sidebar.list


def click_on(hand: Hand, conversation_id: str) -> None:
    """Click on a conversation's row."""
    view = listing(hand)
    spot = view.visualRect(view.rows.index_of(ConversationId(conversation_id))).center()
    QTest.mouseClick(view.viewport(), LEFT, pos=spot)


def test_conversations_stand_under_their_day_with_their_mark(talk: Hand) -> None:
    assert rows(talk) == [
        "Today",
        "Fenwick tree for a chat view, working",
        "Trip plan: Lisbon in May, answered",
        "Why is my query slow?, failed",
        "Yesterday",
        "Rewrite of the cover letter, held",
        "This week",
        "Transcribe meeting 12 Nov",
        "Bread, 75 % hydration",
        "A very long title that cannot fit into the list and must end in dots",
        "Earlier",
        "Regex for ISO dates",
    ]


def test_search_filters_titles_in_any_case(talk: Hand) -> None:
    talk.click(talk.window.sidebar.search)
    talk.write("lisBON")
    assert rows(talk) == ["Today", "Trip plan: Lisbon in May, answered"]
    talk.press(Qt.Key.Key_Return)
    assert talk.last(OpenConversation).conversation_id == "c2"


def test_search_without_a_match_says_so(talk: Hand) -> None:
    talk.window.sidebar.search.setText("nowhere")
    assert talk.window.sidebar.nothing.text() == "Nothing found."
    assert talk.window.sidebar.nothing.isVisible()


def test_empty_list_says_what_will_be_here(hand: Hand) -> None:
    assert hand.window.sidebar.nothing.text() == "Conversations appear here."
    hand.hear(canned.listed())
    assert not hand.window.sidebar.nothing.isVisible()


def test_click_opens_and_the_focus_is_in_message(talk: Hand) -> None:
    click_on(talk, "c2")
    assert talk.last(OpenConversation).conversation_id == "c2"
    assert QApplication.focusWidget() is talk.composer.box
    assert talk.window.windowTitle() == "Trip plan: Lisbon in May – Belay"


def test_heading_cannot_be_opened(talk: Hand) -> None:
    view = listing(talk)
    QTest.mouseClick(view.viewport(), LEFT, pos=view.visualRect(view.rows.index(0)).center())
    assert talk.commands == []


def test_keys_walk_past_headings_and_enter_opens(talk: Hand) -> None:
    listing(talk).setFocus()
    for _ in range(3):
        talk.press(Qt.Key.Key_Down)
    talk.press(Qt.Key.Key_Return)
    assert talk.last(OpenConversation).conversation_id == "c4"


def test_f2_renames_the_open_conversation_in_place(talk: Hand) -> None:
    talk.press(Qt.Key.Key_F2)
    editor = QApplication.focusWidget()
    assert isinstance(editor, QLineEdit)
    assert editor.text() == "Fenwick tree for a chat view"
    talk.write("Sums of heights")
    talk.press(Qt.Key.Key_Return)
    renamed = talk.last(RenameConversation)
    assert (renamed.conversation_id, renamed.title) == ("c1", "Sums of heights")


def test_escape_leaves_a_rename_and_does_not_stop(busy: Hand) -> None:
    busy.press(Qt.Key.Key_F2)
    busy.write("Other")
    busy.press(Qt.Key.Key_Escape)
    assert busy.commands == []
    busy.window.pane.focus_message()
    busy.press(Qt.Key.Key_Escape)
    busy.last(StopTurn)


def test_empty_title_is_no_rename(talk: Hand) -> None:
    talk.press(Qt.Key.Key_F2)
    talk.press(Qt.Key.Key_Backspace)
    talk.press(Qt.Key.Key_Return)
    assert talk.commands == []


def test_rename_survives_news_of_the_list(talk: Hand) -> None:
    talk.press(Qt.Key.Key_F2)
    talk.write("Half a ti")
    changed = canned.conversations()[2:]
    talk.hear(ConversationsChanged(conversations=changed))
    editor = QApplication.focusWidget()
    assert isinstance(editor, QLineEdit)
    assert editor.text() == "Half a ti"
    talk.write("tle")
    talk.press(Qt.Key.Key_Return)
    assert talk.last(RenameConversation).title == "Half a title"
    assert rows(talk)[1] == "Why is my query slow?, failed"
    assert QApplication.focusWidget() is talk.composer.box


def test_delete_key_deletes_and_undo_restores(talk: Hand) -> None:
    listing(talk).setFocus()
    talk.press(Qt.Key.Key_Down)
    talk.press(Qt.Key.Key_Delete)
    assert talk.last(DeleteConversation).conversation_id == "c2"
    bar = talk.window.sidebar.undo_bar
    assert bar.isVisible()
    talk.click(bar.undo)
    assert talk.all_of(RestoreConversation)[0].conversation_id == "c2"
    assert talk.last(OpenConversation).conversation_id == "c2"
    assert not bar.isVisible()


def test_deleting_the_open_conversation_turns_to_a_new_one(talk: Hand) -> None:
    talk.write("my draft")
    talk.window.sidebar.list.delete_wished.emit("c1")
    kinds = [type(command) for command in talk.commands]
    assert kinds == [SaveDraft, DeleteConversation, CreateConversation]
    assert talk.window.desk.state.id != "c1"


@pytest.mark.qt_log_ignore("This plugin does not support")  # raising or grabbing, off screen
def test_context_menu_offers_open_rename_and_delete(talk: Hand) -> None:
    view = listing(talk)
    spot = view.visualRect(view.rows.index_of(ConversationId("c2"))).center()
    event = QContextMenuEvent(
        QContextMenuEvent.Reason.Mouse, spot, view.viewport().mapToGlobal(spot)
    )
    QApplication.sendEvent(view.viewport(), event)
    menu = QApplication.activePopupWidget()
    assert isinstance(menu, QMenu)
    assert [a.text() for a in menu.actions() if a.text()] == ["Open", "Rename", "Delete"]
    menu.actions()[-1].trigger()
    menu.close()
    assert talk.last(DeleteConversation).conversation_id == "c2"


def test_news_of_the_list_does_not_scroll_it(talk: Hand) -> None:
    many = tuple(
        replace(canned.conversations()[0], id=ConversationId(f"c{n}"), updated_at=canned.NOW - n)
        for n in range(200)
    )
    talk.hear(ConversationsChanged(conversations=many))
    bar = listing(talk).verticalScrollBar()
    QApplication.processEvents()
    bar.setValue(1500)
    answered = replace(many[5], mark=Mark.ANSWERED)
    talk.hear(ConversationsChanged(conversations=(*many[:5], answered, *many[6:])))
    newer = replace(many[7], updated_at=canned.NOW + 1)
    talk.hear(ConversationsChanged(conversations=(newer, *many[:7], *many[8:])))
    QApplication.processEvents()
    assert bar.value() == 1500
    assert rows(talk)[1:4] == [f"{many[0].title}, working"] * 3


def test_new_mark_is_painted_in_its_place(talk: Hand) -> None:
    view = listing(talk)
    spot = view.visualRect(view.rows.index_of(ConversationId("c5")))
    before = view.viewport().grab(spot).toImage()
    changed = tuple(
        replace(c, mark=Mark.FAILED) if c.id == "c5" else c for c in canned.conversations()
    )
    talk.hear(ConversationsChanged(conversations=changed))
    assert view.viewport().grab(spot).toImage() != before


def test_long_title_is_elided_in_the_list_and_in_the_header(talk: Hand) -> None:
    title = talk.window.pane.header.title
    click_on(talk, "c7")
    talk.window.resize(500, 500)
    QApplication.processEvents()
    assert title.width() < title.fontMetrics().horizontalAdvance(title.text())
    assert title.toolTip() == title.text()
    assert talk.window.width() == 500


@pytest.mark.parametrize("direction", list(Qt.LayoutDirection)[:2])
def test_list_is_painted_in_both_directions(talk: Hand, direction: Qt.LayoutDirection) -> None:
    talk.window.setLayoutDirection(direction)
    QApplication.processEvents()
    picture = talk.window.grab().toImage()
    sidebar_left = picture.pixelColor(QPoint(4, 400))
    sidebar_right = picture.pixelColor(QPoint(picture.width() - 4, 400))
    assert sidebar_left != sidebar_right
