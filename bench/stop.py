"""Stop, in every phase: until the server sees the connection closed, until the window hears it.

    python -m bench.stop [--quick]

The baseline is a bare httpx2 stream on another thread's loop, cancelled from this thread in the
same run and against the same server.
"""

import asyncio
import contextlib
import random
import statistics
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from dataclasses import dataclass, field

import httpx2

from app.core.events import (
    Event,
    FellBack,
    RequestSent,
    RequestStarted,
    Retrying,
    TextDelta,
    TurnEnded,
)
from bench.harness import MODEL, Figure, Server, Window, model_server, report, spread, window
from tests.fakes.script import Answer, Gate, Stall, Text, failing

RUNS = 200
BLOCK = 10  # runs of ours, then as many of the baseline, and again
SETTLED_S = 0.004  # the server has read what we know to be sent


@dataclass(frozen=True, slots=True, kw_only=True)
class Phase:
    """A place where Stop can hit."""

    name: str
    answer: Answer
    reached: type[Event]
    is_open: bool = True  # there is a connection that a server can see closing


PHASES = (
    Phase(name="before the headers", answer=Answer(before=(Gate("g"),)), reached=RequestSent),
    Phase(name="before the first word", answer=Answer(steps=(Gate("g"),)), reached=RequestSent),
    Phase(
        name="in mid-stream",
        answer=Answer(steps=(Text("word " * 5000), Stall()), rate=500.0),
        reached=TextDelta,
    ),
    Phase(name="in a stall", answer=Answer(steps=(Text("Hello"), Stall())), reached=TextDelta),
    Phase(
        name="in a retry wait",
        answer=failing(503, retry_after="30"),
        reached=Retrying,
        is_open=False,
    ),
)


@dataclass
class Times:
    """From Stop on, in seconds."""

    closed: list[float] = field(default_factory=list)
    ended: list[float] = field(default_factory=list)


def stop_ours(shown: Window, phase: Phase, dice: random.Random) -> tuple[float, float]:
    """Send, get to the phase, Stop; give when that was and when the end was heard."""
    shown.send("Hello")
    shown.until(phase.reached)
    shown.rest(SETTLED_S + dice.random() * 0.004)
    stopped_at = shown.stop()
    return stopped_at, shown.until(TurnEnded)


class Bare:
    """An httpx2 client on a loop on another thread, and nothing else."""

    def __init__(self, url: str) -> None:
        self._url = f"{url}/chat/completions"
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()
        self._client = httpx2.AsyncClient(trust_env=False)

    def stop(self, phase: Phase, dice: random.Random) -> tuple[float, float]:
        """Ask, get to the phase, cancel the task; give when that was and when it was over."""
        reached = threading.Event()
        ended: Future[float] = Future()
        task = asyncio.run_coroutine_threadsafe(self._start(reached, phase, ended), self._loop)
        running = task.result()
        assert reached.wait(20.0)
        time.sleep(SETTLED_S + dice.random() * 0.004)
        stopped_at = time.monotonic()
        self._loop.call_soon_threadsafe(running.cancel)
        return stopped_at, ended.result(20.0)

    async def _start(
        self, reached: threading.Event, phase: Phase, ended: "Future[float]"
    ) -> "asyncio.Task[None]":
        return asyncio.get_running_loop().create_task(self._ask(reached, phase, ended))

    async def _ask(self, reached: threading.Event, phase: Phase, ended: "Future[float]") -> None:
        body = {"model": MODEL, "stream": True, "messages": [{"role": "user", "content": "Hello"}]}

        async def trace(event: str, _: object) -> None:
            if phase.reached is RequestSent and event == "http11.send_request_body.complete":
                reached.set()

        try:
            async with self._client.stream(
                "POST", self._url, json=body, extensions={"trace": trace}
            ) as response:
                async for _ in response.aiter_bytes():
                    reached.set()
        finally:
            ended.set_result(time.monotonic())

    def close(self) -> None:
        """End the client and its loop."""
        asyncio.run_coroutine_threadsafe(self._client.aclose(), self._loop).result(5.0)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(5.0)
        self._loop.close()


@contextmanager
def bare(url: str) -> Iterator[Bare]:
    """Run a bare client for the length of a `with` block."""
    client = Bare(url)
    with contextlib.closing(client):
        yield client


def measure(
    server: Server, phase: Phase, runs: int, stop_once: Callable[[], tuple[float, float]]
) -> Times:
    """Stop this often, and look up at the server when each connection closed."""
    server.clear()
    times = Times()
    stops: list[float] = []
    for _ in range(runs):
        server.script(phase.answer)
        stopped_at, ended_at = stop_once()
        stops.append(stopped_at)
        times.ended.append(ended_at - stopped_at)
    if phase.is_open:
        time.sleep(0.05)
        closes = [request["connection"]["closed_at"] for request in server.chats()]
        assert len(closes) == runs, "a request was made again"
        times.closed = [closed - stopped for closed, stopped in zip(closes, stops, strict=True)]
    return times


def measured(server: Server, shown: Window, client: Bare, phase: Phase, runs: int) -> list[Figure]:
    """Measure one phase: ours and the baseline in turn."""
    dice = random.Random(phase.name)
    ours, baseline = Times(), Times()
    for _ in range(runs // BLOCK):
        shown.begin()
        block = measure(server, phase, BLOCK, lambda: stop_ours(shown, phase, dice))
        ours.closed += block.closed
        ours.ended += block.ended
        if phase.is_open:
            block = measure(server, phase, BLOCK, lambda: client.stop(phase, dice))
            baseline.closed += block.closed
    figures = spread(f"{phase.name}: Stop to end heard", ours.ended, p50_ms=5, p99_ms=50)
    if phase.is_open:
        figures += spread(f"{phase.name}: Stop to close seen", ours.closed, p50_ms=2, p99_ms=20)
        figures += spread(f"{phase.name}: bare cancel to close seen", baseline.closed)
        ratio = statistics.median(ours.closed) / statistics.median(baseline.closed)
        figures.append(Figure(name=f"{phase.name}: over bare", value=ratio, unit="x", limit=3))
    return figures


def in_a_fallback(runs: int) -> list[Figure]:
    """Stop the second model after the first has failed."""
    phase = Phase(name="in a fallback", answer=PHASES[3].answer, reached=TextDelta)
    dice = random.Random(phase.name)
    with model_server() as first, model_server() as second, window(first.url, second.url) as shown:

        def stop_once() -> tuple[float, float]:
            first.script(failing(402, "No credit."))
            times = stop_ours(shown, phase, dice)
            assert any(isinstance(event, FellBack) for _, event in shown.heard)
            return times

        shown.begin()
        times = measure(second, phase, runs, stop_once)
    figures = spread(f"{phase.name}: Stop to end heard", times.ended, p50_ms=5, p99_ms=50)
    return figures + spread(f"{phase.name}: Stop to close seen", times.closed, p50_ms=2, p99_ms=20)


def during_connect(runs: int) -> list[Figure]:
    """Stop while nobody answers the door."""
    from tests.unit.agent.wire import deaf_server  # noqa: PLC0415 - only this phase needs it

    phase = Phase(name="during connect", answer=Answer(), reached=RequestStarted, is_open=False)
    dice = random.Random(phase.name)
    ended: list[float] = []
    with deaf_server() as port, window(f"http://127.0.0.1:{port}/v1") as shown:
        shown.begin()
        for _ in range(runs):
            stopped_at, ended_at = stop_ours(shown, phase, dice)
            ended.append(ended_at - stopped_at)
    return spread(f"{phase.name}: Stop to end heard", ended, p50_ms=5, p99_ms=50)


def run(*, quick: bool = False) -> list[Figure]:
    """Measure every phase."""
    runs = BLOCK * 2 if quick else RUNS
    figures: list[Figure] = during_connect(runs)
    with model_server() as server, window(server.url) as shown, bare(server.url) as client:
        shown.begin()
        stop_ours(shown, Phase(name="warm-up", answer=Answer(), reached=TextDelta), random.Random())
        for phase in PHASES:
            figures += measured(server, shown, client, phase, runs)
    return figures + in_a_fallback(runs)


if __name__ == "__main__":
    sys.exit(report("stop", run(quick="--quick" in sys.argv)))
