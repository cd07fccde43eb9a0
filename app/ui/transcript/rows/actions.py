"""What can be done with a message: small buttons beneath it."""

from dataclasses import dataclass, replace

from PySide6.QtCore import QRect
from PySide6.QtGui import QFontMetricsF

from app.ui.transcript.entry import Branch
from app.ui.transcript.lettering import Side, draw_line
from app.ui.transcript.look import Look, Tone
from app.ui.transcript.rows.base import Deed, FixedRow, Scene, Spot

_HEIGHT = 28
_LABELS = {
    Deed.COPY: "Copy",
    Deed.RETRY: "Retry",
    Deed.EDIT: "Edit",
    Deed.CONTINUE: "Continue",
    Deed.REMEDY: "",
    Deed.DETAILS: "Details",
    Deed.SHOW_ANSWER: "Show",
}


@dataclass(frozen=True, slots=True)
class Offer:
    """A button to be laid out in a line."""

    deed: Deed
    text: str = ""
    is_loud: bool = False

    @property
    def label(self) -> str:
        """What it says."""
        return self.text or _LABELS[self.deed]


class ActionsRow(FixedRow):
    """A line of buttons, and the switch between branches."""

    def __init__(
        self,
        offers: tuple[Offer, ...],
        branch: Branch | None = None,
        *,
        is_right: bool = False,
        is_quiet: bool = False,
    ) -> None:
        self.offers = offers
        self.branch = branch
        self._is_right = is_right
        self._is_quiet = is_quiet

    def room(self, look: Look) -> int:
        """One line of buttons."""
        return look.px(_HEIGHT)

    def spots(self, look: Look, area: QRect) -> list[Spot]:
        """Lay the buttons out in their order."""
        spots = [
            Spot(
                offer.deed,
                offer.label,
                QRect(0, area.top(), button_width(look, offer.label), area.height()),
                is_quiet=self._is_quiet,
                is_loud=offer.is_loud,
            )
            for offer in self.offers
        ]
        return _in_a_line(spots + self._switch(look, area), look, area, is_right=self._is_right)

    def paint(self, scene: Scene, area: QRect) -> None:
        """Paint which branch is shown between its two buttons."""
        if self.branch is None:
            return
        spots = self.spots(scene.look, area)
        left = next(spot.area for spot in spots if spot.deed is Deed.EARLIER_BRANCH)
        right = next(spot.area for spot in spots if spot.deed is Deed.LATER_BRANCH)
        voice = scene.look.voice(Tone.CAPTION)
        place = QRect(left.right(), area.top(), right.left() - left.right(), area.height())
        draw_line(scene.painter, voice, place, self._count, side=Side.CENTRE)

    @property
    def _count(self) -> str:
        return f"{self.branch.index}/{self.branch.count}" if self.branch else ""

    def _switch(self, look: Look, area: QRect) -> list[Spot]:
        branch = self.branch
        if branch is None:
            return []
        metrics = QFontMetricsF(look.voice(Tone.CAPTION).font)
        count = round(metrics.horizontalAdvance(self._count)) + 4
        arrow = QRect(0, area.top(), look.px(24), area.height())
        shown = f"{branch.index} of {branch.count}"
        return [
            Spot(
                Deed.EARLIER_BRANCH,
                "‹",
                QRect(arrow.x(), arrow.y(), arrow.width() + count, arrow.height()),
                f"Previous version, {shown} is shown",
                is_enabled=branch.previous is not None,
            ),
            Spot(
                Deed.LATER_BRANCH,
                "›",
                arrow,
                f"Next version, {shown} is shown",
                is_enabled=branch.following is not None,
            ),
        ]


def button_width(look: Look, label: str) -> int:
    """Say how wide a small button with these words is."""
    metrics = QFontMetricsF(look.voice(Tone.CAPTION).font)
    return round(metrics.horizontalAdvance(label)) + look.px(20)


def _in_a_line(spots: list[Spot], look: Look, area: QRect, *, is_right: bool) -> list[Spot]:
    total = sum(spot.area.width() for spot in spots)
    x = area.right() + 1 + look.px(10) - total if is_right else area.left() - look.px(10)
    placed = []
    for spot in spots:
        width = spot.area.width()
        if spot.deed is Deed.EARLIER_BRANCH:
            width = look.px(24)
        place = QRect(x, spot.area.top(), width, spot.area.height())
        placed.append(replace(spot, area=place))
        x += spot.area.width()
    return placed
