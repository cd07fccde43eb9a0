"""Children start in a session of their own, die with us, and outlive whoever asked for them."""

import os
import signal
import subprocess
import sys
from concurrent.futures import Future
from pathlib import Path

import psutil
import pytest

from app.system.commands import Command
from app.system.parent_death import prefix
from app.system.process_table import read_tags
from app.system.process_tree import ProcessTree
from app.system.spawner import spawner
from app.system.threads import spawn_thread
from tests.harness.process import Output
from tests.unit.system.conftest import BOUND_S, Lines, lives, wait_until

PARENT = """
import sys
from app.system.commands import Command
from app.system.spawner import spawner
for script in sys.argv[1:]:
    command = Command(argv=("bash", "-c", script))
    spawner().start(command, on_stdout=lambda data: (sys.stdout.buffer.write(data),
                                                     sys.stdout.flush())).result()
guard = spawner()._guarding._guard
print("guard", guard.pid, flush=True)
sys.stdin.read()
"""

CHILD = "echo $$; sleep 1000"
GRANDCHILD = "echo $$; sleep 1000 & echo $!; wait"
DEAF = "trap '' TERM HUP; echo $$; bash -c \"trap '' TERM HUP; echo \\$\\$; sleep 1000; sleep 1\""
ESCAPEE = "(setsid bash -c 'echo $$; sleep 1000' &) ; echo $$; sleep 1000"
UNTAGGED = "echo $$; env -i bash -c 'echo $$; sleep 1000' & wait"


def _parent_of(*scripts: str, pids: int) -> tuple["subprocess.Popen[bytes]", list[int], int]:
    parent = subprocess.Popen(
        [sys.executable, "-c", PARENT, *scripts], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert parent.stdout is not None
    text = Output(parent.stdout).wait_for(lambda text: text.count("\n") > pids)
    words = [line.split() for line in text.splitlines()]
    found = [int(line[0]) for line in words if line[0] != "guard"]
    (guard,) = [int(line[1]) for line in words if line[0] == "guard"]
    assert all(lives(pid) for pid in (*found, guard))
    return parent, found, guard


def _kill_parent(parent: "subprocess.Popen[bytes]") -> None:
    parent.kill()
    parent.wait(BOUND_S)
    assert parent.stdin is not None
    parent.stdin.close()


def test_killed_parent_leaves_no_child_grandchild_or_escapee() -> None:
    parent, pids, guard = _parent_of(CHILD, GRANDCHILD, DEAF, ESCAPEE, UNTAGGED, pids=9)
    family = {*pids, *(p.pid for pid in pids for p in psutil.Process(pid).children(recursive=True))}
    _kill_parent(parent)
    wait_until(lambda: not any(lives(pid) for pid in family), "the family is gone")
    wait_until(lambda: not lives(guard), "the guard is gone")


def test_parent_that_leaves_in_peace_is_not_followed_by_its_guard() -> None:
    parent, pids, guard = _parent_of(CHILD, pids=1)
    assert parent.stdin is not None
    parent.stdin.close()
    assert parent.wait(BOUND_S) == 0
    wait_until(lambda: not lives(pids[0]) and not lives(guard), "both are gone")


@pytest.mark.skipif(not prefix(), reason="no setpriv here")
def test_child_dies_with_the_parent_even_without_a_guard() -> None:
    parent, (pid,), guard = _parent_of("echo $$; exec sleep 1000", pids=1)
    psutil.Process(guard).kill()
    wait_until(lambda: not lives(guard), "the guard is gone")
    _kill_parent(parent)
    wait_until(lambda: not lives(pid), "the child is gone")


def test_guard_shrugs_off_polite_signals() -> None:
    parent, pids, guard = _parent_of(ESCAPEE, pids=2)
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        os.kill(guard, number)
    _kill_parent(parent)
    wait_until(lambda: not any(lives(pid) for pid in pids), "the escapee is gone")


def test_killed_guard_is_replaced_and_knows_the_old_children(lines: Lines) -> None:
    first = spawner().start(Command(argv=("sleep", "1000"))).result(BOUND_S)
    old = spawner()._guarding._guard
    assert old is not None
    old.kill()
    old.wait(BOUND_S)
    second = spawner().start(Command(argv=("sleep", "1000"))).result(BOUND_S)
    new = spawner()._guarding._guard
    assert new is not None
    assert new.pid != old.pid
    spawner().dismiss_guard(BOUND_S)  # what it does when we die
    wait_until(lambda: not lives(first.pid) and not lives(second.pid), "both children are gone")
    first.end_blocking()
    second.end_blocking()


def test_child_outlives_the_thread_that_asked_for_it(lines: Lines) -> None:
    asked: Future[Future[ProcessTree]] = Future()
    command = Command(argv=("bash", "-c", "echo $$; sleep 1000"))
    thread = spawn_thread(
        "asker", lambda: asked.set_result(spawner().start(command, on_stdout=lines))
    )
    tree = asked.result(BOUND_S).result(BOUND_S)
    thread.join(BOUND_S)
    (pid,) = lines.pids(1)
    assert not thread.is_alive()
    assert lives(pid)
    tree.end_blocking()


def test_child_has_its_own_session_no_input_and_no_key(
    lines: Lines, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-not-for-children")
    script = "import os, sys; print(os.getsid(0) == os.getpid(), repr(sys.stdin.read())); "
    script += "print(os.environ.get('OPENAI_API_KEY'))"
    tree = spawner().start(Command(argv=(sys.executable, "-c", script)), on_stdout=lines)
    assert lines.wait_for(2) == ["True ''", "None"]
    tree.result().end_blocking()


def test_tags_of_the_trees_around_us_stay(lines: Lines, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BELAY_TREE", "outer.1")
    tree = spawner().start(Command(argv=("sleep", "1000"))).result(BOUND_S)
    wait_until(lambda: len(read_tags(tree.pid)) == 2, "the command runs")
    outer, own = read_tags(tree.pid)
    assert outer == "outer.1"
    assert own.startswith(spawner()._app_tag)
    tree.end_blocking()


@pytest.mark.parametrize(
    "command",
    [
        Command(argv=("no-such-program-anywhere",)),
        Command(argv=("./no-such-file",)),
        Command(argv=("true",), cwd=Path("/no/such/folder")),
    ],
)
def test_what_cannot_start_says_so(command: Command) -> None:
    with pytest.raises(FileNotFoundError):
        spawner().start(command).result(BOUND_S)


def test_program_is_found_from_the_commands_folder(tmp_path: Path, lines: Lines) -> None:
    program = tmp_path / "tool"
    program.write_text("#!/bin/sh\npwd\n")
    program.chmod(0o700)
    tree = spawner().start(Command(argv=("./tool",), cwd=tmp_path), on_stdout=lines)
    assert lines.wait_for(1) == [str(tmp_path.resolve())]
    tree.result(BOUND_S).end_blocking()


def test_input_reaches_the_child_and_ends(lines: Lines) -> None:
    tree = spawner().start(Command(argv=("cat",), has_input=True), on_stdout=lines).result(BOUND_S)
    assert tree.stdin is not None
    tree.stdin.write(b"one\n").result(BOUND_S)
    assert lines.wait_for(1) == ["one"]
    tree.stdin.close()
    assert tree.exited_blocking(BOUND_S) == 0
    with pytest.raises(BrokenPipeError):
        tree.stdin.write(b"too late").result(BOUND_S)
    tree.end_blocking()


def test_child_that_reads_nothing_does_not_block_the_writer() -> None:
    tree = spawner().start(Command(argv=("sleep", "1000"), has_input=True)).result(BOUND_S)
    assert tree.stdin is not None
    written = tree.stdin.write(b"x" * 10_000_000)
    tree.end_blocking()
    with pytest.raises(BrokenPipeError):
        written.result(BOUND_S)
