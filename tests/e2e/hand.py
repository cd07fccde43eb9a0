"""A person at the real window: keys through the X server, and what comes of them."""

import os
import subprocess
import threading
from collections.abc import Callable

from tests.conftest import BelayStarter
from tests.fakes.server import FakeServer
from tests.harness.process import LIMIT_S, BelayProcess

_LOOK_S = 0.02


def until(holds: Callable[[], object], what: str, limit_s: float = LIMIT_S) -> None:
    """Wait until something outside this process holds."""
    never = threading.Event()
    for _ in range(int(limit_s / _LOOK_S)):
        if holds():
            return
        never.wait(_LOOK_S)
    raise AssertionError(f"waited in vain: {what}")


class Hand:
    """Starts the window on a display and types into it."""

    def __init__(self, *, start: BelayStarter, display: str, server: FakeServer) -> None:
        self._start = start
        self._display = display
        self._server = server
        self.env = {"DISPLAY": display, "QT_QPA_PLATFORM": "xcb", "OPENAI_BASE_URL": server.url}
        self.belay: BelayProcess | None = None

    def open(self, *args: str, **env: str) -> BelayProcess:
        """Start Belay and wait until its window can be typed into."""
        return self.take(self.launch(*args, **env))

    def launch(self, *args: str, **env: str) -> BelayProcess:
        """Start Belay, without waiting for anything."""
        self.belay = self._start(*args, env={**self.env, **env})
        return self.belay

    def take(self, belay: BelayProcess) -> BelayProcess:
        """Wait until the window of a Belay can be typed into."""
        self.belay = belay
        until(lambda: self.windows() or belay.process.poll() is not None, "a window")
        assert belay.process.poll() is None, belay.stderr.read_to_end()
        self.focus()
        return belay

    def focus(self, name: str = "Belay") -> None:
        """Give a window the keyboard, as a window manager would."""
        until(lambda: self.windows(name), f"a window {name!r}")
        self._tool("windowfocus", "--sync", self.windows(name)[-1])

    def windows(self, name: str = "Belay") -> list[str]:
        """List the visible windows of a name."""
        return self._tool("search", "--onlyvisible", "--name", name, may_fail=True).split()

    def type(self, text: str) -> None:
        """Type words."""
        self._tool("type", "--delay", "2", text)

    def press(self, *keys: str, delay_ms: int = 12) -> None:
        """Press keys, one after the other."""
        self._tool("key", "--delay", str(delay_ms), *keys)

    def hold(self, key: str) -> None:
        """Press a key and keep it down."""
        self._tool("keydown", key)

    def let_go(self, key: str) -> None:
        """Let a key come up."""
        self._tool("keyup", key)

    def quit(self) -> int:
        """Press Ctrl+Q and wait for the end; return the exit code."""
        assert self.belay is not None
        self.press("ctrl+q")
        return self.belay.wait()

    def kill(self) -> None:
        """End it as a power cut would, and wait for its end."""
        assert self.belay is not None
        self.belay.process.kill()
        self.belay.wait()

    def title(self) -> str:
        """Read the window's title."""
        return self._tool("getwindowname", self._window())

    def look_away(self) -> None:
        """Give the focus to something that is not Belay."""
        root = self._tool("search", "--maxdepth", "0", "--class", ".*").split()
        self._tool("windowfocus", root[0])

    def look_back(self) -> None:
        """Give the focus back to the window."""
        self._tool("windowfocus", "--sync", self._window())

    def _window(self) -> str:
        return self.windows()[-1]

    def _tool(self, *argv: str, may_fail: bool = False) -> str:
        env = {**os.environ, "DISPLAY": self._display}
        done = subprocess.run(
            ["xdotool", *argv],
            env=env,
            capture_output=True,
            text=True,
            check=not may_fail,
            timeout=LIMIT_S,
        )
        return done.stdout.strip()
