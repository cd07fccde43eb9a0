"""What Belay adds to the model that comes with it, and how soon that model rests after Stop.

    python -m bench.model [--quick]

The bare endpoint is asked with one plain HTTP client, the same child through Belay's provider, in
turns, with the same question and the same number of tokens: the difference of the medians is what
Belay costs. Stop is measured from the cancel to the moment from which no thread of the child
wants a core any more (Linux), a kill from the moment its parent is killed until it is gone while
it writes. Prints a table and writes bench/results/model.json.
"""

import asyncio
import contextlib
import json
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

import httpx2
import psutil

from app.agent.provider import ChatRequest, ProviderEvent, RequestDelivered, TextChunk
from app.agent.providers.built_in import BuiltInProvider
from app.agent.providers.http import HttpProvider
from app.core.events import StopReason
from app.core.ids import new_conversation_id, new_message_id
from app.core.messages import Message, Role, text_parts
from app.core.ports import ModelAddress
from app.core.settings import Endpoint
from app.core.tokens import Cancelled, CancelToken
from app.localmodel.model import LocalModel
from app.localmodel.weights import bundled_weights

TOKENS = 48
QUESTION = "Write a long story about a lighthouse."
READING = "Read this. " + "The keeper climbed the stairs and lit the lamp again. " * 400
PARENT = """
import asyncio, sys
from pathlib import Path
from bench.model import parent
asyncio.run(parent(Path(sys.argv[1])))
"""
RESULTS = Path(__file__).with_name("results") / "model.json"


class _Clock:
    def now(self) -> float:
        return time.time()

    def monotonic(self) -> float:
        return time.monotonic()


@dataclass
class Samples:
    """Seconds to the first word, and tokens a second after it."""

    first_s: list[float] = field(default_factory=list)
    rate: list[float] = field(default_factory=list)

    def add(self, began: float, words: list[float]) -> None:
        """Take one answer: when it was asked for and when each word came."""
        self.first_s.append(words[0] - began)
        self.rate.append((len(words) - 1) / (words[-1] - words[0]))

    def medians(self) -> tuple[float, float]:
        """Give the middle of each."""
        return statistics.median(self.first_s), statistics.median(self.rate)


def _request(text: str) -> ChatRequest:
    message = Message(
        id=new_message_id(),
        conversation_id=new_conversation_id(),
        parent_id=None,
        role=Role.USER,
        parts=text_parts(text),
        created_at=0.0,
    )
    return ChatRequest(messages=(message,))


async def _bare(client: httpx2.AsyncClient, address: ModelAddress, into: Samples) -> None:
    body = {
        "model": address.model,
        "messages": [{"role": "user", "content": QUESTION}],
        "stream": True,
        "stream_options": {"include_usage": True},
        "temperature": 0.0,
        "max_tokens": TOKENS,
    }
    words: list[float] = []
    began = time.perf_counter()
    url = f"{address.base_url}/chat/completions"
    async with client.stream("POST", url, json=body) as response:
        async for line in response.aiter_lines():
            if line.startswith("data: {") and _says(json.loads(line[6:])):
                words.append(time.perf_counter())  # noqa: PERF401 - the moment matters
    into.add(began, words)


def _says(event: dict[str, list[dict[str, dict[str, str]]]]) -> bool:
    return any(choice["delta"].get("content") for choice in event.get("choices", []))


async def _through_belay(provider: BuiltInProvider, into: Samples) -> None:
    words: list[float] = []

    def hear(event: ProviderEvent) -> None:
        if isinstance(event, TextChunk):
            words.append(time.perf_counter())

    began = time.perf_counter()
    await provider.stream(_request(QUESTION), CancelToken("bench"), hear)
    into.add(began, words)


async def _stop(provider: BuiltInProvider, is_idle: "Idle", text: str, *, reading: bool) -> float:
    """Stop in the middle; give the seconds until the model rests."""
    token, reached = CancelToken("bench"), asyncio.Event()
    wanted: type[ProviderEvent] = RequestDelivered if reading else TextChunk

    def hear(event: ProviderEvent) -> None:
        if isinstance(event, wanted):
            reached.set()

    task = asyncio.create_task(provider.stream(_request(text), token, hear))
    await reached.wait()
    await asyncio.sleep(0.3)
    began = time.perf_counter()
    token.cancel(StopReason.PERSON)
    with contextlib.suppress(Cancelled):
        await task
    return await is_idle.wait() - began


class Idle:
    """Watches the child's threads: at rest when none is running or waiting for a core.

    Not by asking llama.cpp for its slots: a question lands in the queue that a cancel goes through.
    """

    def __init__(self, model: LocalModel) -> None:
        assert model._child is not None
        self._tasks = Path(f"/proc/{model._child._tree.pid}/task")

    async def wait(self) -> float:
        """Give the moment from which it rested."""
        looks, since = 0, 0.0
        while looks < 10:
            looks = 0 if self._is_at_work() else looks + 1
            since = time.perf_counter() if looks <= 1 else since
            await asyncio.sleep(0.002)
        return since

    def _is_at_work(self) -> bool:
        stats = (task / "stat" for task in self._tasks.iterdir())
        return any(stat.read_text().rpartition(")")[2].split()[0] == "R" for stat in stats)


async def parent(cache: Path) -> None:
    """Be the app that is killed: say the child's process once it writes, and wait for the end."""
    model = LocalModel(weights=bundled_weights, cache=cache, clock=_Clock())
    writing = asyncio.Event()

    def hear(event: ProviderEvent) -> None:
        if isinstance(event, TextChunk):
            writing.set()

    asked = BuiltInProvider(model).stream(_request(QUESTION), CancelToken("bench"), hear)
    asking = asyncio.create_task(asked)
    await writing.wait()
    assert model._child is not None
    print(model._child._tree.pid, flush=True)
    await asking


def kill(cache: str) -> float:
    """Kill an app with a model at work; give the seconds until the model is gone."""
    argv = [sys.executable, "-c", PARENT, cache]
    with subprocess.Popen(argv, stdout=subprocess.PIPE, text=True) as app:
        assert app.stdout is not None
        child = psutil.Process(int(app.stdout.readline()))
        began = time.perf_counter()
        app.kill()
        while _lives(child):
            time.sleep(0.001)
        return time.perf_counter() - began


def _lives(process: psutil.Process) -> bool:
    """Say whether it still is more than an entry that somebody has to collect."""
    try:
        return bool(process.status() != psutil.STATUS_ZOMBIE)
    except psutil.NoSuchProcess:
        return False


async def measure(rounds: int) -> dict[str, float]:
    """Ask both ways in turns."""
    bare, belay = Samples(), Samples()
    with tempfile.TemporaryDirectory() as cache:
        model = LocalModel(weights=bundled_weights, cache=Path(cache), clock=_Clock())
        began = time.perf_counter()
        address = await model.address()
        started_s = time.perf_counter() - began
        settings = Endpoint(base_url="", temperature=0.0, max_tokens=TOKENS)
        provider = BuiltInProvider(model, HttpProvider, settings=settings)
        endless = BuiltInProvider(model)
        headers = {"Authorization": f"Bearer {address.key}"}
        async with httpx2.AsyncClient(headers=headers, timeout=None, trust_env=False) as client:
            await _bare(client, address, Samples())
            await _through_belay(provider, Samples())
            for _ in range(rounds):
                await _bare(client, address, bare)
                await _through_belay(provider, belay)
            idle = Idle(model)
            writing = [await _stop(endless, idle, QUESTION, reading=False) for _ in range(rounds)]
            reading = [
                await _stop(endless, idle, f"{n} {READING}", reading=True) for n in range(rounds)
            ]
        await provider.aclose()
        await endless.aclose()
        model.end()
        killed = [kill(cache) for _ in range(rounds)]
    (bare_s, bare_rate), (belay_s, belay_rate) = bare.medians(), belay.medians()
    return {
        "start_s": started_s,
        "first_word_bare_ms": bare_s * 1000,
        "first_word_belay_ms": belay_s * 1000,
        "first_word_overhead_ms": (belay_s - bare_s) * 1000,
        "tokens_per_s_bare": bare_rate,
        "tokens_per_s_belay": belay_rate,
        "rate_loss_percent": (1 - belay_rate / bare_rate) * 100,
        "stop_to_idle_writing_ms": statistics.median(writing) * 1000,
        "stop_to_idle_reading_ms": statistics.median(reading) * 1000,
        "stop_to_idle_reading_worst_ms": max(reading) * 1000,
        "kill_to_gone_ms": statistics.median(killed) * 1000,
        "kill_to_gone_worst_ms": max(killed) * 1000,
    }


def main() -> None:
    """Measure, print, keep."""
    found = asyncio.run(measure(3 if "--quick" in sys.argv else 15))
    for name, value in found.items():
        print(f"{name:32} {value:10.2f}")
    RESULTS.parent.mkdir(exist_ok=True)
    RESULTS.write_text(json.dumps(found, indent=2) + "\n")


if __name__ == "__main__":
    main()
