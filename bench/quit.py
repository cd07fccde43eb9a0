"""Quit: from the wish to the process's end, idle and with something wedged.

    python -m bench.quit [--quick]

The real window on a virtual display. Quit is asked for with SIGTERM, so that the clock starts when
the wish is uttered and not when a key has found its way; it stops when the process is reaped.
"""

import os
import signal
import statistics
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import apsw
import psutil

from bench.harness import PATIENCE_S, ROOT, Figure, Server, model_server, report
from tests.harness.display import virtual_display
from tests.harness.process import BelayProcess

IDLE_S = 0.3
WEDGED_S = 3.5
WATCHDOG_S = 5.0
SETTLED_S = 3.0  # its models are loaded and its imports done

SetUp = Callable[[BelayProcess], None]


def nothing(_belay: BelayProcess) -> None:
    """Leave it as it is."""


def freeze_model(belay: BelayProcess) -> None:
    """Stop the built-in model's process where it is."""
    for process in belay.tree():
        if process.cmdline()[-2:] == ["_worker", "model"]:
            process.suspend()


@contextmanager
def started(display: str, server: Server, wedge: str, *, built_in: bool) -> Iterator[BelayProcess]:
    """Run the window with a wedge in it, until it has settled."""
    with tempfile.TemporaryDirectory() as home:
        env = {k: v for k, v in os.environ.items() if not k.startswith(("BELAY_", "OPENAI_"))}
        env |= {"DISPLAY": display, "QT_QPA_PLATFORM": "xcb", "BELAY_HOME": home}
        env |= {} if built_in else {"OPENAI_BASE_URL": server.url}
        belay = BelayProcess([sys.executable, "-m", "tests.fakes.wedged", wedge], env, ROOT)
        try:
            belay.stdout.wait_for("planted", PATIENCE_S)
            threading.Event().wait(SETTLED_S)
            yield belay
        finally:
            belay.kill_tree()


def quit_once(display: str, server: Server, wedge: str, set_up: SetUp, code: int) -> float:
    """Set the state up, ask for Quit, and give the seconds until the process is gone."""
    with started(display, server, wedge, built_in=set_up is freeze_model) as belay:
        set_up(belay)
        at = time.monotonic()
        belay.send_signal(signal.SIGTERM)
        found = belay.wait(PATIENCE_S)
        took_s = time.monotonic() - at
        assert found == code, f"{wedge}: exit code {found}"
        return took_s


def locked_once(display: str, server: Server) -> float:
    """As above, while another connection holds the database."""
    with started(display, server, "tell", built_in=False) as belay:
        home = Path(psutil.Process(belay.pid).environ()["BELAY_HOME"])
        db = apsw.Connection(str(home / "data" / "belay.db"))
        db.set_busy_timeout(5_000)
        db.execute("BEGIN IMMEDIATE")
        at = time.monotonic()
        belay.send_signal(signal.SIGTERM)
        assert belay.wait(PATIENCE_S) == 0
        took_s = time.monotonic() - at
        db.execute("ROLLBACK")
        db.close()
        return took_s


def figures(name: str, seconds: list[float], limit_s: float) -> list[Figure]:
    """Boil durations down to their median and their worst; the worst must hold."""
    return [
        Figure(
            name=f"{name}: median of {len(seconds)}", value=statistics.median(seconds), unit="s"
        ),
        Figure(name=f"{name}: worst", value=max(seconds), unit="s", limit=limit_s),
    ]


ROWS: tuple[tuple[str, str, SetUp, int, float], ...] = (
    ("idle", "tell", nothing, 0, IDLE_S),
    ("a task that swallows cancel", "swallow_cancel", nothing, 0, WEDGED_S),
    ("the agent loop blocked", "block_agent_loop", nothing, 0, WEDGED_S),
    ("stubborn children", "start_stubborn_children", nothing, 0, WEDGED_S),
    ("the model frozen", "tell", freeze_model, 0, WEDGED_S),
    ("the window spinning", "spin", nothing, 70, WATCHDOG_S),
    ("the GIL held", "hold_gil", nothing, 70, WATCHDOG_S),
)


def run(*, quick: bool = False) -> list[Figure]:
    """Measure every state."""
    found: list[Figure] = []
    with virtual_display() as display, model_server() as server:
        for name, wedge, set_up, code, limit_s in ROWS:
            runs = 1 if quick else (10 if name == "idle" else 3)
            took = [quit_once(display, server, wedge, set_up, code) for _ in range(runs)]
            found += figures(name, took, limit_s)
        locked = [locked_once(display, server) for _ in range(1 if quick else 3)]
        found += figures("the database locked", locked, WEDGED_S)
    return found


if __name__ == "__main__":
    sys.exit(report("quit", run(quick="--quick" in sys.argv)))
