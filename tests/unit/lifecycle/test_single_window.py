"""One window per folder; later starts hand over their text and leave, whatever state it is in."""

import os
import queue
import signal
import socket
import stat
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from app.lifecycle.local_socket import LocalAddress
from app.lifecycle.single_window import HandOver, SingleWindow, open_window
from app.system.frames import Frame, encode
from tests.harness.process import Output

BOUND_S = 60.0

WINDOW = """
import sys
from pathlib import Path
from app.lifecycle.single_window import open_window
window = open_window(Path(sys.argv[1]))
window.serve(lambda text: print(repr(text), flush=True))
print("open", flush=True)
sys.stdin.read()
"""


@pytest.fixture(params=["unix", "tcp"])
def folder(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A folder whose socket path fits, and one whose path does not."""
    found = tmp_path if request.param == "unix" else tmp_path / ("deep" * 30)
    found.mkdir(mode=0o700, exist_ok=True)
    return found


@pytest.fixture
def other(folder: Path) -> Iterator[tuple["subprocess.Popen[bytes]", Output]]:
    """Another process that is the window."""
    process = subprocess.Popen(
        [sys.executable, "-c", WINDOW, str(folder)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert process.stdout is not None
    assert process.stdin is not None
    output = Output(process.stdout)
    output.wait_for("open\n")
    yield process, output
    process.kill()
    process.wait(BOUND_S)
    process.stdin.close()


def _open(folder: Path) -> SingleWindow:
    window = open_window(folder)
    assert isinstance(window, SingleWindow)
    return window


def test_first_start_is_the_window(folder: Path) -> None:
    _open(folder).close()


def test_second_start_hands_its_text_to_the_first(
    folder: Path, other: tuple["subprocess.Popen[bytes]", Output]
) -> None:
    assert open_window(folder, "räksmörgås\nplease") is HandOver.DELIVERED
    assert open_window(folder) is HandOver.DELIVERED
    other[1].wait_for("open\n'räksmörgås\\nplease'\n''\n")


def test_killed_window_does_not_stand_in_the_way(
    folder: Path, other: tuple["subprocess.Popen[bytes]", Output]
) -> None:
    other[0].kill()
    other[0].wait(BOUND_S)
    window = _open(folder)
    texts: queue.SimpleQueue[str] = queue.SimpleQueue()
    window.serve(texts.put)
    assert open_window(folder, "to the new one") is HandOver.DELIVERED
    assert texts.get(timeout=BOUND_S) == "to the new one"
    window.close()


def test_frozen_window_does_not_hold_the_second_start_for_ever(
    folder: Path, other: tuple["subprocess.Popen[bytes]", Output]
) -> None:
    os.kill(other[0].pid, signal.SIGSTOP)
    assert open_window(folder, "hello?", limit_s=0.3) is HandOver.NO_ANSWER


def test_closed_window_makes_room(folder: Path) -> None:
    window = _open(folder)
    window.serve(lambda _: None)
    window.close()
    again = _open(folder)
    again.close()


def test_other_folders_have_windows_of_their_own(folder: Path, tmp_path: Path) -> None:
    window = _open(folder)
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    _open(elsewhere).close()
    window.close()


def test_silent_visitor_does_not_keep_others_waiting(folder: Path) -> None:
    window = _open(folder)
    window.serve(lambda _: None)
    with LocalAddress(folder).connect(BOUND_S):
        assert open_window(folder, "mine") is HandOver.DELIVERED
    window.close()


@pytest.mark.parametrize(
    "noise", [b"GET / HTTP/1.1\r\n\r\n", b"", b"\0" * 100, encode(Frame(header={"key": "wrong"}))]
)
def test_noise_is_not_taken_for_text(tmp_path: Path, noise: bytes) -> None:
    folder = tmp_path / ("deep" * 30)
    folder.mkdir()
    window = _open(folder)
    texts: list[str] = []
    window.serve(texts.append)
    with LocalAddress(folder).connect(BOUND_S) as visitor:
        visitor.sendall(noise)
        visitor.shutdown(socket.SHUT_WR)
        assert visitor.recv(100) == b""
    assert open_window(folder, "real") is HandOver.DELIVERED
    assert texts == ["real"]
    window.close()


def test_text_that_is_delivered_again_runs_once(folder: Path) -> None:
    window = _open(folder)
    texts: list[str] = []
    window.serve(texts.append)
    header = {"id": "same", "key": LocalAddress(folder).key()}
    for _ in range(2):
        with LocalAddress(folder).connect(BOUND_S) as visitor:
            visitor.sendall(encode(Frame(header=header, payload=b"once")))
            assert b"taken" in visitor.recv(100)
    assert texts == ["once"]
    window.close()


def test_address_is_private(folder: Path) -> None:
    window = _open(folder)
    modes = {stat.S_IMODE(path.stat().st_mode) for path in folder.iterdir()}
    assert modes == {0o600}
    window.close()


def test_many_starts_at_once_make_one_window(tmp_path: Path) -> None:
    outcomes: queue.SimpleQueue[SingleWindow | HandOver] = queue.SimpleQueue()
    texts: queue.SimpleQueue[str] = queue.SimpleQueue()

    def begin(number: int) -> None:
        outcome = open_window(tmp_path, str(number), limit_s=BOUND_S)
        if isinstance(outcome, SingleWindow):
            outcome.serve(texts.put)
        outcomes.put(outcome)

    for number in range(8):
        threading.Thread(target=begin, args=(number,), daemon=True).start()
    found = [outcomes.get(timeout=BOUND_S) for _ in range(8)]
    windows = [outcome for outcome in found if isinstance(outcome, SingleWindow)]
    assert len(windows) == 1
    assert found.count(HandOver.DELIVERED) == 7
    assert len({texts.get(timeout=BOUND_S) for _ in range(7)}) == 7
    windows[0].close()
