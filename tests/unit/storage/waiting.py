"""Waiting for what another thread or process does, with a bound."""

import threading
import time
from collections.abc import Callable

BOUND_S = 60.0  # against hanging; nothing is measured


def wait_until(condition: Callable[[], bool], what: str) -> None:
    """Look again and again until a condition holds."""
    pause, give_up_at = threading.Event(), time.monotonic() + BOUND_S
    while not condition():
        assert time.monotonic() < give_up_at, f"waited in vain for: {what}"
        pause.wait(0.005)
