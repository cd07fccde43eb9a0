"""Whether Qt would find a display: real X servers, dead ones, and ones that do not want us."""

import ctypes.util
import secrets
import socket
import struct
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from app.system.display import Display, NoDisplay, NoDisplayReason, find_display

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="elsewhere Qt always has one")

NOBODY = secrets.randbelow(10_000) + 20_000  # a display number that no server here has


def _reason(environ: dict[str, str], timeout_s: float = 5.0) -> NoDisplayReason | None:
    found = find_display(environ, timeout_s)
    return found.reason if isinstance(found, NoDisplay) else None


@contextmanager
def _server(listener: socket.socket, reply: bytes | None) -> Iterator[None]:
    """Accept everybody and answer what is said with the reply, or with silence."""
    over = threading.Event()

    def serve() -> None:
        kept = []
        while not over.is_set():
            try:
                connection, _ = listener.accept()
            except OSError:
                break
            kept.append(connection)
            if reply is not None and connection.recv(1000):
                connection.sendall(reply)
        for connection in kept:
            connection.close()

    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    yield
    over.set()
    listener.shutdown(socket.SHUT_RDWR)
    thread.join(60)
    listener.close()


def _listen(where: str) -> socket.socket:
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    listener.bind(where)
    listener.listen()
    return listener


def _refusal(words: bytes = b"No protocol specified\n") -> bytes:
    padded = words + bytes(-len(words) % 4)
    return struct.pack("<BBHHH", 0, len(words), 11, 0, len(padded) // 4) + padded


def test_running_server_is_found(display: str) -> None:
    assert find_display({"DISPLAY": display}) == Display(platform="xcb")
    assert find_display({"DISPLAY": f"unix{display}.0"}) == Display(platform="xcb")


def test_no_variable_means_no_display() -> None:
    assert find_display({}) == NoDisplay(reason=NoDisplayReason.NOT_SET)


@pytest.mark.parametrize(
    "name",
    [f":{NOBODY}", f"127.0.0.1:{NOBODY}.0", f"unix:{NOBODY}", "nonsense", ":", "/no/such:0"],
    ids=["here", "tcp", "unix", "nonsense", "no number", "no socket"],
)
def test_dead_display_is_not_usable(name: str) -> None:
    found = find_display({"DISPLAY": name})
    assert found == NoDisplay(reason=NoDisplayReason.NOT_ANSWERING, detail=name)


def test_server_that_refuses_us_is_not_usable() -> None:
    listener = _listen(f"\0/tmp/.X11-unix/X{NOBODY}")
    with _server(listener, _refusal()):
        assert _reason({"DISPLAY": f":{NOBODY}"}) is NoDisplayReason.REFUSED


def test_server_that_says_nothing_is_not_waited_for() -> None:
    listener = _listen(f"\0/tmp/.X11-unix/X{NOBODY}")
    with _server(listener, None):
        assert _reason({"DISPLAY": f":{NOBODY}"}, 0.2) is NoDisplayReason.NOT_ANSWERING


def test_display_over_tcp_is_tried() -> None:
    listener = socket.create_server(("127.0.0.1", 0))
    number = listener.getsockname()[1] - 6000
    with _server(listener, _refusal()):
        assert _reason({"DISPLAY": f"127.0.0.1:{number}.0"}) is NoDisplayReason.REFUSED


@pytest.mark.parametrize("platform", ["offscreen", "minimal", "vnc:size=800x600"])
def test_platform_without_a_display_is_honoured(platform: str) -> None:
    found = find_display({"QT_QPA_PLATFORM": platform})
    assert found == Display(platform=platform.partition(":")[0])


def test_platform_that_was_asked_for_is_the_only_one_tried(display: str) -> None:
    environ = {"QT_QPA_PLATFORM": "wayland", "DISPLAY": display}
    assert _reason(environ) is NoDisplayReason.NOT_SET
    environ["QT_QPA_PLATFORM"] = "wayland;xcb"
    assert find_display(environ) == Display(platform="xcb")


def test_dead_wayland_falls_back_to_x(display: str, tmp_path: Path) -> None:
    environ = {
        "XDG_SESSION_TYPE": "wayland",
        "WAYLAND_DISPLAY": "wayland-0",
        "XDG_RUNTIME_DIR": str(tmp_path),
    }
    assert _reason(environ) is NoDisplayReason.NOT_ANSWERING
    assert find_display({**environ, "DISPLAY": display}) == Display(platform="xcb")


def test_living_wayland_is_preferred_in_its_session_only(display: str, tmp_path: Path) -> None:
    environ = {"WAYLAND_DISPLAY": "wayland-7", "XDG_RUNTIME_DIR": str(tmp_path)}
    with _server(_listen(str(tmp_path / "wayland-7")), None):
        alone = find_display({**environ, "XDG_SESSION_TYPE": "wayland"})
        assert find_display({**environ, "DISPLAY": display}) == Display(platform="xcb")
    if ctypes.util.find_library("wayland-cursor") is None:
        missing = NoDisplayReason.MISSING_LIBRARY
        assert alone == NoDisplay(reason=missing, detail="libwayland-cursor.so.0")
    else:
        assert alone == Display(platform="wayland")


def test_macos_and_windows_always_have_one(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("darwin", "win32"):
        monkeypatch.setattr(sys, "platform", name)
        assert find_display({}) == Display(platform="")
