"""What all rows share: the look, the column's width, the documents and pictures in use."""

from PySide6.QtGui import QImage

from app.ui.theme import Theme
from app.ui.transcript.album import Album
from app.ui.transcript.look import Look
from app.ui.transcript.paper import Papers


class Stage:
    """One per view. `version` changes whenever what was measured is no longer true."""

    def __init__(self, theme: Theme) -> None:
        self.look = Look(theme)
        self.papers = Papers()
        self.album = Album()
        self.width = self.look.column
        self.version = 0

    def set_theme(self, theme: Theme) -> None:
        """Take another look."""
        self.look = Look(theme)
        self.papers.clear()
        self.version += 1

    def take_picture(self, name: str, picture: QImage) -> None:
        """Take an attached picture in."""
        self.version += self.album.take(name, picture)

    def fit(self, window: int) -> bool:
        """Take the window's width; say whether the column changed."""
        width = max(200, min(self.look.column, window - 2 * self.look.margin))
        is_other = width != self.width
        self.width = width
        self.version += is_other
        return is_other
