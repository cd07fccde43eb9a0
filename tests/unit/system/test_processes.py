"""Commands from a loop: their output, their end, and what a cancel or a time limit does."""

import asyncio
import os
import signal
import threading

import pytest

from app.core.events import StopReason
from app.core.tokens import Cancelled, CancelToken
from app.system.commands import Command
from app.system.loops import run_loop
from app.system.processes import Finished, run_command, start_process
from app.system.spawner import spawner
from app.system.threads import call_in_thread
from tests.unit.system.conftest import BOUND_S, Lines, lives, wait_until


def bash(script: str) -> Command:
    return Command(argv=("bash", "-c", script), merges_errors=True)


def run(script: str, timeout_s: float | None = None) -> Finished:
    return run_loop(run_command(bash(script), CancelToken(), timeout_s=timeout_s))


def test_command_gives_its_code_and_both_outputs_in_order() -> None:
    done = run("echo out; echo err >&2; echo out again; exit 4")
    assert done == Finished(exit_code=4, output="out\nerr\nout again\n")


def test_all_output_of_a_quick_command_is_kept() -> None:
    for _ in range(20):
        assert run("seq 2000").output.split()[-1] == "2000"


def test_output_that_is_taken_slowly_is_still_whole() -> None:
    def take_slowly(_: bytes) -> None:
        threading.Event().wait(0.1)

    async def main() -> Finished:
        return await run_command(bash("seq 9000"), CancelToken(), on_output=take_slowly)

    assert run_loop(main()).output.split()[-1] == "9000"


def test_flood_is_kept_to_head_and_tail() -> None:
    done = run("echo first; head -c 5000000 /dev/zero | tr '\\0' x; echo; echo last")
    assert done.output.startswith("first\n")
    assert done.output.endswith("x\nlast\n")
    assert len(done.output) < 70_000
    assert done.left_out_bytes == 5_000_000 + len("first\n\nlast\n") - 65_536


def test_background_children_end_with_their_command() -> None:
    done = run("sleep 1000 & echo $!")
    assert done.exit_code == 0
    assert not lives(int(done.output))


def test_pipe_held_by_a_stranger_is_not_waited_for() -> None:
    done = run("env -i setsid -f bash -c 'echo $$; exec sleep 60'; sleep 0.2")
    stranger = int(done.output)
    assert lives(stranger), "then this test shows nothing"
    os.kill(stranger, signal.SIGKILL)


def test_time_limit_ends_the_command_and_keeps_its_output() -> None:
    done = run("echo begun; sleep 1000", timeout_s=0.3)
    assert done.is_timed_out
    assert done.output == "begun\n"
    assert done.exit_code == -signal.SIGTERM


def test_cancel_ends_the_tree_and_is_not_an_error(lines: Lines) -> None:
    token = CancelToken()

    async def main() -> None:
        script = "trap '' TERM; echo $$; sleep 1000 & echo $!; wait; sleep 1000"
        running = asyncio.create_task(run_command(bash(script), token, on_output=lines))
        await call_in_thread(lines.pids, 2)
        token.cancel(StopReason.PERSON)
        with pytest.raises(Cancelled):
            await running

    run_loop(main())
    wait_until(lambda: spawner().is_idle, "the tree is gone")
    assert not any(lives(int(pid)) for pid in lines.text.split())


def test_cancel_ends_the_tree_even_while_the_loop_is_busy(lines: Lines) -> None:
    token = CancelToken()

    async def main() -> None:
        running = asyncio.create_task(
            run_command(bash("echo $$; sleep 1000"), token, on_output=lines)
        )
        (pid,) = await call_in_thread(lines.pids, 1)
        await call_in_thread(wait_until, lambda: bool(token._callbacks), "it listens")
        token.cancel(StopReason.PERSON)
        wait_until(lambda: not lives(pid), "the command is gone")  # on the loop's own thread
        with pytest.raises(Cancelled):
            await running

    run_loop(main())
    wait_until(lambda: spawner().is_idle, "the tree is gone")


def test_cancelled_token_starts_nothing() -> None:
    token = CancelToken()
    token.cancel(StopReason.PERSON)
    with pytest.raises(Cancelled):
        run_loop(run_command(bash("touch never"), token))
    assert not spawner().trees


def test_start_that_nobody_waits_for_is_undone(lines: Lines) -> None:
    release = threading.Event()

    def hold_up() -> None:
        release.wait(BOUND_S)

    async def main() -> None:
        spawner()._give_order(hold_up)
        starting = asyncio.create_task(
            start_process(bash("echo $$; sleep 1000"), on_stdout=lines), name="starting"
        )
        await asyncio.sleep(0)
        starting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await starting

    run_loop(main())
    release.set()
    started = spawner().start(bash("true")).result(BOUND_S)
    started.end_blocking()
    wait_until(lambda: spawner().is_idle, "the unwanted process is gone")


def test_cancelled_task_leaves_nothing_running(lines: Lines) -> None:
    async def main() -> None:
        task = asyncio.create_task(
            run_command(bash("echo $$; sleep 1000"), CancelToken(), on_output=lines)
        )
        await call_in_thread(lines.pids, 1)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    run_loop(main())
    wait_until(lambda: spawner().is_idle, "the tree is gone")
    assert not lives(int(lines.text))


def test_many_at_once_all_finish() -> None:
    async def main() -> list[Finished]:
        commands = [run_command(bash(f"echo {n}"), CancelToken()) for n in range(20)]
        return await asyncio.gather(*commands)

    assert [done.output for done in run_loop(main())] == [f"{n}\n" for n in range(20)]
