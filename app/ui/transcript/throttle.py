"""How soon to show the next words: never so often that showing them is all we do. Pure."""

FASTEST_S = 0.033
_SHARE = 4  # a flush may take a fourth of the time


class Throttle:
    """Tells how long to wait before the next flush, from what the last one cost."""

    def __init__(self) -> None:
        self._ready_at = 0.0

    def wait_s(self, now: float) -> float:
        """Say how long to wait; none when nothing was shown for a while."""
        return max(0.0, self._ready_at - now)

    def spent(self, now: float, cost_s: float) -> None:
        """Take in that a flush ended now and what it cost."""
        self._ready_at = now + max(FASTEST_S, _SHARE * cost_s)
