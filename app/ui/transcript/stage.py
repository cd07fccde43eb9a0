"""What all rows share: the look, the column's width, the documents in use."""

from app.ui.theme import Theme
from app.ui.transcript.look import Look
from app.ui.transcript.paper import Papers


class Stage:
    """One per view. `version` changes whenever what was measured is no longer true."""

    def __init__(self, theme: Theme) -> None:
        self.look = Look(theme)
        self.papers = Papers()
        self.width = self.look.column
        self.version = 0

    def set_theme(self, theme: Theme) -> None:
        """Take another look."""
        self.look = Look(theme)
        self.papers.clear()
        self.version += 1

    def fit(self, window: int) -> bool:
        """Take the window's width; say whether the column changed."""
        width = max(200, min(self.look.column, window - 2 * self.look.margin))
        is_other = width != self.width
        self.width = width
        self.version += is_other
        return is_other
