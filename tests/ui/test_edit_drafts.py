"""Words that are being changed are a draft too: saved as they are written, and there again."""

from dataclasses import replace

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QPlainTextEdit
from pytestqt.qtbot import QtBot

from app.core.commands import SaveEdit, StopTurn, Submit
from app.core.ids import MessageId
from app.core.messages import Intent, WaitState
from app.ui.chips.chip import Chip
from app.ui.chips.chip_editor import ChipEditor
from tests.ui import canned
from tests.ui.conftest import Hand

HELD = canned.waiting("w1", "Use type hints", Intent.QUEUE, WaitState.HELD)


def begin_edit(hand: Hand) -> None:
    """Open the first message for change."""
    hand.window.pane.transcript.editing.begin(0)


def saved(hand: Hand) -> list[tuple[str, str]]:
    """List the edits that were to be kept."""
    return [(command.message_id, command.text) for command in hand.all_of(SaveEdit)]


def test_words_of_an_open_edit_are_saved_while_they_are_written(talk: Hand, qtbot: QtBot) -> None:
    begin_edit(talk)
    talk.write(" More.")
    qtbot.waitUntil(lambda: bool(saved(talk)))
    assert saved(talk)[-1] == ("m1", canned.QUESTION + " More.")


def test_leaving_an_edit_ends_it_on_disk(talk: Hand) -> None:
    begin_edit(talk)
    talk.write("x")
    talk.window.pane.flush_drafts()
    talk.press(Qt.Key.Key_Escape)
    assert saved(talk) == [("m1", canned.QUESTION + "x"), ("m1", "")]


def test_what_an_edit_became_is_not_saved_as_an_edit_again(talk: Hand) -> None:
    begin_edit(talk)
    talk.write("!")
    talk.press(Qt.Key.Key_Return)
    talk.window.pane.flush_drafts()
    assert talk.last(Submit).order.target == "m1"
    assert saved(talk) == []


def test_quit_saves_the_words_of_an_open_edit(talk: Hand) -> None:
    begin_edit(talk)
    talk.write("!")
    talk.window.quit()
    assert saved(talk) == [("m1", canned.QUESTION + "!")]


def test_turning_the_page_saves_the_edit_where_it_belongs(talk: Hand) -> None:
    begin_edit(talk)
    talk.write("!")
    talk.window.navigation.new()
    assert talk.all_of(SaveEdit)[-1].conversation_id == canned.HERE


def test_edit_that_was_open_at_the_end_is_open_again_and_leaves_the_focus(hand: Hand) -> None:
    hand.window.navigation.open(canned.HERE)
    hand.hear(replace(canned.opened(), edits={MessageId("m1"): "And then?"}))
    editor = hand.window.pane.transcript.findChild(QPlainTextEdit)
    assert editor is not None
    assert (editor.toPlainText(), editor.isVisible()) == ("And then?", True)
    assert QApplication.focusWidget() is hand.composer.box


def test_edit_from_before_does_not_keep_escape_from_stopping(hand: Hand) -> None:
    hand.window.navigation.open(canned.HERE)
    hand.hear(replace(canned.opened(), edits={MessageId("m1"): "And then?"}), canned.started())
    hand.press(Qt.Key.Key_Escape)
    hand.last(StopTurn)
    assert saved(hand) == []


def test_chip_that_was_being_changed_at_the_end_is_open_again(hand: Hand) -> None:
    hand.window.navigation.open(canned.HERE)
    edits = {MessageId("w1"): "Use type hints everywhere"}
    hand.hear(replace(canned.opened(), waiting=(HELD,), edits=edits))
    (chip,) = hand.window.pane.chips.findChildren(Chip)
    (editor,) = chip.findChildren(ChipEditor)
    assert editor.toPlainText() == "Use type hints everywhere"
    assert QApplication.focusWidget() is hand.composer.box
    editor.setFocus()
    hand.write("!")
    hand.press(Qt.Key.Key_Escape)
    assert saved(hand) == [("w1", "")]
