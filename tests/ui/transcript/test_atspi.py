"""The transcript over the real accessibility bus, as a screen reader meets it."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import pytest

from tests.ui.transcript.atspi import LAUNCHERS

_NEEDED = ("dbus-run-session", "dbus-send")


@pytest.mark.skipif(
    not all(map(shutil.which, _NEEDED)) or not any(path.exists() for path in LAUNCHERS),
    reason="needs dbus and at-spi2-core",
)
def test_messages_are_read_over_the_accessibility_bus(display: str, tmp_path: Path) -> None:
    with tempfile.TemporaryDirectory() as cache:  # short: the bus's socket goes there
        found = read(display, cache, tmp_path)
    assert (found["list"]["role"], found["list"]["name"]) == ("list", "Transcript")
    items = [one for one in found["children"] if one["role"] == "list item"]
    assert [one["name"] for one in items] == ["You: Why?", "Assistant: Because of it."]
    assert [one["text"] for one in items] == ["Why?", "Because of it."]
    assert all("org.a11y.atspi.Text" in one["interfaces"] for one in items)


def read(display: str, cache: str, tmp_path: Path) -> Any:
    surroundings = {
        **os.environ,
        "XDG_CACHE_HOME": cache,
        "XDG_RUNTIME_DIR": cache,
        "DISPLAY": display,
        "QT_QPA_PLATFORM": "xcb",
        "QT_LINUX_ACCESSIBILITY_ALWAYS_ON": "1",
    }
    report = tmp_path / "report.json"
    reader = [sys.executable, "-m", "tests.ui.transcript.atspi", str(report)]
    # Not through a pipe: the buses' daemons would hold it open.
    with (tmp_path / "log").open("w") as log:
        subprocess.run(
            ["dbus-run-session", "--", *reader],
            env=surroundings,
            stdout=log,
            stderr=log,
            check=False,
            timeout=100,
        )
    assert report.exists(), (tmp_path / "log").read_text()
    return json.loads(report.read_text())
