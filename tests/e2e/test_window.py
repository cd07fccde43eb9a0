"""The real window, typed into by a person's hand."""

import os
import signal
from pathlib import Path

import pytest

from app.core.messages import Ending, Role
from tests.conftest import BelayStarter
from tests.e2e import stored
from tests.e2e.hand import Hand, until
from tests.fakes.script import gated
from tests.fakes.server import FakeServer


def ask(hand: Hand, server: FakeServer, text: str, gate: str = "gate") -> None:
    """Send a question and wait until its answer stands at its gate."""
    hand.type(text)
    hand.press("Return")
    server.log.wait_for(lambda log: gate in log.gates_reached)


def test_a_typed_question_is_answered_and_kept(
    hand: Hand, server: FakeServer, belay_home: Path
) -> None:
    server.script(gated("The rope ", "holds."))
    hand.open()
    ask(hand, server, "Does it hold?")
    server.release()
    until(lambda: _text(belay_home) == "The rope holds.", "the whole answer on disk")
    assert hand.quit() == 0
    question, answer = stored.messages(belay_home)
    assert (question.role, question.text) == (Role.USER, "Does it hold?")
    assert answer.ending is Ending.COMPLETE


def test_esc_closes_the_connection_and_keeps_the_partial_answer(
    hand: Hand, server: FakeServer, belay_home: Path
) -> None:
    server.script(gated("The rope ", "holds."))
    hand.open()
    ask(hand, server, "Does it hold?")
    until(lambda: _text(belay_home) == "The rope ", "the first words on disk")
    hand.press("Escape")
    server.log.wait_for(lambda log: not log.open_connections)
    assert hand.quit() == 0
    _, answer = stored.messages(belay_home)
    assert (answer.text, answer.ending) == ("The rope ", Ending.STOPPED)
    assert len(server.log.chats) == 1


def test_enter_while_it_works_redirects(hand: Hand, server: FakeServer, belay_home: Path) -> None:
    server.script(gated("First ", "never", "one"), gated("Second", " answer", "two"))
    hand.open()
    ask(hand, server, "Tell me everything.", "one")
    ask(hand, server, "Only the end.", "two")
    server.release("two")
    until(lambda: _text(belay_home) == "Second answer", "the second answer")
    assert hand.quit() == 0
    said = [message["content"] for message in server.log.chats[-1].messages]
    assert said[-1] == "Only the end."
    assert server.log.violations == []
    assert stored.messages(belay_home)[1].ending is Ending.REDIRECTED


def test_kill_9_in_the_middle_loses_nothing_and_leaves_no_process(
    hand: Hand, server: FakeServer, belay_home: Path
) -> None:
    server.script(gated("The rope ", "holds."))
    belay = hand.open()
    ask(hand, server, "Does it hold?")
    hand.type("a draft")
    until(lambda: _text(belay_home) == "The rope ", "the partial answer on disk")
    until(lambda: _draft(belay_home) == "a draft", "the draft on disk")
    os.kill(belay.pid, signal.SIGKILL)
    belay.wait()
    until(lambda: not belay.tree(), "no process is left")
    hand.open()
    until(lambda: hand.title().startswith("Does it hold?"), "the conversation is shown again")
    assert hand.quit() == 0
    question, answer = stored.messages(belay_home)
    assert question.text == "Does it hold?"
    assert (answer.text, answer.ending) == ("The rope ", Ending.BELAY_CLOSED)
    assert _draft(belay_home) == "a draft"
    assert len(server.log.chats) == 1  # nothing is sent by itself


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_a_signal_quits_an_idle_window(hand: Hand, number: signal.Signals) -> None:
    belay = hand.open()
    belay.send_signal(number)
    assert belay.wait() == 0
    assert belay.tree() == []


def test_quit_in_the_middle_of_an_answer_keeps_it(
    hand: Hand, server: FakeServer, belay_home: Path
) -> None:
    server.script(gated("The rope ", "holds."))
    belay = hand.open()
    ask(hand, server, "Does it hold?")
    assert hand.quit() == 0
    assert belay.tree() == []
    _, answer = stored.messages(belay_home)
    assert (answer.text, answer.ending) == ("The rope ", Ending.BELAY_CLOSED)


def test_a_second_start_hands_its_text_to_the_first(
    hand: Hand, start_belay: BelayStarter, server: FakeServer, belay_home: Path
) -> None:
    hand.open()
    second = start_belay("words from outside", env=hand.env)
    assert second.wait() == 0
    until(lambda: _draft(belay_home) == "words from outside", "the words in the composer")
    server.script(gated("Heard", "."))
    hand.press("Return")
    server.log.wait_for(lambda log: log.chats)
    assert server.log.chats[0].messages[-1]["content"] == "words from outside"
    assert hand.quit() == 0


def test_ask_beside_the_window_disturbs_nothing(
    hand: Hand, start_belay: BelayStarter, server: FakeServer, belay_home: Path
) -> None:
    server.script(gated("The rope ", "holds."))
    hand.open()
    ask(hand, server, "Does it hold?")
    beside = start_belay("ask", "Are you there?", env=hand.env)
    beside.close_stdin()
    assert beside.wait() == 0
    server.release()
    until(lambda: _whole(belay_home, "Does it hold?"), "the window's answer is whole")
    assert hand.quit() == 0
    endings = {stored.messages(belay_home, at)[-1].ending for at in (0, 1)}
    assert endings == {Ending.COMPLETE}


def _text(home: Path) -> str:
    found = stored.messages_so_far(home)
    return found[-1].text if found and found[-1].role is Role.ASSISTANT else ""


def _draft(home: Path) -> str:
    return stored.draft_so_far(home)


def _whole(home: Path, question: str) -> bool:
    return any(
        path[0].text == question and path[-1].ending is Ending.COMPLETE
        for path in stored.paths_so_far(home)
        if path
    )
