"""Workers: a real child answers, streams, crashes, is killed, and vanishes with its parent."""

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from app.system.children import child_argv, dispatch
from app.system.frames import Frame
from app.system.loops import run_loop
from app.system.workers import Worker, WorkerFailedError, WorkerGoneError
from tests.harness.process import Output
from tests.unit.system.conftest import BOUND_S, lives, wait_until


def with_worker(test: Callable[[Worker], Awaitable[None]]) -> None:
    async def main() -> None:
        worker = Worker("echo")
        await worker.start()
        try:
            async with asyncio.timeout(BOUND_S):
                await test(worker)
        finally:
            await worker.stop()
        assert not worker.is_running
        assert worker.pid is not None
        assert not lives(worker.pid)

    run_loop(main())


def test_answer_carries_header_and_bytes() -> None:
    async def test(worker: Worker) -> None:
        audio = bytes(range(256)) * 10_000
        answer = await worker.ask({"op": "echo", "text": "räksmörgås"}, audio)
        assert answer == Frame(header={"op": "echo", "text": "räksmörgås"}, payload=audio)

    with_worker(test)


def test_answers_stream_in_order() -> None:
    async def test(worker: Worker) -> None:
        numbers = [frame.header["number"] async for frame in worker.call({"op": "count", "to": 50})]
        assert numbers == list(range(1, 51))

    with_worker(test)


def test_calls_at_once_get_their_own_answers() -> None:
    async def test(worker: Worker) -> None:
        answers = await asyncio.gather(
            *(worker.ask({"op": "echo", "n": number}) for number in range(50))
        )
        assert [answer.header["n"] for answer in answers] == list(range(50))

    with_worker(test)


def test_failed_request_is_told_and_the_worker_goes_on() -> None:
    async def test(worker: Worker) -> None:
        with pytest.raises(WorkerFailedError, match="no such operation"):
            await worker.ask({"op": "dance"})
        assert (await worker.ask({"op": "echo"})).header == {"op": "echo"}

    with_worker(test)


def test_stray_print_does_no_harm() -> None:
    async def test(worker: Worker) -> None:
        await worker.ask({"op": "print", "text": "loading model…"})
        assert (await worker.ask({"op": "echo"})).header == {"op": "echo"}

    with_worker(test)


def test_cancelled_call_stops_and_leaves_the_worker_free() -> None:
    async def test(worker: Worker) -> None:
        endless = worker.call({"op": "count", "to": 10**12})
        assert (await anext(endless)).header == {"number": 1}
        endless.cancel()
        assert (await worker.ask({"op": "echo"})).header == {"op": "echo"}

    with_worker(test)


def test_crash_fails_every_waiting_call() -> None:
    async def test(worker: Worker) -> None:
        endless, waiting = worker.call({"op": "count", "to": 10**12}), worker.call({"op": "echo"})
        await anext(endless)
        assert worker.pid is not None
        os.kill(worker.pid, signal.SIGABRT)
        with pytest.raises(WorkerGoneError) as caught:
            await anext(waiting)
        assert caught.value.exit_code == -signal.SIGABRT
        assert "Fatal Python error: Aborted" in caught.value.last_words
        with pytest.raises(WorkerGoneError):
            async for _ in endless:
                pass
        with pytest.raises(WorkerGoneError):
            worker.call({"op": "echo"})

    with_worker(test)


def test_worker_can_be_started_again_after_a_crash() -> None:
    async def test(worker: Worker) -> None:
        first = worker.pid
        assert first is not None
        waiting = worker.call({"op": "count", "to": 10**12})
        os.kill(first, signal.SIGKILL)
        with pytest.raises(WorkerGoneError):
            async for _ in waiting:
                pass
        await worker.start()
        assert worker.pid != first
        assert (await worker.ask({"op": "echo"})).header == {"op": "echo"}

    with_worker(test)


def test_restart_interrupts_whatever_it_does() -> None:
    async def test(worker: Worker) -> None:
        busy = worker.call({"op": "count", "to": 10**12})
        await anext(busy)
        await worker.restart()
        with pytest.raises(WorkerGoneError):
            async for _ in busy:
                pass
        assert (await worker.ask({"op": "echo"})).header == {"op": "echo"}

    with_worker(test)


def test_worker_that_was_never_started_says_so() -> None:
    with pytest.raises(WorkerGoneError):
        Worker("echo").call({"op": "echo"})


def test_unknown_worker_cannot_be_started() -> None:
    with pytest.raises(LookupError):
        run_loop(Worker("nonsense").start())


def test_worker_ends_when_its_input_does() -> None:
    worker = subprocess.Popen(child_argv("echo"), stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert worker.stdin is not None
    assert worker.stdout is not None
    worker.stdin.close()
    assert worker.wait(BOUND_S) == 0
    worker.stdout.close()


PARENT = """
import asyncio, sys
from app.system.workers import Worker
async def main():
    worker = Worker("echo")
    await worker.start()
    print(worker.pid, flush=True)
    async for _ in worker.call({"op": "count", "to": 10**12}):
        pass
asyncio.run(main())
"""


def test_busy_worker_vanishes_with_a_killed_parent() -> None:
    parent = subprocess.Popen([sys.executable, "-c", PARENT], stdout=subprocess.PIPE)
    assert parent.stdout is not None
    pid = int(Output(parent.stdout).wait_for("\n"))
    parent.kill()
    parent.wait(BOUND_S)
    wait_until(lambda: not lives(pid), "the worker is gone")


def test_folder_named_app_is_not_mistaken_for_ours(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    impostor = tmp_path / "app"
    impostor.mkdir()
    (impostor / "__init__.py").write_text("raise SystemExit('an impostor')")
    monkeypatch.chdir(tmp_path)

    async def test(worker: Worker) -> None:
        assert (await worker.ask({"op": "echo"})).header == {"op": "echo"}

    with_worker(test)


def test_other_arguments_are_not_for_workers() -> None:
    assert dispatch([]) is False
    assert dispatch(["ask", "_worker"]) is False


def test_packaged_program_calls_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    assert child_argv("echo") == (sys.executable, "_worker", "echo")
