"""Redirect: from Enter in mid-answer to the next request on the wire, disk included.

    python -m bench.redirect [--quick]

The baseline is an idle conversation: Enter to its first request, with nothing to cancel.
"""

import random
import statistics
import sys

from app.core.events import TextDelta, TurnEnded, TurnStarted
from bench.harness import Figure, Server, Window, model_server, report, spread, window
from tests.fakes.script import Answer, Stall, Text

RUNS = 200
BLOCK = 10  # in one conversation; its first is not counted: the connection is made then
WRITING = Answer(steps=(Text("word " * 5000), Stall()), rate=500.0)


def redirect_once(server: Server, shown: Window, dice: random.Random) -> tuple[float, float]:
    """Ask, redirect in mid-answer; give both times from Enter to the request at the server."""
    server.clear()
    server.script(WRITING, times=2)
    first_at = shown.send("First")
    shown.until(TextDelta)
    shown.rest(0.004 + dice.random() * 0.02)
    second_at = shown.send("Second", forget=False)
    shown.until(TurnStarted, 2)
    shown.until(TextDelta, len([1 for _, e in shown.heard if isinstance(e, TextDelta)]) + 1)
    first, second = server.chats()
    assert second["body"]["messages"][-1]["content"] == "Second"
    shown.stop()
    shown.until(TurnEnded, 2)
    return first["at"] - first_at, second["at"] - second_at


def run(*, quick: bool = False) -> list[Figure]:
    """Redirect many times."""
    dice = random.Random("redirect")
    with model_server() as server, window(server.url) as shown:
        times: list[tuple[float, float]] = []
        for run_number in range(20 if quick else RUNS):
            if run_number % BLOCK == 0:
                shown.begin()
                redirect_once(server, shown, dice)
            times.append(redirect_once(server, shown, dice))
    fresh, redirected = ([pair[0] for pair in times], [pair[1] for pair in times])
    ratio = statistics.median(redirected) / statistics.median(fresh)
    return [
        *spread("Enter in mid-answer to the next request", redirected, p50_ms=15),
        *spread("Enter when idle to its request", fresh),
        Figure(name="redirect over a fresh message", value=ratio, unit="x"),
    ]


if __name__ == "__main__":
    sys.exit(report("redirect", run(quick="--quick" in sys.argv)))
