"""Processes for code on an asyncio loop: start one, or run a command to its end.

A start that nobody waits for any more is undone, and a finished command leaves nothing running:
what it put into the background ends with it.
"""

import asyncio
from concurrent.futures import Future
from dataclasses import dataclass

from app.core.tokens import CancelToken
from app.system.commands import Command
from app.system.output import HeadTail
from app.system.pipes import Sink
from app.system.process_tree import GRACE_S, ProcessTree
from app.system.spawner import spawner
from app.system.threads import await_future

_UNWIND_S = 0.05  # to leave a wait that obeys at once
_OUTPUT_LIMIT_S = 0.5  # for the pipe's end after the tree's: somebody else may hold it


@dataclass(frozen=True, slots=True, kw_only=True)
class Finished:
    """How a command ended; `exit_code` is negative for a signal."""

    exit_code: int
    output: str
    left_out_bytes: int = 0
    is_timed_out: bool = False


async def start_process(
    command: Command, *, on_stdout: Sink | None = None, on_stderr: Sink | None = None
) -> ProcessTree:
    """Start a child; raise OSError if it cannot be started."""
    started = spawner().start(command, on_stdout=on_stdout, on_stderr=on_stderr)
    try:
        return await await_future(started)
    except asyncio.CancelledError:
        started.add_done_callback(_end_unwanted)
        raise


def _end_unwanted(started: Future[ProcessTree]) -> None:
    if started.exception() is None:
        started.result().begin_end(0)


async def run_command(
    command: Command,
    token: CancelToken,
    *,
    on_output: Sink | None = None,
    timeout_s: float | None = None,
    grace_s: float = GRACE_S,
) -> Finished:
    """Run a command to its end, keeping its output; `on_output` hears it live, on a thread.

    A cancelled token begins the tree's end at once and raises Cancelled without waiting for it.
    """
    token.check()
    output = HeadTail()
    tree = await start_process(command, on_stdout=_both(output.add, on_output))
    stop_listening = token.on_cancel(lambda: _begin_end(tree, grace_s))
    try:
        is_timed_out = not await token.run(_exits_in_time(tree, timeout_s), grace_s=_UNWIND_S)
        token.check()  # it may have ended because of the cancel
        await tree.end(grace_s)
        await _rest_of_output(tree)
    finally:
        stop_listening()
        tree.begin_end(grace_s)
    return Finished(
        exit_code=await tree.exited(),
        output=output.text(),
        left_out_bytes=output.left_out,
        is_timed_out=is_timed_out,
    )


def _begin_end(tree: ProcessTree, grace_s: float) -> None:
    tree.begin_end(grace_s)


async def _exits_in_time(tree: ProcessTree, timeout_s: float | None) -> bool:
    try:
        async with asyncio.timeout(timeout_s):
            await tree.exited()
    except TimeoutError:
        return False
    return True


async def _rest_of_output(tree: ProcessTree) -> None:
    try:
        async with asyncio.timeout(_OUTPUT_LIMIT_S):
            await tree.output_ended()
    except TimeoutError:
        return


def _both(first: Sink, second: Sink | None) -> Sink:
    def sink(data: bytes) -> None:
        first(data)
        if second is not None:
            second(data)

    return sink
