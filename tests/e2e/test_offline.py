"""A machine with no network, no account and nothing configured: Belay answers."""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from app.core.messages import Ending, Message, Role
from app.core.settings import BUILT_IN
from tests.e2e import stored
from tests.e2e.hand import Hand, until
from tests.fakes.server import FakeServer
from tests.harness.process import BelayProcess, belay_argv

_ALONE = ["unshare", "-rn", "sh", "-c", 'ip link set lo up && exec "$@"', "sh"]


def _refused() -> str:
    if sys.platform != "linux" or not shutil.which("unshare") or not shutil.which("ip"):
        return "needs Linux with unshare and ip"
    tried = subprocess.run([*_ALONE, "true"], capture_output=True, text=True, check=False)
    return "" if tried.returncode == 0 else f"no network namespace: {tried.stderr.strip()}"


@pytest.fixture(scope="module", autouse=True)
def _permitted() -> None:
    if reason := _refused():
        pytest.skip(reason)


@pytest.fixture
def alone(belay_home: Path, tmp_path: Path) -> Iterator["Starter"]:
    starter = Starter(belay_home, tmp_path)
    yield starter
    for process in starter.started:
        process.kill_tree()


class Starter:
    """Starts Belay where only loopback is up."""

    def __init__(self, home: Path, folder: Path) -> None:
        self._home, self._folder = home, folder
        self.started: list[BelayProcess] = []

    def __call__(self, *args: str, env: Mapping[str, str] | None = None) -> BelayProcess:
        env = {**os.environ, "BELAY_HOME": str(self._home), **(env or {})}
        process = BelayProcess([*_ALONE, *belay_argv(*args)], env, self._folder)
        self.started.append(process)
        return process


def test_with_only_loopback_the_built_in_model_answers(alone: Starter) -> None:
    asked = alone("ask", "Say hello")
    asked.close_stdin()
    assert asked.wait() == 0, asked.stderr.text
    assert asked.stdout.read_to_end().strip()
    assert asked.tree() == []


def test_with_only_loopback_the_window_answers(
    alone: Starter, display: str, server: FakeServer, belay_home: Path
) -> None:
    hand = Hand(start=alone, display=display, server=server)
    hand.env = {"DISPLAY": display, "QT_QPA_PLATFORM": "xcb"}  # and nothing is configured
    hand.open()
    hand.type("hello")
    hand.press("Return")
    until(lambda: _answers(belay_home), "an answer on disk")
    assert hand.quit() == 0
    (answer,) = _answers(belay_home)
    assert (answer.model, answer.ending) == (BUILT_IN, Ending.COMPLETE)
    assert answer.text.strip()
    assert server.log.requests == []


def _answers(home: Path) -> list[Message]:
    return [
        message
        for message in stored.messages_so_far(home)
        if message.role is Role.ASSISTANT and message.ending is not Ending.OPEN
    ]


def test_with_only_loopback_the_doctor_finds_nothing_essential_missing(alone: Starter) -> None:
    doctor = alone("doctor")
    doctor.close_stdin()
    assert doctor.wait() == 0, doctor.stdout.text
    said = doctor.stdout.read_to_end()
    assert "the built-in one" in said
    assert "Keychain: None here." in said
    assert "Belay can answer and remember." in said
