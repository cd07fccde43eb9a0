"""What the window says after an end that was no Quit, and after an exception nobody caught."""

import os
import signal
from pathlib import Path

from app.core.messages import Ending
from tests.e2e import stored
from tests.e2e.hand import until
from tests.e2e.hostile.stage import STRICT, Stage
from tests.fakes.script import gated, saying

CRASHED = "notice: Belay closed unexpectedly. Your conversations are here."


def notices(stage: Stage) -> list[str]:
    """List the notices and details that the window on stage has shown so far."""
    lines = stage.belay.stdout.text.splitlines()
    return [line for line in lines if line.startswith(("notice: ", "detail: "))]


def quit_and_list(stage: Stage) -> list[str]:
    """Quit, and list what was said until then."""
    until(lambda: stage.hand.title() != "", "a title")
    assert stage.hand.quit() == 0
    return notices(stage)


def test_after_kill_9_the_next_start_says_so_once(stage: Stage) -> None:
    stage.open()
    stage.answer_in_part()
    os.kill(stage.belay.pid, signal.SIGKILL)
    stage.belay.wait()
    stage.open("tell")
    stage.belay.stdout.wait_for(CRASHED)
    stage.belay.stdout.wait_for("detail: It left no trace")
    assert stage.hand.quit() == 0
    stage.open("tell")
    assert quit_and_list(stage) == []
    stage.check_nothing_is_left()


def test_answer_that_a_crash_cut_off_can_be_continued_and_tried_again(
    stage: Stage, belay_home: Path
) -> None:
    def said() -> list[str]:
        return [message.text for message in stored.messages_so_far(belay_home)]

    stage.server.script(gated("The rope holds because the knot ", "never said"))
    stage.open()
    stage.send("Does it hold?")
    until(lambda: said()[1:] == ["The rope holds because the knot "], "half an answer")
    os.kill(stage.belay.pid, signal.SIGKILL)
    stage.belay.wait()
    stage.server.script(saying("because the knot is good."), saying("It does."))
    stage.open("tell")
    stage.belay.stdout.wait_for("last: The rope holds because the knot")
    assert stored.messages_so_far(belay_home)[1].ending is Ending.BELAY_CLOSED
    stage.hand.press("F11")
    stage.belay.stdout.wait_for("last: is good.\n")
    until(lambda: said()[2:] == ["is good."], "the rest, without what it repeats")
    assert stored.messages_so_far(belay_home)[2].continues
    stage.hand.press("F10")
    until(lambda: said()[-1] == "It does.", "another answer")
    assert stage.hand.quit() == 0
    stage.check_nothing_is_left()


def test_crash_of_the_interpreter_leaves_its_stacks_for_the_next_start(stage: Stage) -> None:
    stage.open()
    stage.belay.send_signal(signal.SIGSEGV)
    assert stage.belay.wait() == -signal.SIGSEGV
    stage.open("tell")
    stage.belay.stdout.wait_for(CRASHED)
    stage.belay.stdout.wait_for("detail: Fatal Python error: Segmentation fault")
    assert stage.hand.quit() == 0


def test_after_the_watchdog_the_next_start_names_what_did_not_stop(
    stage: Stage, belay_home: Path
) -> None:
    stage.open("spin", **STRICT)
    stage.belay.send_signal(signal.SIGTERM)
    assert stage.belay.wait() == 70
    left = (belay_home / "logs" / "last_shutdown.txt").read_text()
    assert "compute_for_ever" in left
    log = (belay_home / "logs" / "belay.log").read_text()
    assert "the window thread stands still" in log
    stage.open("tell")
    said = "notice: Last time the window did not stop, so Belay closed itself.\n"
    stage.belay.stdout.wait_for(said)  # and no claim that nothing was lost
    stage.belay.stdout.wait_for("compute_for_ever")
    assert stage.hand.quit() == 0


def test_uncaught_exceptions_become_a_notice_and_the_app_goes_on(
    stage: Stage, belay_home: Path
) -> None:
    stage.open("fail_everywhere")
    for failure in ("a slot failed", "a task failed", "a thread failed"):
        said = f"Something in Belay failed. Nothing you wrote is lost. | RuntimeError: {failure}"
        stage.belay.stdout.wait_for(said)
    stage.answer_in_part()
    assert stage.hand.quit() == 0
    log = (belay_home / "logs" / "belay.log").read_text()
    assert "a slot failed" in log
    assert "sk-abcdefghijklmnop" not in log + stage.belay.stdout.text
    stage.check_nothing_is_left()


def test_words_that_were_never_sent_are_there_after_a_restart(
    stage: Stage, belay_home: Path
) -> None:
    stage.open()
    stage.answer_in_part()
    stage.hand.press("ctrl+n")
    stage.hand.type("half a thought")
    until(lambda: stored.draft_so_far(belay_home) == "half a thought", "the draft on disk")
    os.kill(stage.belay.pid, signal.SIGKILL)
    stage.belay.wait()
    stage.open("tell")
    stage.belay.stdout.wait_for("draft: half a thought\n")
    assert stage.hand.quit() == 0


def test_words_of_open_edits_are_there_after_kill_9(stage: Stage, belay_home: Path) -> None:
    stage.open("edit_the_question")
    stage.answer_in_part()
    stage.hand.type("And then?")
    stage.hand.press("ctrl+shift+Return")  # wait behind the answer
    until(lambda: "And then?" in stored.everything_so_far(belay_home), "it waits")
    stage.hand.press("Up", "Return")
    stage.hand.type(" Go on.")
    stage.belay.stdout.wait_for("edit: And then? Go on.\n")
    stage.hand.press("F12")
    stage.hand.type(" Sure?")
    changed = {"And then? Go on.", "Does it hold? Sure?"}
    until(lambda: set(stored.edits_so_far(belay_home)) == changed, "the words on disk")
    os.kill(stage.belay.pid, signal.SIGKILL)
    stage.belay.wait()
    stage.open("tell")
    for words in changed:
        stage.belay.stdout.wait_for(f"edit: {words}\n")
    assert stage.hand.quit() == 0


def test_first_start_greets_and_the_second_does_not(stage: Stage) -> None:
    stage.open("tell")
    stage.belay.stdout.wait_for("welcome")
    stage.answer_in_part()  # typing puts it away
    assert stage.hand.quit() == 0
    stage.open("tell")
    until(lambda: stage.hand.title().startswith("Does it hold?"), "the conversation is back")
    assert stage.hand.quit() == 0
    assert "welcome" not in stage.belay.stdout.text


def test_closing_dialog_names_what_it_waits_for(stage: Stage) -> None:
    stage.open("start_stubborn_children")
    stage.hand.press("ctrl+q")
    assert stage.belay.wait() == 0
    said = stage.belay.stdout.read_to_end()
    assert "closing: Waiting for sh, at most " in said
    stage.check_nothing_is_left()
