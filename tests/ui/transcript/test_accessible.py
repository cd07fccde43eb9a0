"""What a screen reader finds: a list of messages, each with its plain text."""

import pytest
from PySide6.QtGui import QAccessible, QAccessibleInterface
from pytestqt.qtbot import QtBot

from app.core.errors import Problem, ProblemKind
from app.core.events import Failed
from app.ui.theme import LIGHT
from app.ui.transcript import accessible
from app.ui.transcript.copying import reading_text
from app.ui.transcript.item import MessageItem
from app.ui.transcript.view import TranscriptView
from tests.ui.transcript.conversation import asked, ended, message, opened, said, started

NAME = QAccessible.Text.Name


@pytest.fixture
def view(qtbot: QtBot) -> TranscriptView:
    accessible.install()
    view = TranscriptView(LIGHT)
    qtbot.addWidget(view)
    view.resize(800, 500)
    view.show()
    view.apply(opened(asked("u1", "Why *so*?"), message("a1", "**Because** of 🎉.", parent="u1")))
    return view


def interface(view: TranscriptView) -> QAccessibleInterface:
    return QAccessible.queryAccessibleInterface(view)


def test_transcript_is_a_list_of_its_messages(view: TranscriptView) -> None:
    found = interface(view)
    assert found.role() is QAccessible.Role.List
    assert found.text(NAME) == "Transcript"
    items = [found.child(i) for i in range(found.childCount() - 1)]
    assert [item.role() for item in items] == [QAccessible.Role.ListItem] * 2
    assert [item.text(NAME) for item in items] == ["You: Why *so*?", "Assistant: Because of 🎉."]


def test_items_know_their_place(view: TranscriptView) -> None:
    found = interface(view)
    second = found.child(1)
    assert found.indexOfChild(second) == 1
    assert second.parent() is found
    assert second.rect().height() > 10
    assert not second.state().offscreen


def test_text_can_be_read_by_the_character(view: TranscriptView) -> None:
    text = interface(view).child(1).textInterface()
    assert text.characterCount() == len("Because of ") + 2 + 1
    assert text.text(0, 7) == "Because"
    assert text.text(11, 13) == "🎉"


def test_answer_grows_for_the_screen_reader_too(view: TranscriptView) -> None:
    found = interface(view)
    item = found.child(1)
    view.apply(started())
    view.apply(said("More.", "a2"))
    assert found.childCount() - 1 == 3
    assert found.child(2).text(NAME) == "Assistant: More."
    assert found.child(1) is item


def test_problems_and_endings_are_read_too(view: TranscriptView) -> None:
    view.apply(started())
    view.apply(said("Hal", "a2"))
    view.apply(ended(Failed(problem=Problem(kind=ProblemKind.BROKEN_OFF))))
    said_aloud = interface(view).child(2).text(NAME)
    assert said_aloud == "Assistant: Hal\n\nThe connection broke. What arrived is kept."


def test_items_out_of_the_conversation_are_not_valid(view: TranscriptView) -> None:
    second = interface(view).child(1)
    view.apply(opened(asked("u9", "Alone")))
    assert not second.isValid()
    assert second.text(NAME) == ""


def test_buttons_are_reached_through_the_last_child(view: TranscriptView) -> None:
    found = interface(view)
    area = found.child(found.childCount() - 1)
    names = [area.child(i).text(NAME) for i in range(area.childCount())]
    assert {"Copy", "Retry", "Edit"} <= set(names)
    assert found.indexOfChild(area) == 2


def test_what_a_message_does_not_offer_is_not_there(view: TranscriptView) -> None:
    # Screen readers ask for all of them; a wrong answer is a wild pointer.
    item = interface(view).child(0)
    assert item.actionInterface() is None
    assert item.editableTextInterface() is None
    assert item.selectionInterface() is None
    assert item.tableCellInterface() is None
    assert item.valueInterface() is None
    assert item.attributesInterface() is None


def test_long_answer_is_put_together_once_however_often_it_is_asked_for(
    view: TranscriptView, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[MessageItem] = []

    def counted(item: MessageItem) -> str:
        read.append(item)
        return reading_text(item)

    monkeypatch.setattr(accessible, "reading_text", counted)
    item = interface(view).child(1)
    for _ in range(5):
        item.textInterface().text(0, 4)
        item.text(NAME)
    assert len(read) == 1
    view.apply(started())
    view.apply(said("More.", "a2"))
    assert interface(view).child(2).text(NAME) == "Assistant: More."
    view.apply(said(" Still more.", "a2"))
    view.flush()
    assert interface(view).child(2).text(NAME) == "Assistant: More. Still more."
