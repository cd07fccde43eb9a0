"""Launch: from starting the process to the window's first picture, on a virtual display.

    python -m bench.launch [--quick]

The baseline imports QtWidgets and shows an empty window, in turn with ours. What is heavy must not
have been imported by then.
"""

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time

from bench.harness import ROOT, Figure, report, spread
from tests.harness.display import virtual_display

RUNS = 20
HEAVY = frozenset(
    {
        "ctranslate2",
        "faster_whisper",
        "httpx2",
        "huggingface_hub",
        "keyring",
        "mcp",
        "numpy",
        "onnxruntime",
        "openai",
        "prompt_toolkit",
        "sounddevice",
        "xllamacpp",
    }
)


def launch_s(what: str, display: str, home: str) -> tuple[float, set[str]]:
    """Start a process; give the time to its first picture, and what it had imported."""
    env = {**os.environ, "DISPLAY": display, "BELAY_HOME": home, "QT_QPA_PLATFORM": "xcb"}
    command = [sys.executable, "-m", "bench.first_paint", what]
    started_at = time.monotonic()
    done = subprocess.run(
        command, cwd=ROOT, env=env, capture_output=True, text=True, check=True, timeout=60
    )
    said = json.loads(done.stdout)
    return said["at"] - started_at, set(said["modules"])


def run(*, quick: bool = False) -> list[Figure]:
    """Launch many times."""
    ours: list[float] = []
    empty: list[float] = []
    heavy: set[str] = set()
    with virtual_display() as display, tempfile.TemporaryDirectory() as home:
        for what in ("belay", "empty"):
            launch_s(what, display, home)  # warm the disk's cache
        for _ in range(5 if quick else RUNS):
            seconds, modules = launch_s("belay", display, home)
            ours.append(seconds)
            heavy |= modules & HEAVY
            empty.append(launch_s("empty", display, home)[0])
    ratio = statistics.median(ours) / statistics.median(empty)
    if heavy:
        print(f"imported before the first picture: {', '.join(sorted(heavy))}")
    return [
        *spread("launch to first picture", ours),
        *spread("an empty window", empty),
        Figure(name="launch over an empty window", value=ratio, unit="x", limit=2.5),
        Figure(name="heavy modules at the first picture", value=len(heavy), unit="", limit=1),
    ]


if __name__ == "__main__":
    sys.exit(report("launch", run(quick="--quick" in sys.argv)))
