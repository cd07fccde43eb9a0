"""Blocking work on daemon threads: results, errors, and that nobody ever waits for it."""

import asyncio
import contextvars
import subprocess
import sys
import threading

import pytest

from app.system.loops import run_loop
from app.system.threads import DaemonExecutor, call_in_thread, spawn_thread

BOUND_S = 30.0


def test_spawned_thread_is_a_named_daemon() -> None:
    seen: list[object] = []
    thread = spawn_thread("errand", seen.append, 7)
    thread.join(BOUND_S)
    assert seen == [7]
    assert thread.daemon
    assert thread.name == "errand"


def test_call_returns_its_result_and_its_error() -> None:
    async def main() -> None:
        assert await call_in_thread(int, "12") == 12
        with pytest.raises(ValueError, match="invalid literal"):
            await call_in_thread(int, "twelve")

    run_loop(main())


def test_call_that_raises_stop_iteration_does_not_hang() -> None:
    async def main() -> None:
        async with asyncio.timeout(BOUND_S):
            with pytest.raises(RuntimeError, match="StopIteration"):
                await call_in_thread(next, iter(()))

    run_loop(main())


def test_call_sees_the_callers_context() -> None:
    mark: contextvars.ContextVar[str] = contextvars.ContextVar("mark")

    async def main() -> str:
        mark.set("here")
        return await call_in_thread(mark.get)

    assert run_loop(main()) == "here"


def test_cancelled_call_is_abandoned_while_it_still_runs() -> None:
    begun, release, ended = threading.Event(), threading.Event(), threading.Event()

    def stuck() -> None:
        begun.set()
        release.wait(BOUND_S)
        ended.set()

    async def main() -> None:
        call = asyncio.ensure_future(call_in_thread(stuck))
        await call_in_thread(begun.wait, BOUND_S)
        call.cancel()
        with pytest.raises(asyncio.CancelledError):
            await call

    run_loop(main())
    assert not ended.is_set()
    release.set()
    assert ended.wait(BOUND_S)


def test_hung_calls_do_not_starve_others() -> None:
    executor, release = DaemonExecutor(), threading.Event()
    for _ in range(100):
        executor.submit(release.wait, BOUND_S)
    try:
        assert executor.submit(lambda: "answer").result(BOUND_S) == "answer"
    finally:
        release.set()


def test_idle_thread_is_used_again() -> None:
    executor = DaemonExecutor("reused")
    names: set[int] = set()
    for _ in range(50):
        names.add(executor.submit(threading.get_ident).result(BOUND_S))
        _wait_until_idle(executor)
    assert len(names) == 1


def _wait_until_idle(executor: DaemonExecutor) -> None:
    pause = threading.Event()
    for _ in range(int(BOUND_S / 0.001)):
        if executor._unclaimed:
            return
        pause.wait(0.001)
    pytest.fail("the thread never became idle")


def test_shut_down_executor_refuses_calls() -> None:
    executor = DaemonExecutor()
    executor.shutdown(wait=True)
    with pytest.raises(RuntimeError, match="shut down"):
        executor.submit(int)


def test_many_threads_submitting_lose_no_call() -> None:
    executor, done = DaemonExecutor(), threading.Semaphore(0)

    def submit_some() -> None:
        for _ in range(200):
            executor.submit(done.release)

    for index in range(8):
        spawn_thread(f"submitter {index}", submit_some)
    for _ in range(8 * 200):
        assert done.acquire(timeout=BOUND_S)


STUCK_AT_EXIT = """
import asyncio, threading
from app.system.threads import call_in_thread, install_daemon_executor, spawn_thread
started = threading.Semaphore(0)
def stuck():
    started.release()
    threading.Event().wait()
async def main():
    loop = asyncio.get_running_loop()
    install_daemon_executor(loop)
    loop.run_in_executor(None, stuck)
    task = asyncio.ensure_future(call_in_thread(stuck))
    spawn_thread("stuck", stuck)
    await call_in_thread(lambda: [started.acquire() for _ in range(3)])
    task.cancel()
asyncio.run(main())
print("over")
"""


def test_interpreter_exits_past_stuck_threads() -> None:
    done = subprocess.run(
        [sys.executable, "-c", STUCK_AT_EXIT],
        capture_output=True,
        text=True,
        timeout=BOUND_S,
        check=False,
    )
    assert (done.returncode, done.stdout.strip()) == (0, "over"), done.stderr
