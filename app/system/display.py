"""Find out before Qt is imported whether there is a display that it could use.

`QApplication` aborts the process when there is none, and nothing can catch that. So each platform
that Qt would try is tried first: its socket, its libraries, and for X the very handshake that Qt
makes, because a display may be there and still refuse us. Every step is bounded in time.
"""

import ctypes
import os
import re
import socket
import sys
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from app.system.threads import spawn_thread

PLATFORM_VARIABLE = "QT_QPA_PLATFORM"

_X_LIBRARIES = (
    "libxcb.so.1",
    "libxcb-cursor.so.0",
    "libxcb-icccm.so.4",
    "libxcb-image.so.0",
    "libxcb-keysyms.so.1",
    "libxcb-randr.so.0",
    "libxcb-render-util.so.0",
    "libxcb-shape.so.0",
    "libxcb-xkb.so.1",
    "libxkbcommon-x11.so.0",
    "libX11-xcb.so.1",
)
_WAYLAND_LIBRARIES = ("libwayland-client.so.0", "libwayland-cursor.so.0")
_COMMON_LIBRARIES = ("libEGL.so.1", "libGL.so.1", "libfontconfig.so.1", "libdbus-1.so.3")
_NAME = re.compile(r"(?:(?P<protocol>\w+)/)?(?P<host>.*):(?P<number>\d+)(?:\.\d+)?")


class NoDisplayReason(StrEnum):
    """Why there is none."""

    NOT_SET = "not_set"
    NOT_ANSWERING = "not_answering"
    REFUSED = "refused"
    MISSING_LIBRARY = "missing_library"


@dataclass(frozen=True, slots=True, kw_only=True)
class Display:
    """A usable one; `platform` is Qt's name for it, empty where Qt has no choice."""

    platform: str


@dataclass(frozen=True, slots=True, kw_only=True)
class NoDisplay:
    """None is usable; `detail` names the display or the library."""

    reason: NoDisplayReason
    detail: str = ""


def find_display(
    environ: Mapping[str, str] = os.environ, timeout_s: float = 1.0
) -> Display | NoDisplay:
    """Find the first display that Qt could use."""
    if sys.platform in ("darwin", "win32"):
        return Display(platform="")
    problems: list[NoDisplay] = []
    for platform in _candidates(environ):
        problem = _find_problem(platform, environ, timeout_s)
        if problem is None:
            return Display(platform=platform)
        problems.append(problem)
    telling = [found for found in problems if found.reason is not NoDisplayReason.NOT_SET]
    return (telling or problems)[0]


def _candidates(environ: Mapping[str, str]) -> list[str]:
    wanted = environ.get(PLATFORM_VARIABLE)
    if wanted:
        return [name.partition(":")[0] for name in wanted.split(";")]
    is_wayland = environ.get("XDG_SESSION_TYPE") == "wayland"
    return ["wayland", "xcb"] if is_wayland else ["xcb", "wayland"]


def _find_problem(platform: str, environ: Mapping[str, str], timeout_s: float) -> NoDisplay | None:
    if platform == "xcb":
        return _find_x_problem(environ.get("DISPLAY", ""), timeout_s)
    if platform.startswith("wayland"):
        return _find_wayland_problem(environ, timeout_s)
    return None  # offscreen and its like need no display


def _find_wayland_problem(environ: Mapping[str, str], timeout_s: float) -> NoDisplay | None:
    name = environ.get("WAYLAND_DISPLAY")
    if not name:
        return NoDisplay(reason=NoDisplayReason.NOT_SET)
    path = Path(environ.get("XDG_RUNTIME_DIR", "/"), name)  # an absolute name stands for itself
    if not _connects(socket.AF_UNIX, str(path), timeout_s):
        return NoDisplay(reason=NoDisplayReason.NOT_ANSWERING, detail=name)
    return _find_missing_library((*_WAYLAND_LIBRARIES, *_COMMON_LIBRARIES))


def _find_x_problem(name: str, timeout_s: float) -> NoDisplay | None:
    if not name:
        return NoDisplay(reason=NoDisplayReason.NOT_SET)
    if not any(_connects(family, where, timeout_s) for family, where in _x_sockets(name)):
        return NoDisplay(reason=NoDisplayReason.NOT_ANSWERING, detail=name)
    missing = _find_missing_library((*_X_LIBRARIES, *_COMMON_LIBRARIES))
    return missing or _find_handshake_problem(name, timeout_s)


def _x_sockets(name: str) -> Iterator[tuple[socket.AddressFamily, str | tuple[str, int]]]:
    parts = _NAME.fullmatch(name)
    if parts is None:
        return
    host, number = parts["host"].strip("[]"), int(parts["number"])
    if host.startswith("/"):
        yield socket.AF_UNIX, host
        return
    if host in ("", "unix") or parts["protocol"] == "unix":
        path = f"/tmp/.X11-unix/X{number}"  # noqa: S108 - where every X server has it
        yield from ((socket.AF_UNIX, f"\0{path}"), (socket.AF_UNIX, path))
    if host != "unix":
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        yield family, (host or "localhost", 6000 + number)


def _connects(family: socket.AddressFamily, where: str | tuple[str, int], timeout_s: float) -> bool:
    with socket.socket(family, socket.SOCK_STREAM) as probe:
        probe.settimeout(timeout_s)
        try:
            probe.connect(where)
        except (OSError, OverflowError):  # the number of a display may be no port
            return False
    return True


def _find_missing_library(names: tuple[str, ...]) -> NoDisplay | None:
    if getattr(sys, "frozen", False):
        return None  # a package brings its own, where only Qt finds them
    for name in names:
        try:
            ctypes.CDLL(name)
        except OSError:
            return NoDisplay(reason=NoDisplayReason.MISSING_LIBRARY, detail=name)
    return None


def _find_handshake_problem(name: str, timeout_s: float) -> NoDisplay | None:
    try:
        is_welcome = _within(timeout_s, lambda: _is_welcome(name))
    except TimeoutError:
        return NoDisplay(reason=NoDisplayReason.NOT_ANSWERING, detail=name)
    return None if is_welcome else NoDisplay(reason=NoDisplayReason.REFUSED, detail=name)


def _is_welcome(name: str) -> bool:
    try:
        xcb = ctypes.CDLL("libxcb.so.1")
    except OSError:
        return True  # only in a package, see above: then Qt's own attempt is the test
    xcb.xcb_connect.restype = ctypes.c_void_p
    connection = ctypes.c_void_p(xcb.xcb_connect(name.encode(), None))
    has_error = bool(xcb.xcb_connection_has_error(connection))
    xcb.xcb_disconnect(connection)
    return not has_error


def _within(timeout_s: float, ask: Callable[[], bool]) -> bool:
    answer: Future[bool] = Future()
    spawn_thread("belay-display", lambda: answer.set_result(ask()))
    return answer.result(timeout_s)
