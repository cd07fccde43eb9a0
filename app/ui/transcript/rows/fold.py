"""What the model thought, folded away behind one line."""

from PySide6.QtCore import QRect
from PySide6.QtGui import QFontMetricsF

from app.ui.transcript.look import Look, Tone
from app.ui.transcript.rows.base import Deed, FixedRow, Spot


class FoldRow(FixedRow):
    """The line that unfolds it; `part` says which of the message's parts."""

    def __init__(self, part: int, *, is_open: bool, is_thinking: bool) -> None:
        self.part: int = part
        self.is_unfolded = is_open
        self.is_thinking = is_thinking

    @property
    def words(self) -> str:
        """What the line says."""
        return "Thinking…" if self.is_thinking else "Thoughts"

    def room(self, look: Look) -> int:
        """One line."""
        return look.px(26)

    def spots(self, look: Look, area: QRect) -> list[Spot]:
        """Offer to unfold it."""
        metrics = QFontMetricsF(look.voice(Tone.CAPTION).font)
        width = round(metrics.horizontalAdvance(self.words)) + look.px(38)
        place = QRect(area.left() - 8, area.top(), width, area.height())
        name = f"{self.words} {'Hide' if self.is_unfolded else 'Show'}"
        return [Spot(Deed.FOLD, self.words, place, name, is_unfolded=self.is_unfolded)]
