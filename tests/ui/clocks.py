"""A clock that only the test moves."""

from dataclasses import dataclass

from tests.ui.canned import NOW


@dataclass
class HandClock:
    """Time stands still until `pass_s`."""

    at: float = 1000.0

    def now(self) -> float:
        """Seconds since the epoch."""
        return NOW + self.at - 1000.0

    def monotonic(self) -> float:
        """Seconds that only go forward."""
        return self.at

    def pass_s(self, seconds: float) -> None:
        """Let time pass."""
        self.at += seconds
