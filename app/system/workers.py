"""Our half of a worker: a child of our own program that answers requests.

One `Worker` belongs to one asyncio loop. A worker that crashes fails the calls that wait for it
with `WorkerGoneError` and stays down until `start` is called again; how often to try is for the
caller to decide.
"""

import asyncio
import threading
from typing import Any, Self

from app.system.children import child_argv
from app.system.commands import Command
from app.system.frames import Frame, FrameDecoder, encode
from app.system.output import HeadTail
from app.system.process_tree import GRACE_S, ProcessTree
from app.system.processes import start_process
from app.system.redaction import redact

_LAST_WORDS_BYTES = 8 * 1024
_LAST_WORDS_S = 0.5
_MOST_UNDELIVERED = 64  # a worker that floods us must not keep the loop from anything else


class WorkerGoneError(Exception):
    """The worker ended; `last_words` is what it wrote to stderr before."""

    def __init__(self, name: str, exit_code: int | None, last_words: str = "") -> None:
        super().__init__(f"worker {name} ended with {exit_code}")
        self.exit_code = exit_code
        self.last_words = last_words


class WorkerFailedError(Exception):
    """The worker could not carry out one request, and goes on."""


class Call:
    """One request; iterate over its answers."""

    def __init__(self, number: int, run: "_Run") -> None:
        self._number = number
        self._run = run
        self._answers: asyncio.Queue[Frame | Exception | None] = asyncio.Queue()

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> Frame:
        answer = await self._answers.get()
        if isinstance(answer, Frame):
            return answer
        self._answers.put_nowait(answer)  # it stays over
        if answer is None:
            raise StopAsyncIteration
        raise answer

    def cancel(self) -> None:
        """Want no more answers; the worker notices at its next one."""
        self._run.cancel(self._number)
        self.finish(None)

    def add(self, answer: Frame) -> None:
        """Take an answer."""
        self._answers.put_nowait(answer)

    def finish(self, error: Exception | None) -> None:
        """Take the end."""
        self._answers.put_nowait(error)


class _Run:
    """A worker process from its start to its end."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._loop = asyncio.get_running_loop()
        self._decoder = FrameDecoder()
        self._stderr = HeadTail(head_bytes=0, tail_bytes=_LAST_WORDS_BYTES)
        self._calls: dict[int, Call] = {}
        self._room = threading.Semaphore(_MOST_UNDELIVERED)
        self._count = 0
        self._tree: ProcessTree | None = None
        self._watcher: asyncio.Task[None] | None = None
        self.is_over = False

    async def start(self, args: tuple[str, ...]) -> None:
        command = Command(argv=child_argv(self._name, *args), has_input=True)
        self._tree = await start_process(
            command, on_stdout=self._on_stdout, on_stderr=self._stderr.add
        )
        self._watcher = self._loop.create_task(self._watch(self._tree), name=f"worker {self._name}")

    @property
    def pid(self) -> int | None:
        return self._tree.pid if self._tree else None

    def call(self, body: dict[str, Any], payload: bytes) -> Call:
        self._count += 1
        call = Call(self._count, self)
        self._calls[self._count] = call
        self._send("request", self._count, body, payload)
        return call

    def cancel(self, number: int) -> None:
        if self._calls.pop(number, None) is not None:
            self._send("cancel", number, {}, b"")

    async def end(self, grace_s: float) -> None:
        self.is_over = True
        if self._tree is None:
            return
        if self._tree.stdin is not None:
            self._tree.stdin.close()  # well-behaved workers leave by themselves
        await self._tree.end(grace_s)
        if self._watcher is not None:
            await asyncio.wait({self._watcher})

    def _send(self, kind: str, number: int, body: dict[str, Any], payload: bytes) -> None:
        assert self._tree is not None
        assert self._tree.stdin is not None
        header = {"id": number, "kind": kind, "body": body}
        # A worker that is gone is noticed by the watcher; the write needs no answer of its own.
        self._tree.stdin.write(encode(Frame(header=header, payload=payload)))

    def _on_stdout(self, data: bytes) -> None:
        for frame in self._decoder.feed(data):
            self._room.acquire()
            self._loop.call_soon_threadsafe(self._deliver, frame)

    def _deliver(self, frame: Frame) -> None:
        self._room.release()
        call = self._calls.get(frame.header["id"])
        if call is None:
            return  # cancelled meanwhile
        match frame.header["kind"]:
            case "item":
                call.add(Frame(header=frame.header["body"], payload=frame.payload))
            case "error":
                del self._calls[frame.header["id"]]
                call.finish(WorkerFailedError(frame.header["body"]["error"]))
            case _:
                del self._calls[frame.header["id"]]
                call.finish(None)

    async def _watch(self, tree: ProcessTree) -> None:
        exit_, output = (asyncio.ensure_future(w) for w in (tree.exited(), tree.output_ended()))
        await asyncio.wait({exit_, output}, return_when=asyncio.FIRST_COMPLETED)
        self.is_over = True
        await tree.end()
        await asyncio.wait({exit_, output}, timeout=_LAST_WORDS_S)
        error = WorkerGoneError(self._name, tree.exit_code, redact(self._stderr.text()))
        for call in self._calls.values():
            call.finish(error)
        self._calls.clear()
        output.cancel()
        if output.done() and not output.cancelled():
            output.exception()


class Worker:
    """A worker by name; `start` it, ask it, `stop` it."""

    def __init__(self, name: str, *args: str) -> None:
        self.name = name
        self._args = args
        self._run: _Run | None = None

    @property
    def is_running(self) -> bool:
        """Say whether it can be asked."""
        return self._run is not None and not self._run.is_over

    @property
    def pid(self) -> int | None:
        """The id of its process, if it has one."""
        return self._run.pid if self._run else None

    async def start(self) -> None:
        """Start it, unless it runs; raise OSError if it cannot be started."""
        if not self.is_running:
            run = _Run(self.name)
            await run.start(self._args)
            self._run = run

    def call(self, body: dict[str, Any], payload: bytes = b"") -> Call:
        """Ask; raise WorkerGoneError if it does not run."""
        if self._run is None or self._run.is_over:
            raise WorkerGoneError(self.name, None)
        return self._run.call(body, payload)

    async def ask(self, body: dict[str, Any], payload: bytes = b"") -> Frame:
        """Ask for a single answer; a cancelled wait cancels the call."""
        call = self.call(body, payload)
        try:
            answers = [answer async for answer in call]
        except asyncio.CancelledError:
            call.cancel()
            raise
        if len(answers) != 1:
            raise WorkerFailedError(f"one answer expected, got {len(answers)}")
        return answers[0]

    async def stop(self, grace_s: float = GRACE_S) -> None:
        """End it and wait; without grace it is killed at once."""
        if self._run is not None:
            await self._run.end(grace_s)

    async def restart(self) -> None:
        """Kill it, whatever it does, and start it anew."""
        await self.stop(grace_s=0)
        await self.start()
