"""Thousands of turns in one window, stopped at random: it holds no more than when it was warm."""

import faulthandler
import json
import sys
from typing import Any

from app.agent.agents import KEPT_AT_REST
from tests.e2e.hostile.stage import Stage
from tests.fakes.soaking import TURNS_VARIABLE
from tests.harness.environment import is_proving

TURNS = 2_000 if is_proving() else 20
SOAK_LIMIT_S = 900.0  # a bound against hanging
MOST_GROWTH_MB = 30.0
MOST_POOL_THREADS = 8


def test_window_holds_no_more_after_many_turns_than_when_it_was_warm(stage: Stage) -> None:
    faulthandler.cancel_dump_traceback_later()  # pytest's bound is too short for the long run
    stage.server.rate = 2_000.0
    stage.open("soak", **{TURNS_VARIABLE: str(TURNS)})
    output = stage.belay.stdout.wait_for(lambda text: text.count("held ") == 2, SOAK_LIMIT_S)
    warm, soaked = _held(output)
    sys.stdout.write(f"\nwarm   {warm}\nsoaked {soaked}\n")  # seen with -s: for RELIABILITY.md
    assert warm["timers"], "the heart beats: a count of none means that nothing is counted"
    assert soaked.pop("turns") - warm.pop("turns") == TURNS
    assert soaked.pop("rss_mb") - warm.pop("rss_mb") <= MOST_GROWTH_MB
    assert soaked.pop("connections") <= KEPT_AT_REST
    assert soaked.pop("pool") <= MOST_POOL_THREADS
    del warm["connections"], warm["pool"]  # how many are open just now is the dice's
    assert all(soaked[what] <= warm[what] for what in warm), (warm, soaked)
    assert stage.hand.quit() == 0
    stage.check_nothing_is_left()


def _held(output: str) -> list[dict[str, Any]]:
    lines = [line for line in output.splitlines() if line.startswith("held ")]
    return [json.loads(line.removeprefix("held ")) for line in lines]
