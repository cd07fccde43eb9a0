"""Quit goes through its phases in order, waits no longer than it may, and notes where it is."""

import os
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from app.core.events import ShutdownPhase
from app.lifecycle.last_shutdown import FILE_NAME, LastShutdown, ShutdownNote
from app.lifecycle.shutdown import Blocker, Done, Phase, Shutdown, standard_phases


@dataclass
class Thing:
    """Something that ends when the test says so."""

    name: str
    log: list[str]
    is_done: bool = False
    notes: list[str] = field(default_factory=list)
    error: Exception | None = None

    def start(self) -> None:
        self.log.append(self.name)
        if self.error is not None:
            raise self.error

    @property
    def blocker(self) -> Blocker:
        return Blocker(name=self.name, start=self.start, is_done=lambda: self.is_done)


@pytest.fixture
def log() -> list[str]:
    return []


def _things(log: list[str], *names: str) -> list[Thing]:
    return [Thing(name, log) for name in names]


def _shutdown(*phases: Phase, note: ShutdownNote | None = None) -> Shutdown:
    return Shutdown(phases, watchdog=None, note=note)


def _phase(name: str, deadline_s: float, *things: Thing, saves: bool = False) -> Phase:
    blockers = tuple(thing.blocker for thing in things)
    return Phase(name=name, deadline_s=deadline_s, blockers=blockers, saves=saves)


def test_nothing_to_wait_for_is_done_at_once() -> None:
    shutdown = Shutdown(standard_phases(), watchdog=None, note=None)
    assert shutdown.begin(0) == Done(saved=True)


def test_phase_begins_only_when_the_one_before_is_over(log: list[str]) -> None:
    answer, tool = _things(log, "the answer", "grep")
    shutdown = _shutdown(_phase("turns", 0.5, answer), _phase("tools", 0.7, tool))
    shutdown.begin(100)
    assert log == ["the answer"]
    answer.is_done = True
    shutdown.poll(100.1)
    assert log == ["the answer", "grep"]
    tool.is_done = True
    assert shutdown.poll(100.2) == Done(saved=False)


def test_it_says_what_it_waits_for_and_how_long_at_most(log: list[str]) -> None:
    model, microphone = _things(log, "the built-in model", "the microphone")
    shutdown = _shutdown(_phase("connections", 1.0, model, microphone), _phase("database", 0.5))
    assert shutdown.begin(10) == ShutdownPhase(
        name="the built-in model · the microphone", deadline_s=1.5, saved=False
    )
    model.is_done = True
    waiting = shutdown.poll(10.4)
    assert isinstance(waiting, ShutdownPhase)
    assert waiting.name == "the microphone"
    assert waiting.deadline_s == pytest.approx(1.1)


def test_blockers_of_a_phase_end_side_by_side(log: list[str]) -> None:
    things = _things(log, "MCP", "the microphone", "the model", "the network")
    _shutdown(_phase("connections", 1.0, *things)).begin(0)
    assert log == ["MCP", "the microphone", "the model", "the network"]


def test_deadline_passes_over_what_is_stuck(log: list[str]) -> None:
    stuck, database = _things(log, "a stuck tool", "the database")
    shutdown = _shutdown(_phase("tools", 0.7, stuck), _phase("database", 0.5, database, saves=True))
    shutdown.begin(0)
    assert isinstance(shutdown.poll(0.69), ShutdownPhase)
    shutdown.poll(0.7)
    assert log == ["a stuck tool", "the database"]
    database.is_done = True
    assert shutdown.poll(0.8) == Done(saved=True, late=("a stuck tool",))


def test_unconfirmed_database_is_not_called_saved(log: list[str]) -> None:
    (database,) = _things(log, "the database")
    shutdown = _shutdown(_phase("database", 0.5, database, saves=True))
    shutdown.begin(0)
    assert shutdown.poll(0.5) == Done(saved=False, late=("the database",))


def test_hurry_starts_everything_and_waits_for_nothing(log: list[str]) -> None:
    first, second, third = _things(log, "one", "two", "three")
    shutdown = _shutdown(_phase("a", 9, first), _phase("b", 9, second), _phase("c", 9, third))
    shutdown.begin(0)
    shutdown.hurry()
    assert shutdown.poll(0) == Done(saved=False, late=("one", "two", "three"))
    assert log == ["one", "two", "three"]


def test_blocker_that_raises_does_not_stop_the_rest(log: list[str]) -> None:
    broken, after = _things(log, "broken", "after")
    broken.error = RuntimeError("already deleted")
    unanswering = Blocker(name="deaf", start=lambda: None, is_done=lambda: 1 / 0 > 1)
    phase = Phase(name="a", deadline_s=1, blockers=(broken.blocker, unanswering, after.blocker))
    shutdown = _shutdown(phase)
    shutdown.begin(0)
    assert log == ["broken", "after"]
    after.is_done = broken.is_done = True
    assert shutdown.poll(0.1) == Done(saved=False)


def test_polling_a_finished_shutdown_changes_nothing(log: list[str]) -> None:
    shutdown = _shutdown(_phase("a", 1))
    assert shutdown.begin(0) == shutdown.poll(1) == shutdown.poll(2) == Done(saved=False)


def test_note_is_on_disk_before_a_phase_begins(tmp_path: Path) -> None:
    seen: list[str] = []

    def look() -> None:
        seen.append((tmp_path / FILE_NAME).read_text())

    blocker = Blocker(name="the answer", start=look, is_done=lambda: False)
    phase = Phase(name="turns", deadline_s=1, blockers=(blocker,))
    _shutdown(phase, note=ShutdownNote(tmp_path)).begin(0)
    assert '"turns"' in seen[0]
    assert "the answer" in seen[0]


def test_note_names_only_what_is_still_in_the_way(log: list[str], tmp_path: Path) -> None:
    quick, stuck = _things(log, "the network", "the microphone")
    shutdown = _shutdown(_phase("connections", 1, quick, stuck), note=ShutdownNote(tmp_path))
    shutdown.begin(0)
    quick.is_done = True
    shutdown.poll(0.1)
    found = ShutdownNote(tmp_path).take()
    assert found is not None
    assert (found.phase, found.blockers) == ("connections", ("the microphone",))


def test_next_start_reads_the_note_once(tmp_path: Path) -> None:
    ShutdownNote(tmp_path).write("tools", ("grep",), saved=True)
    found = ShutdownNote(tmp_path).take()
    assert isinstance(found, LastShutdown)
    assert (found.phase, found.blockers, found.saved) == ("tools", ("grep",), True)
    assert ShutdownNote(tmp_path).take() is None


def test_note_of_a_belay_that_is_still_closing_is_left_to_it(tmp_path: Path) -> None:
    ShutdownNote(tmp_path).write("turns", ("the answer",), saved=False)
    assert ShutdownNote(tmp_path).take(alive={os.getpid()}) is None
    assert ShutdownNote(tmp_path).take() is not None


def test_exit_itself_is_noted_until_it_is_cleared(tmp_path: Path) -> None:
    note = ShutdownNote(tmp_path)
    _shutdown(_phase("a", 1), note=note).begin(0)
    assert '"exit"' in (tmp_path / FILE_NAME).read_text()
    note.clear()
    assert note.take() is None


@pytest.mark.parametrize("content", ["", "no json", "[]", '{"pid": "x"}'])
def test_damaged_note_is_no_note(content: str, tmp_path: Path) -> None:
    (tmp_path / FILE_NAME).write_text(content)
    assert ShutdownNote(tmp_path).take() is None


def test_unwritable_note_does_not_stop_quit(tmp_path: Path) -> None:
    note = ShutdownNote(tmp_path / "gone")
    assert _shutdown(_phase("a", 1), note=note).begin(0) == Done(saved=False)


def test_quit_that_the_window_never_heard_of_is_noted_too(tmp_path: Path) -> None:
    ShutdownNote(tmp_path).begin()
    found = ShutdownNote(tmp_path).take()
    assert found is not None
    assert (found.phase, found.blockers, found.saved) == ("asked", ("the window",), False)


def test_stacks_follow_the_phases_in_the_same_file(tmp_path: Path) -> None:
    note = ShutdownNote(tmp_path)
    note.write("turns", ("the answer",), saved=False)
    with (tmp_path / FILE_NAME).open("a") as file:
        file.write('Thread 0x01:\n  File "turn.py", line 7 in ask\n')
    found = ShutdownNote(tmp_path).take()
    assert found is not None
    assert found.blockers == ("the answer",)
    assert found.stacks == 'Thread 0x01:\n  File "turn.py", line 7 in ask'
