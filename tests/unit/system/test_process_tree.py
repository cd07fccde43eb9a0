"""Ending a tree ends all of it, wherever its members went and whatever they ignore."""

import signal
import threading

import psutil
import pytest

from app.system.commands import Command
from app.system.process_tree import ProcessTree
from app.system.spawner import Spawner, SpawnerClosedError, spawner
from tests.unit.system.conftest import BOUND_S, Lines, lives

IGNORE = 'trap "" TERM'
DEAF = "trap : TERM; echo \\$\\$; sleep 1000; sleep 1000"  # goes on to its next command


def start(script: str, lines: Lines) -> ProcessTree:
    command = Command(argv=("bash", "-c", script))
    return spawner().start(command, on_stdout=lines).result(BOUND_S)


@pytest.mark.parametrize(
    "script",
    [
        pytest.param("echo $$; sleep 1000 & echo $!; wait", id="a child"),
        pytest.param(
            f"{IGNORE}; echo $$; bash -c '{IGNORE}; echo $$; sleep 1000; sleep 1000'; sleep 1000",
            id="a tree that ignores SIGTERM",
        ),
        pytest.param("echo $$; setsid bash -c 'echo $$; sleep 1000' & wait", id="its own session"),
        pytest.param(
            "echo $$; (setsid bash -c 'echo $$; sleep 1000' &) ; sleep 1000",
            id="its own session, and its parent gone",
        ),
        pytest.param(
            f"echo $$; (setsid bash -c '{IGNORE}; echo $$; sleep 1000; sleep 1000' &) ; sleep 1000",
            id="its own session, its parent gone, ignoring SIGTERM",
        ),
        pytest.param(
            "echo $$; env -i setsid bash -c 'echo $$; sleep 1000' & wait",
            id="its own session, without our tag",
        ),
        pytest.param(
            f"(setsid bash -c 'env -i setsid bash -c \"{DEAF}\" & wait' &) ; echo $$; sleep 99",
            id="an escapee's escapee, without our tag, ignoring SIGTERM",
        ),
        pytest.param("set -m; echo $$; sleep 1000 & echo $!; wait", id="a group of its own"),
        pytest.param("echo $$; sleep 1000 & echo $!; kill -STOP $$", id="a stopped leader"),
    ],
)
def test_end_leaves_nobody(script: str, lines: Lines) -> None:
    tree = start(script, lines)
    pids = lines.pids(2)
    family = [*pids, *(child.pid for child in psutil.Process(pids[0]).children(recursive=True))]
    assert tree.end_blocking() == frozenset()
    assert [pid for pid in family if lives(pid)] == []


def test_polite_process_may_clean_up(lines: Lines) -> None:
    tree = start("trap 'echo tidied; exit 3' TERM; echo ready; while :; do sleep 0.01; done", lines)
    lines.wait_for(1)
    tree.end_blocking(grace_s=BOUND_S)
    assert lines.wait_for(2)[1] == "tidied"
    assert tree.exited_blocking(BOUND_S) == 3


def test_end_after_the_leader_left_ends_the_rest(lines: Lines) -> None:
    tree = start("sleep 1000 & echo $!", lines)
    assert tree.exited_blocking(BOUND_S) == 0
    (left_behind,) = lines.pids(1)
    tree.end_blocking()
    assert not lives(left_behind)


def test_leader_keeps_its_id_until_the_end(lines: Lines) -> None:
    tree = start("exit 7", lines)
    assert tree.exited_blocking(BOUND_S) == 7
    assert psutil.Process(tree.pid).status() == psutil.STATUS_ZOMBIE
    tree.end_blocking()
    assert not psutil.pid_exists(tree.pid)


def test_impatience_shortens_the_grace(lines: Lines) -> None:
    tree = start(f"{IGNORE}; echo $$; while :; do sleep 1000; done", lines)
    lines.pids(1)
    patient = tree.begin_end(grace_s=3600)
    assert not patient.done()
    tree.begin_end(grace_s=0)
    assert patient.result(BOUND_S) == frozenset()
    assert tree.exit_code == -signal.SIGKILL


def test_other_trees_live_on(lines: Lines) -> None:
    others = Lines()
    tree, other = start("echo $$; sleep 1000", lines), start("echo $$; sleep 1000", others)
    lines.pids(1)
    (survivor,) = others.pids(1)
    tree.end_blocking()
    assert lives(survivor)
    other.end_blocking()


def test_ending_twice_from_two_threads_is_one_ending(lines: Lines) -> None:
    tree = start("echo $$; sleep 1000", lines)
    lines.pids(1)
    results: list[frozenset[int]] = []
    threads = [
        threading.Thread(target=lambda: results.append(tree.end_blocking())) for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(BOUND_S)
    assert results == [frozenset()] * 8


def test_exit_code_tells_signal_from_status(lines: Lines) -> None:
    tree = start("kill -9 $$", lines)
    assert tree.exited_blocking(BOUND_S) == -signal.SIGKILL
    tree.end_blocking()


def test_closed_spawner_ends_all_and_starts_none(lines: Lines) -> None:
    own = Spawner()
    command = Command(argv=("bash", "-c", "echo $$; sleep 1000"))
    own.start(command, on_stdout=lines).result(BOUND_S)
    (pid,) = lines.pids(1)
    endings = [tree.begin_end for tree in own.trees]
    own.begin_end_all()
    for ending in endings:
        ending().result(BOUND_S)
    assert not lives(pid)
    assert own.trees == frozenset()
    with pytest.raises(SpawnerClosedError):
        own.start(command).result(BOUND_S)
    own.dismiss_guard(BOUND_S)
