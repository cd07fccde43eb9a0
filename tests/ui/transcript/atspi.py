"""Reads a transcript over AT-SPI as a screen reader would; run within a D-Bus session of its own.

    dbus-run-session -- python -m tests.ui.transcript.atspi FILE

Writes what it found as JSON: the list's role and name, and each child's role, name and text.
"""

import json
import re
import subprocess
import sys
import time
from pathlib import Path

LAUNCHERS = (
    Path("/usr/libexec/at-spi-bus-launcher"),
    Path("/usr/lib/at-spi2-core/at-spi-bus-launcher"),
)
_LIMIT_S = 60.0
_ROOT = "/org/a11y/atspi/accessible/root"
_ACCESSIBLE = "org.a11y.atspi.Accessible"


class Bus:
    """One bus, spoken to through dbus-send."""

    def __init__(self, address: str | None = None) -> None:
        self._where = f"--bus={address}" if address else "--session"

    def call(self, name: str, path: str, method: str, *args: str) -> str:
        """Call a method and give its reply as dbus-send prints it; empty if it failed."""
        command = ["dbus-send", self._where, "--print-reply", f"--dest={name}", path, method, *args]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        return done.stdout if done.returncode == 0 else ""

    def until(self, name: str, path: str, method: str, pattern: str) -> re.Match[str]:
        """Call again until the reply contains what is wanted."""
        deadline = time.monotonic() + _LIMIT_S
        while time.monotonic() < deadline:
            if found := re.search(pattern, self.call(name, path, method)):
                return found
        raise TimeoutError(method)


def children(bus: Bus, name: str, path: str) -> list[tuple[str, str]]:
    """List the children of an accessible object."""
    reply = bus.call(name, path, f"{_ACCESSIBLE}.GetChildren")
    return re.findall(r'string "([^"]+)"\s+object path "([^"]+)"', reply)


def describe(bus: Bus, name: str, path: str) -> dict[str, str]:
    """Say role, name and text of an accessible object."""
    role = bus.call(name, path, f"{_ACCESSIBLE}.GetRoleName")
    get = "org.freedesktop.DBus.Properties.Get"
    named = bus.call(name, path, get, f"string:{_ACCESSIBLE}", "string:Name")
    text = bus.call(name, path, "org.a11y.atspi.Text.GetText", "int32:0", "int32:-1")
    offered = bus.call(name, path, f"{_ACCESSIBLE}.GetInterfaces")
    return {
        "role": _quoted(role),
        "name": _quoted(named),
        "text": _quoted(text),
        "interfaces": " ".join(re.findall(r'string "([^"]+)"', offered)),
    }


def _quoted(reply: str) -> str:
    found = re.search(r'string "(.*)"\s*\Z', reply, re.DOTALL)
    return found[1] if found else ""


def read() -> dict[str, object]:
    """Start the accessibility bus and a transcript, and read it."""
    launcher = next(path for path in LAUNCHERS if path.exists())
    started = [subprocess.Popen([launcher, "--launch-immediately"])]
    try:
        session = Bus()
        address = session.until(
            "org.a11y.Bus", "/org/a11y/bus", "org.a11y.Bus.GetAddress", r'string "(unix:[^"]+)"'
        )[1]
        started.append(subprocess.Popen([sys.executable, "-m", __spec__.name, "--show"]))
        bus = Bus(address)
        registry, method = "org.a11y.atspi.Registry", f"{_ACCESSIBLE}.GetChildren"
        name = bus.until(registry, _ROOT, method, r'string "(:[0-9.]+)"\s+object path')[1]
        window = bus.until(name, _ROOT, method, r'object path "(/org[^"]+)"')[1]
        found = [describe(bus, *child) for child in children(bus, name, window)]
        return {"list": describe(bus, name, window), "children": found}
    finally:
        for process in reversed(started):
            process.terminate()  # the launcher takes its bus along
            process.wait(_LIMIT_S)


def show() -> None:
    """Show the mock's conversation until we are killed."""
    from PySide6.QtWidgets import QApplication  # noqa: PLC0415

    from app.ui.theme import LIGHT  # noqa: PLC0415
    from app.ui.transcript.accessible import install  # noqa: PLC0415
    from app.ui.transcript.view import TranscriptView  # noqa: PLC0415
    from tests.ui.transcript.conversation import asked, message, opened  # noqa: PLC0415

    app = QApplication([])
    install()
    view = TranscriptView(LIGHT)
    view.apply(opened(asked("u1", "Why?"), message("a1", "**Because** of it.", parent="u1")))
    view.show()
    app.exec()


if __name__ == "__main__":
    if "--show" in sys.argv:
        show()
    else:
        Path(sys.argv[1]).write_text(json.dumps(read()))
