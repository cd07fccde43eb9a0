"""The machine's own time, for everybody who is handed a clock."""

import time


class SystemClock:
    """What the machine says."""

    def now(self) -> float:
        """Seconds since the epoch."""
        return time.time()

    def monotonic(self) -> float:
        """Seconds that only go forward."""
        return time.monotonic()
