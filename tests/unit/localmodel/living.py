"""The real child, asked as Belay asks it and watched from outside."""

import asyncio
import json
import urllib.request
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import psutil

from app.agent.provider import ChatRequest
from app.agent.providers.built_in import BuiltInProvider
from app.core.ports import ModelAddress
from app.core.settings import Endpoint
from app.localmodel.model import LocalModel
from app.localmodel.weights import bundled_weights
from tests.unit.agent.providers.asking import question

LIMIT_S = 60.0  # a bound against hanging, not a measure
STILL_TICKS = 3  # that many looks in a row without CPU time used count as idle
LOOK_S = 0.15

LONG_ANSWER = "Write a very long story about a lighthouse, with many chapters and much detail."
# The same words every time, and few: on a busy machine each of them takes its time.
SETTINGS = Endpoint(base_url="", temperature=0.0, max_tokens=160)
LONG_QUESTION = "Read this. " + "The keeper climbed the stairs and lit the lamp again. " * 500


class SystemClock:
    """Time that the restart limit counts by; the tests never come near it."""

    def now(self) -> float:
        """Stand still."""
        return 0.0

    def monotonic(self) -> float:
        """Stand still."""
        return 0.0


class Living:
    """A child at work: the provider in front of it, its process behind it."""

    def __init__(self, model: LocalModel) -> None:
        self.model = model
        self.provider = BuiltInProvider(model, settings=SETTINGS)

    @property
    def pid(self) -> int:
        """The child's process."""
        assert self.model._child is not None
        return self.model._child._tree.pid

    def cpu_s(self) -> float:
        """CPU time that the child and whatever it started have used."""
        processes = [psutil.Process(self.pid), *psutil.Process(self.pid).children(recursive=True)]
        return sum(sum(process.cpu_times()[:2]) for process in processes)

    async def busy(self) -> None:
        """Wait until the child is seen to compute."""
        before = self.cpu_s()
        await until(lambda: self.cpu_s() - before > 0.1)

    async def idle(self) -> None:
        """Wait until the child computes no more."""
        still, last = 0, self.cpu_s()
        async with asyncio.timeout(LIMIT_S):
            while still < STILL_TICKS:
                await asyncio.sleep(LOOK_S)
                now = self.cpu_s()
                still, last = (still + 1 if now - last < 0.02 else 0), now

    def slot(self) -> dict[str, object]:
        """Ask llama.cpp itself what its one slot does."""
        address: ModelAddress = self.model._child.address  # type: ignore[union-attr]
        request = urllib.request.Request(
            address.base_url.removesuffix("/v1") + "/slots",
            headers={"Authorization": f"Bearer {address.key}"},
        )
        with urllib.request.urlopen(request) as response:
            (slot,) = json.load(response)
        assert isinstance(slot, dict)
        return slot


async def until(holds: Callable[[], bool]) -> None:
    """Look again and again until it holds."""
    async with asyncio.timeout(LIMIT_S):
        while not holds():  # noqa: ASYNC110 - another process has no event to wait for
            await asyncio.sleep(0.02)


@asynccontextmanager
async def living(cache: Path) -> AsyncIterator[Living]:
    """Start the real model; gone at the end."""
    model = LocalModel(weights=bundled_weights, cache=cache, clock=SystemClock())
    alive = Living(model)
    try:
        await model.address()
        yield alive
    finally:
        await alive.provider.aclose()
        model.end()


def short() -> ChatRequest:
    """Ask something that is answered in a few words."""
    return question("hello")
