"""What importing and asking load, and on which thread: the SDK costs more than half a second."""

import json
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from app.agent.providers.build import warm_up
from app.agent.providers.fake import Latch
from app.agent.providers.http import HttpProvider
from app.agent.providers.lazy import Lazy
from app.core.settings import Endpoint
from app.core.tokens import Cancelled
from tests.fakes.server import FakeServer
from tests.harness.loops import play
from tests.unit.agent.providers.asking import LIMIT_S, Asking, ask

ROOT = Path(__file__).parents[4]
IMPORTS = """
import json, sys
import app.agent.providers.build, app.agent.providers.fake
print(json.dumps(sorted(sys.modules)))
"""


def test_importing_the_providers_loads_neither_sdk_nor_http_client() -> None:
    run = subprocess.run(
        [sys.executable, "-c", IMPORTS], cwd=ROOT, capture_output=True, text=True, check=True
    )
    heavy = {"openai", "httpx2", "httpcore2", "pydantic", "truststore"}
    assert heavy & set(json.loads(run.stdout)) == set()


def test_the_sdk_is_opened_on_another_thread(
    server: FakeServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened_on: list[threading.Thread] = []
    real = HttpProvider._open

    def noting(self: HttpProvider) -> object:
        opened_on.append(threading.current_thread())
        return real(self)

    monkeypatch.setattr(HttpProvider, "_open", noting)

    async def act() -> None:
        provider = HttpProvider(Endpoint(base_url=server.url, model="m"), None)
        assert opened_on == []
        await ask(provider)
        await ask(provider)
        await provider.aclose()

    play(act())
    (thread,) = opened_on
    assert thread is not threading.main_thread()
    assert thread.daemon


def test_stop_while_the_sdk_loads_does_not_wait_for_it(
    server: FakeServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    loading, may_go_on, loads = Latch(), threading.Event(), list[str]()
    real = HttpProvider._open

    def slow(self: HttpProvider) -> object:
        loads.append("loaded")
        loading.set()
        assert may_go_on.wait(LIMIT_S)
        return real(self)

    monkeypatch.setattr(HttpProvider, "_open", slow)

    async def act() -> None:
        provider = HttpProvider(Endpoint(base_url=server.url, model="m"), None)
        asking = Asking(provider)
        await loading.wait()
        asking.stop()
        with pytest.raises(Cancelled):
            await asking.reply()
        assert server.log.connections == []
        may_go_on.set()
        assert (await ask(provider)).text.startswith("You wrote")
        assert loads == ["loaded"]
        await provider.aclose()

    play(act())


def test_warming_up_loads_the_sdk() -> None:
    play(warm_up())
    assert "app.agent.providers.wire" in sys.modules


def test_a_value_that_could_not_be_made_is_made_anew() -> None:
    attempts: list[int] = []

    def make() -> str:
        attempts.append(1)
        if len(attempts) == 1:
            raise OSError("not yet")
        return "made"

    async def act() -> None:
        lazy = Lazy(make)
        assert lazy.value is None
        with pytest.raises(OSError, match="not yet"):
            await lazy.get()
        assert [await lazy.get(), await lazy.get(), lazy.value] == ["made", "made", "made"]
        assert len(attempts) == 2

    play(act())


def test_closing_a_provider_that_was_never_asked_opens_nothing() -> None:
    provider = HttpProvider(Endpoint(base_url="http://127.0.0.1:9/v1"), None)
    play(provider.aclose())
    assert provider._wire.value is None
