"""Walks back through what the person said before, with ↑ and ↓; pure."""

from dataclasses import dataclass


@dataclass(slots=True)
class Recall:
    """Where the walk stands: 0 is the text being written, 1 the last thing said."""

    steps: int = 0
    shown: str = ""

    def back(self, said: tuple[str, ...], current: str) -> str | None:
        """Go one further back; None when there is nothing, or the text is the person's own."""
        if current != self.shown:
            self.reset()
        if (current and not self.steps) or self.steps >= len(said):
            return None
        self.steps += 1
        self.shown = said[-self.steps]
        return self.shown

    def forward(self, said: tuple[str, ...], current: str) -> str | None:
        """Come one nearer; the empty text is the last stop."""
        if not self.steps or current != self.shown:
            return None
        self.steps -= 1
        self.shown = said[-self.steps] if self.steps else ""
        return self.shown

    def reset(self) -> None:
        """Begin again at the end."""
        self.steps = 0
        self.shown = ""
