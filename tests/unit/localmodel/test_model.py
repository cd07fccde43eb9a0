"""The model that comes with Belay, for real: its child, its weights, its limits."""

import asyncio
import json
import os
import signal
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

from app.core.errors import ProblemError, ProblemKind
from app.core.ports import ModelAddress
from app.localmodel.model import LocalModel
from app.localmodel.weights import Weights, are_genuine, bundled_weights

pytestmark = pytest.mark.anyio


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


class Clock:
    """A clock that the test sets."""

    def __init__(self) -> None:
        self.at = 0.0

    def now(self) -> float:
        return self.at

    def monotonic(self) -> float:
        return self.at


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def model(tmp_path: Path, clock: Clock) -> Iterator[LocalModel]:
    model = LocalModel(weights=bundled_weights, cache=tmp_path, clock=clock)
    yield model
    model.end()


def ask(address: ModelAddress, key: str) -> str:
    body = {"messages": [{"role": "user", "content": "Say hello"}], "max_tokens": 4}
    request = urllib.request.Request(
        f"{address.base_url}/chat/completions",
        data=json.dumps(body).encode(),
        headers={"Authorization": f"Bearer {key}", "Content-Type": "application/json"},
    )
    with urllib.request.urlopen(request) as response:
        answer: str = json.load(response)["choices"][0]["message"]["content"]
    return answer


def pid_of(model: LocalModel) -> int:
    assert model._child is not None
    return model._child._tree.pid


async def test_the_built_in_model_answers_with_its_key_only(model: LocalModel) -> None:
    address = await model.address()
    assert ask(address, address.key).strip()
    with pytest.raises(urllib.error.HTTPError, match="401"):
        ask(address, "another key")


async def test_many_who_wait_share_one_start(model: LocalModel) -> None:
    addresses = await asyncio.gather(*(model.address() for _ in range(5)))
    assert len(set(addresses)) == 1


async def test_one_who_gives_up_waiting_does_not_stop_the_start(model: LocalModel) -> None:
    impatient = asyncio.ensure_future(model.address())
    patient = asyncio.ensure_future(model.address())
    await asyncio.sleep(0)
    impatient.cancel()
    assert (await patient).base_url.startswith("http://127.0.0.1:")


async def test_a_model_that_died_is_started_again(model: LocalModel) -> None:
    first = await model.address()
    assert model._child is not None
    os.kill(pid_of(model), signal.SIGKILL)
    await model._child._tree.exited()
    second = await model.address()
    assert second != first
    assert ask(second, second.key).strip()


async def test_weights_that_are_not_ours_are_refused(tmp_path: Path, clock: Clock) -> None:
    forged = tmp_path / "model.gguf"
    forged.write_bytes(b"GGUF and nothing else")
    weights = Weights(path=forged, sha256="0" * 64)
    model = LocalModel(weights=lambda: weights, cache=tmp_path, clock=clock)
    with pytest.raises(ProblemError) as caught:
        await model.address()
    assert caught.value.problem.kind is ProblemKind.BUILT_IN_FAILED


async def test_without_weights_it_says_so(tmp_path: Path, clock: Clock) -> None:
    model = LocalModel(weights=lambda: None, cache=tmp_path, clock=clock)
    with pytest.raises(ProblemError) as caught:
        await model.address()
    assert caught.value.problem.kind is ProblemKind.BUILT_IN_MISSING


async def test_a_broken_model_file_is_a_sentence_and_is_not_tried_for_ever(
    tmp_path: Path, clock: Clock
) -> None:
    broken = tmp_path / "model.gguf"
    broken.write_bytes(b"GGUF and nothing else")
    weights = Weights(path=broken, sha256=None)
    model = LocalModel(weights=lambda: weights, cache=tmp_path, clock=clock)
    reasons = []
    for _ in range(4):
        with pytest.raises(ProblemError) as caught:
            await model.address()
        assert caught.value.problem.kind is ProblemKind.BUILT_IN_FAILED
        reasons.append(caught.value.problem.params["reason"])
    assert reasons[-1] == "it stopped again and again"
    clock.at += 61
    with pytest.raises(ProblemError) as caught:
        await model.address()
    assert caught.value.problem.params["reason"] == reasons[0]


def test_weights_are_hashed_once_and_again_when_they_change(tmp_path: Path) -> None:
    bundled = bundled_weights()
    assert bundled is not None
    assert are_genuine(bundled, tmp_path)
    remembered = tmp_path / "verified-weights.json"
    before = remembered.read_text()
    assert are_genuine(bundled, tmp_path)
    assert remembered.read_text() == before
    copy = tmp_path / "copy.gguf"
    copy.write_bytes(bundled.path.read_bytes()[:-1])
    assert bundled.sha256 is not None
    assert not are_genuine(Weights(path=copy, sha256=bundled.sha256), tmp_path)
