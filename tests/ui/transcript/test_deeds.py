"""Buttons, branches, folds, cards, edits: what the person can do with a message."""

from collections.abc import Callable

import pytest
from PySide6.QtCore import QEvent, QPoint, Qt
from PySide6.QtGui import QInputMethodEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QPlainTextEdit
from pytestqt.qtbot import QtBot

from app.core.errors import Problem, ProblemKind
from app.core.events import Failed, Stopped, StopReason
from app.core.ids import CallId
from app.core.messages import Ending, ReasoningPart, Role, TextPart, ToolCallPart, ToolResultPart
from app.ui.transcript.buttons import SpotButton
from app.ui.transcript.rows.code import CodeRow
from tests.ui.transcript.conftest import Shown, clipboard
from tests.ui.transcript.conversation import (
    asked,
    changed,
    ended,
    message,
    opened,
    said,
    started,
    thought,
    tool_finished,
    tool_output,
    tool_started,
)

QUESTION = asked("u1", "Why?")


def editor(shown: Shown) -> QPlainTextEdit:
    (box,) = shown.view.findChildren(QPlainTextEdit)
    return box


def labels(shown: Shown) -> list[str]:
    return [button.text() for button in shown.buttons()]


def named(shown: Shown, name: str) -> SpotButton:
    (button,) = [b for b in shown.buttons() if b.accessibleName().startswith(name)]
    return button


def test_retry_of_an_answer_with_tools_begins_at_its_beginning(shown: Shown, qtbot: QtBot) -> None:
    call = ToolCallPart(call_id=CallId("k1"), name="search", arguments="{}")
    result = ToolResultPart(call_id=CallId("k1"), name="search", content="3")
    shown.hear(
        opened(
            QUESTION,
            message("a1", "", parent="u1", parts=(call,)),
            message("r1", "", parent="a1", role=Role.TOOL, parts=(result,)),
            message("a2", "Because.", parent="r1"),
        )
    )
    with qtbot.waitSignal(shown.view.retry_requested) as asked_for:
        shown.press("Retry")
    assert asked_for.args == ["a1"]


def test_while_an_answer_is_written_it_offers_nothing(shown: Shown) -> None:
    shown.hear(opened(QUESTION), started(), said("Beca"))
    assert labels(shown) == ["Copy", "Edit"]  # of the question
    shown.hear(said("use."), ended())
    assert labels(shown) == ["Copy", "Edit", "Copy", "Retry"]


def test_finishing_an_answer_moves_nothing(shown: Shown) -> None:
    shown.hear(opened(QUESTION), started(), said("Because.\n\n" * 30))
    before = [(one.placed.row, one.placed.top) for one in shown.view.seen]
    shown.hear(ended())
    assert [(one.placed.row, one.placed.top) for one in shown.view.seen] == before


@pytest.mark.parametrize(("label", "target"), [("‹", "a1"), ("›", "a3")])
def test_branches_are_a_press_away(shown: Shown, qtbot: QtBot, label: str, target: str) -> None:
    branches = [message(f"a{n}", f"Answer {n}", parent="u1", at=n) for n in (1, 2, 3)]
    shown.hear(opened(QUESTION, *branches, leaf="a2"))
    with qtbot.waitSignal(shown.view.branch_selected) as chosen:
        shown.press(label)
    assert chosen.args == [target]


def test_there_is_nothing_before_the_first_branch(shown: Shown) -> None:
    branches = [message(f"a{n}", f"Answer {n}", parent="u1", at=n) for n in (1, 2)]
    shown.hear(opened(QUESTION, *branches, leaf="a1"))
    (earlier,), (later,) = shown.buttons("‹"), shown.buttons("›")
    assert not earlier.isEnabled()
    assert later.isEnabled()
    assert later.accessibleName() == "Next version, 1 of 2 is shown"


def test_answer_written_in_a_hidden_branch_can_be_shown(shown: Shown, qtbot: QtBot) -> None:
    old = message("a0", "Old", parent="u1", at=1)
    new = message("a1", "", parent="u1", ending=Ending.OPEN, at=2)
    shown.hear(opened(QUESTION, old, new, leaf="a1", running=True), said("Ne"))
    shown.hear(changed(QUESTION, old, new, leaf="a0"))
    assert any(one.row.text == "Answering in 2/2" for one in shown.view.seen)
    with qtbot.waitSignal(shown.view.branch_selected) as chosen:
        shown.press("Show")
    assert chosen.args == ["a1"]


def test_thoughts_are_folded_away_until_they_are_wanted(shown: Shown) -> None:
    parts = (ReasoningPart(text="Deep **thoughts**."), TextPart(text="Because."))
    shown.hear(opened(QUESTION, message("a1", "", parent="u1", parts=parts)))
    assert shown.words == ["Why?", "Because."]
    named(shown, "Thoughts").click()
    assert shown.words == ["Why?", "Deep thoughts.", "Because."]
    named(shown, "Thoughts").click()
    assert shown.words == ["Why?", "Because."]


def test_thinking_says_so_until_the_answer_begins(shown: Shown) -> None:
    shown.hear(opened(QUESTION), started(), thought("Hm"))
    assert "Thinking…" in labels(shown)
    shown.hear(said("Because."))
    assert "Thoughts" in labels(shown)


def test_thoughts_unfolded_while_thinking_go_on_growing(shown: Shown) -> None:
    shown.hear(opened(QUESTION), started(), thought("First."))
    named(shown, "Thinking").click()
    shown.hear(thought(" Second."))
    assert "First. Second." in shown.words


def test_card_opens_to_arguments_and_output(shown: Shown) -> None:
    shown.hear(opened(QUESTION), started(), said("Look:"))
    shown.hear(tool_started(name="search", arguments='{"q":"x"}'), tool_output("found 1\n"))
    named(shown, "search: Running").click()
    codes = [one.row.text for one in shown.view.seen if isinstance(one.row, CodeRow)]
    assert codes == ['{\n  "q": "x"\n}', "found 1"]
    shown.hear(tool_finished("found 3"))
    codes = [one.row.text for one in shown.view.seen if isinstance(one.row, CodeRow)]
    assert codes == ['{\n  "q": "x"\n}', "found 3"]
    assert named(shown, "search: Done").spot is not None


def test_chatty_tool_is_shown_with_the_next_flush_not_at_every_word(shown: Shown) -> None:
    shown.hear(opened(QUESTION), started(), said("Look:"), tool_started())
    named(shown, "search: Running").click()
    for number in range(2000):
        shown.view.apply(tool_output(f"line {number}\n"))
    outputs = [one.row.text for one in shown.view.seen if isinstance(one.row, CodeRow)]
    assert len(outputs) == 1  # the arguments: nothing of the output was laid out yet
    shown.view.flush()
    last = shown.view.page.items[1]
    texts = [last.row(n).text for n in range(last.count) if isinstance(last.row(n), CodeRow)]
    assert texts[-1].endswith("line 1999")
    assert sum(map(len, texts)) < 9000


def test_copy_leaves_thoughts_and_tools_out(shown: Shown) -> None:
    call = ToolCallPart(call_id=CallId("k1"), name="search", arguments="{}")
    parts = (ReasoningPart(text="Hm."), TextPart(text="Because."), call)
    shown.hear(opened(QUESTION, message("a1", "", parent="u1", parts=parts)))
    named(shown, "Thoughts").click()
    named(shown, "search").click()
    shown.buttons("Copy")[-1].click()
    assert clipboard() == "Because."


def test_arguments_that_are_no_json_are_shown_as_they_are(shown: Shown) -> None:
    shown.hear(opened(QUESTION), started(), said("Look:"), tool_started(arguments='{"q": '))
    named(shown, "search: Running").click()
    assert any(one.row.text == '{"q": ' for one in shown.view.seen)


def test_problem_can_show_its_details(shown: Shown) -> None:
    problem = Problem(kind=ProblemKind.KEY_REJECTED, detail="HTTP 401: <b>no</b>")
    shown.hear(opened(QUESTION), started(), ended(Failed(problem=problem)))
    assert "HTTP 401: <b>no</b>" not in shown.words
    shown.press("Details")
    assert "HTTP 401: <b>no</b>" in shown.words


def test_retry_after_no_answer_names_the_question(shown: Shown, qtbot: QtBot) -> None:
    shown.hear(opened(QUESTION), started(), ended(Stopped(reason=StopReason.PERSON)))
    assert "Stopped before an answer" in shown.words
    with qtbot.waitSignal(shown.view.retry_requested) as asked_for:
        shown.press("Retry")
    assert asked_for.args == ["u1"]


def test_edit_happens_in_the_bubble_and_enter_sends_it(shown: Shown, qtbot: QtBot) -> None:
    shown.hear(opened(QUESTION, message("a1", "Because.", parent="u1")))
    shown.press("Edit")
    box = editor(shown)
    assert box.toPlainText() == "Why?"
    assert shown.view.is_editing
    QTest.keyClicks(box, " Really?")
    with qtbot.waitSignal(shown.view.edit_submitted) as sent:
        QTest.keyClick(box, Qt.Key.Key_Return)
    assert sent.args == ["u1", "Why? Really?"]
    assert not shown.view.is_editing


def test_escape_leaves_the_message_as_it_was(shown: Shown) -> None:
    shown.hear(opened(QUESTION, message("a1", "Because.", parent="u1")))
    before = shown.painted()
    shown.press("Edit")
    QTest.keyClicks(editor(shown), "XXX")
    QTest.keyClick(editor(shown), Qt.Key.Key_Escape)
    QApplication.processEvents()
    assert not shown.view.is_editing
    assert shown.words[0] == "Why?"
    shown.view.pointer.clear()
    assert shown.painted() == before


def test_empty_edit_is_not_sent(shown: Shown, qtbot: QtBot) -> None:
    shown.hear(opened(QUESTION))
    shown.press("Edit")
    box = editor(shown)
    box.clear()
    with qtbot.assertNotEmitted(shown.view.edit_submitted):
        QTest.keyClick(box, Qt.Key.Key_Return)
    assert shown.view.is_editing


def test_shift_enter_breaks_the_line_and_the_editor_grows(shown: Shown) -> None:
    shown.hear(opened(QUESTION))
    shown.press("Edit")
    box = editor(shown)
    before = box.height()
    for _ in range(3):
        QTest.keyClick(box, Qt.Key.Key_Return, Qt.KeyboardModifier.ShiftModifier)
    QApplication.processEvents()
    assert box.toPlainText() == "Why?\n\n\n"
    assert box.height() > before


def test_edit_survives_words_that_arrive_elsewhere(shown: Shown) -> None:
    shown.hear(opened(QUESTION, message("a1", "Because.", parent="u1")), started())
    shown.press("Edit")
    QTest.keyClicks(editor(shown), " More")
    shown.hear(said("New words.", "a2"))
    assert editor(shown).toPlainText() == "Why? More"


def test_edit_goes_on_where_it_was_when_its_conversation_is_shown_again(shown: Shown) -> None:
    shown.hear(opened(QUESTION))
    shown.press("Edit")
    QTest.keyClicks(editor(shown), " Really?")
    shown.hear(opened(asked("u2", "Something else")))
    assert not shown.view.is_editing
    QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    shown.hear(opened(QUESTION))
    assert editor(shown).toPlainText() == "Why? Really?"


def test_question_shows_its_buttons_under_the_pointer(shown: Shown) -> None:
    shown.hear(opened(QUESTION, message("a1", "Because.", parent="u1")))
    quiet = shown.painted()
    shown.hover(shown.place_of("Why?"))
    assert shown.painted() != quiet
    QTest.mouseMove(shown.view.viewport(), shown.place_of("Because"))
    QApplication.processEvents()
    assert shown.painted() == quiet


def test_links_lead_out_only_on_a_click(shown: Shown, qtbot: QtBot) -> None:
    shown.answer("See [the paper](https://example.org/a) there.")
    at = shown.place_of("paper", 2)
    with qtbot.assertNotEmitted(shown.view.link_activated):
        shown.hover(at)
        shown.drag(shown.place_of("See"), at)
    with qtbot.waitSignal(shown.view.link_activated) as followed:
        shown.click(at)
    assert followed.args == ["https://example.org/a"]


def test_pointer_over_a_link_shows_where_it_leads(shown: Shown) -> None:
    shown.answer("See [https://bank.example](https://evil.example/x) there.")
    shown.hover(shown.place_of("bank", 2))
    assert shown.view._hint.isVisible()
    assert shown.view._hint.text() == "https://evil.example/x"
    assert shown.view._hint.textFormat() is Qt.TextFormat.PlainText
    shown.hover(QPoint(5, 5))
    assert not shown.view._hint.isVisible()


def test_tab_goes_through_the_buttons_in_reading_order(shown: Shown) -> None:
    shown.hear(opened(QUESTION, message("a1", "```py\nx\n```", parent="u1")))
    shown.view.activateWindow()
    shown.view.setFocus()
    names = []
    for _ in range(5):
        QTest.keyClick(QApplication.focusWidget() or shown.view, Qt.Key.Key_Tab)
        focus = QApplication.focusWidget()
        names.append(focus.accessibleName() if focus else "")
    assert names == ["Copy", "Edit", "Copy py code", "Copy", "Retry"]


def test_focus_stays_in_the_transcript_when_its_button_scrolls_away(
    show: Callable[..., Shown],
) -> None:
    shown = show()
    shown.answer("A paragraph.\n\n" * 100)
    shown.view.activateWindow()
    shown.buttons("Copy")[0].setFocus()
    shown.view.scroll_to_end()
    assert QApplication.focusWidget() is shown.view


def test_enter_that_ends_a_composition_sends_nothing(shown: Shown, qtbot: QtBot) -> None:
    shown.hear(opened(asked("u1", "Why?")))
    shown.press("Edit")
    (box,) = shown.view.findChildren(QPlainTextEdit)
    QApplication.sendEvent(box, QInputMethodEvent("にほん", []))
    with qtbot.assertNotEmitted(shown.view.edit_submitted):
        QTest.keyClick(box, Qt.Key.Key_Return)
    assert shown.view.is_editing


def test_monstrous_message_can_be_changed(shown: Shown) -> None:
    # Wrapping one line of so many letters between words would take minutes.
    shown.hear(opened(asked("u1", "x" * 250_000)))
    shown.press("Edit")
    (box,) = shown.view.findChildren(QPlainTextEdit)
    assert len(box.toPlainText()) == 250_000
    assert box.height() < 600
