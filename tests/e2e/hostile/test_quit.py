"""Quit quits, whatever is wedged: one table of hostile states, on the real window.

Each row: the state is set up, Quit is asked for, and then the exit code is the expected one (70
only where the watchdog has to act), no process is left, and nothing acknowledged is lost.
"""

import signal
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import pytest

from app.storage.settings_file import load
from tests.conftest import BelayStarter
from tests.e2e.hand import Hand, until
from tests.e2e.hostile.conftest import WedgedStarter
from tests.e2e.hostile.stage import STRICT, Stage
from tests.fakes.server import FakeServer
from tests.harness.display import virtual_display

OK, BY_WATCHDOG = 0, 70

Step = Callable[[Stage], None]


def by_key(stage: Stage) -> None:
    """Ask with Ctrl+Q."""
    stage.hand.press("ctrl+q")


def by_signal(stage: Stage, number: int = signal.SIGTERM) -> None:
    """Ask with a signal."""
    stage.belay.send_signal(number)


def twice(stage: Stage) -> None:
    """Ask, and ask again before it is over."""
    stage.hand.press("ctrl+q")
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        if stage.belay.process.poll() is None:
            stage.belay.send_signal(number)


def idle(stage: Stage) -> None:
    """Nothing happens."""
    stage.open()


def streaming(stage: Stage) -> None:
    """An answer is being written."""
    stage.open()
    stage.answer_in_part()


def stalled(stage: Stage) -> None:
    """The server has not even sent its headers."""
    stage.open()
    stage.stall_before_headers()


def waiting_to_retry(stage: Stage) -> None:
    """It waits before it asks again."""
    stage.open()
    stage.wait_for_retry()


def stopped_model(stage: Stage) -> None:
    """The built-in model is frozen: no signal but SIGKILL gets through to it."""
    stage.open(OPENAI_BASE_URL="")
    until(lambda: stage.belay.workers("model"), "the model's process")
    for process in stage.belay.workers("model"):
        process.suspend()


def locked_database(stage: Stage) -> None:
    """Another process holds the database; a message was accepted all the same, words stand."""
    stage.open("tell")
    stage.answer_in_part()
    stage.lock_database()
    stage.send("Keep this.")
    stage.write("half a thought")


def open_dialog(stage: Stage) -> None:
    """The settings are open."""
    stage.open()
    stage.hand.press("ctrl+comma")
    stage.hand.focus("Settings")


def starting(stage: Stage) -> None:
    """It has a lease, and no window yet."""
    stage.launch()
    until(lambda: list((stage.home / "data" / "leases").glob("*.lease")), "its lease")


def no_services(stage: Stage) -> None:
    """The services could not be built, and a message was sent all the same."""
    stage.open("break_services")
    stage.belay.stdout.wait_for("notice: Something in Belay failed.")
    stage.hand.type("Are you there?")
    stage.hand.press("Return")
    stage.belay.stdout.wait_for("held: Are you there?")


def wedged(wedge: str, **env: str) -> Step:
    """Plant something inside, with half an answer on the page."""

    def set_up(stage: Stage) -> None:
        stage.open(wedge, **env)
        stage.answer_in_part()

    return set_up


def wedged_window(wedge: str, **env: str) -> Step:
    """Plant something after which the window takes no more keys."""

    def set_up(stage: Stage) -> None:
        stage.open(wedge, **env)

    return set_up


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One hostile state, and what Quit must come to."""

    state: Step
    quit: Step = by_key
    code: int = OK
    is_long: bool = False


TABLE = {
    "idle": Row(state=idle, quit=twice),
    "idle, by SIGINT": Row(state=idle, quit=partial(by_signal, number=signal.SIGINT), is_long=True),
    "idle, by SIGHUP": Row(state=idle, quit=partial(by_signal, number=signal.SIGHUP), is_long=True),
    "streaming": Row(state=streaming, quit=by_signal, is_long=True),
    "stalled before the headers": Row(state=stalled, is_long=True),
    "waiting to retry": Row(state=waiting_to_retry, is_long=True),
    "the model frozen": Row(state=stopped_model),
    "children that ignore SIGTERM, in sessions of their own": Row(
        state=wedged("start_stubborn_children")
    ),
    "a tool's thread blocked": Row(state=wedged("block_tool_thread"), is_long=True),
    "a task that swallows cancel": Row(state=wedged("swallow_cancel")),
    "the agent loop blocked": Row(state=wedged_window("block_agent_loop")),
    "the database locked": Row(state=locked_database),
    "a dialog open, quit by key": Row(state=open_dialog),
    "a dialog open, quit by signal": Row(state=open_dialog, quit=by_signal, is_long=True),
    "starting": Row(state=starting, quit=by_signal),
    "the services missing": Row(state=no_services),
    "the window spinning": Row(
        state=wedged_window("spin", **STRICT), quit=by_signal, code=BY_WATCHDOG
    ),
    "the GIL held": Row(state=wedged("hold_gil", **STRICT), code=BY_WATCHDOG),
}


@pytest.mark.parametrize(
    "row",
    [
        pytest.param(row, id=name, marks=[pytest.mark.prove] if row.is_long else [])
        for name, row in TABLE.items()
    ],
)
def test_quit_quits(row: Row, stage: Stage) -> None:
    row.state(stage)
    row.quit(stage)
    assert stage.belay.wait() == row.code, stage.belay.stderr.text
    stage.check_nothing_is_left()
    assert stage.belay.stderr.read_to_end() == ""


def test_quit_waits_for_settings_that_are_being_saved(stage: Stage, belay_home: Path) -> None:
    stage.open("save_settings_slowly")
    stage.hand.press("ctrl+q")
    assert stage.belay.wait() == OK
    assert load(belay_home / "config" / "settings.json")[0].system_prompt == "Be brief."


def test_display_that_dies_takes_every_process_along_and_no_word(
    start_belay: BelayStarter, start_wedged: WedgedStarter, server: FakeServer, belay_home: Path
) -> None:
    with virtual_display() as doomed:
        hand = Hand(start=start_belay, display=doomed, server=server)
        stage = Stage(hand=hand, server=server, home=belay_home, start_wedged=start_wedged)
        stage.open("start_stubborn_children")
        stage.answer_in_part()
    assert stage.belay.wait() != BY_WATCHDOG  # Qt itself leaves, at once
    stage.check_nothing_is_left()
