"""The buttons in the transcript: real widgets from a pool, moved to where rows want them.

A button keeps its row as long as both are in the window, so that the focus does not wander.
"""

from collections.abc import Callable, Hashable, Mapping

from PySide6.QtCore import QEvent, QPointF, QRect, QRectF, Qt, Signal
from PySide6.QtGui import QColor, QEnterEvent, QFont, QFontMetricsF, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QAbstractScrollArea, QToolButton, QWidget

from app.ui.transcript.chevron import paint_chevron
from app.ui.transcript.look import Look, Tone
from app.ui.transcript.palette import mixed
from app.ui.transcript.rows.base import Spot

_RADIUS = 6


class SpotButton(QToolButton):
    """A small button that paints itself in the transcript's look."""

    chosen = Signal(object)  # the key of what it belongs to

    def __init__(self, parent: QWidget, look: Look) -> None:
        super().__init__(parent)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.look = look
        self.key: Hashable = None
        self._spot: Spot | None = None
        self._is_row_hovered = False
        self.clicked.connect(self._on_clicked)

    @property
    def spot(self) -> Spot | None:
        """What it is at the moment."""
        return self._spot

    def become(self, spot: Spot, look: Look) -> None:
        """Be the button that a row wants."""
        self.look = look
        if spot != self._spot:
            self._spot = spot
            self.setText(spot.text)
            self.setAccessibleName(spot.name or spot.text)
            self.setEnabled(spot.is_enabled)
            self.update()
        self.setGeometry(spot.area)

    def set_row_hovered(self, *, is_hovered: bool) -> None:
        """Show or hide it, if it is one that waits for the pointer."""
        if is_hovered != self._is_row_hovered:
            self._is_row_hovered = is_hovered
            self.update()

    def enterEvent(self, event: QEnterEvent) -> None:
        """Show the tint."""
        super().enterEvent(event)
        self.update()

    def leaveEvent(self, event: QEvent) -> None:
        """Take the tint away."""
        super().leaveEvent(event)
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: ARG002
        """Paint ground, words and focus ring."""
        spot = self._spot
        is_seen = self._is_row_hovered or self.hasFocus() or self.underMouse()
        if spot is None or (spot.is_quiet and not is_seen):
            return
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self._paint_ground(painter, spot)
        if not spot.is_ghost:
            self._paint_words(painter, spot)
        if self.hasFocus():
            self._paint_ring(painter)
        painter.end()

    def _on_clicked(self) -> None:
        self.chosen.emit(self.key)

    def _paint_ground(self, painter: QPainter, spot: Spot) -> None:
        frame = QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5)
        theme = self.look.theme
        is_lit = self.isEnabled() and (self.underMouse() or self.isDown())
        if spot.is_ghost:
            ground = QColor(theme.text)
            ground.setAlphaF(0.05 if is_lit else 0.0)
        else:
            ground = QColor(theme.hover)
            ground.setAlphaF(1.0 if is_lit else 0.0)
        painter.setPen(QPen(QColor(theme.border), 1) if spot.is_loud else Qt.PenStyle.NoPen)
        if spot.is_loud and not is_lit:
            ground = QColor(theme.background)
        painter.setBrush(ground)
        radius = 8 if spot.is_ghost else _RADIUS
        painter.drawRoundedRect(frame, radius, radius)

    def _paint_words(self, painter: QPainter, spot: Spot) -> None:
        theme = self.look.theme
        font = QFont(self.look.voice(Tone.CAPTION).font)
        if spot.is_loud:
            font.setWeight(QFont.Weight.DemiBold)
        painter.setFont(font)
        is_strong = spot.is_loud or self.underMouse() or self.hasFocus()
        colour = theme.text if is_strong else theme.muted
        painter.setPen(QColor(colour if self.isEnabled() else mixed(colour, theme.background, 0.4)))
        if spot.is_unfolded is None:
            painter.drawText(self.rect(), Qt.AlignmentFlag.AlignCenter, self.text())
            return
        left = self.look.px(8)
        place = QRect(left, 0, self.width() - left, self.height())
        painter.drawText(place, Qt.AlignmentFlag.AlignVCenter, self.text())
        width = QFontMetricsF(font).horizontalAdvance(self.text())
        middle = QPointF(left + width + self.look.px(11), self.height() / 2 + 0.5)
        paint_chevron(painter, self.look, middle, is_open=spot.is_unfolded)

    def _paint_ring(self, painter: QPainter) -> None:
        painter.setPen(QPen(self.look.colour("accent"), 2))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(1, 1, -1, -1), _RADIUS, _RADIUS)


class ButtonPool:
    """As many buttons as are in the window, by what they belong to."""

    def __init__(self, view: QAbstractScrollArea, pressed: Callable[[Hashable], None]) -> None:
        self._view = view
        self._pressed = pressed
        self._used: dict[Hashable, SpotButton] = {}
        self._free: list[SpotButton] = []

    @property
    def shown(self) -> list[SpotButton]:
        """The buttons in the window, in reading order."""
        return list(self._used.values())

    def lay_out(self, wanted: Mapping[Hashable, Spot], look: Look) -> None:
        """Put the buttons where they are wanted, in that order."""
        for key in [key for key in self._used if key not in wanted]:
            self._release(self._used.pop(key))
        before = self._used
        is_same = list(before) == list(wanted)
        self._used = {key: before.get(key) or self._take(key, look) for key in wanted}
        for key, spot in wanted.items():
            button = self._used[key]
            button.become(spot, look)
            button.show()
        if not is_same:
            self._order()

    def hover(self, is_hovered: Callable[[Hashable], bool]) -> None:
        """Show the quiet buttons of the row under the pointer."""
        for key, button in self._used.items():
            button.set_row_hovered(is_hovered=is_hovered(key))

    def find(self, key: Hashable) -> SpotButton | None:
        """Give the button of a key, if it is in the window."""
        return self._used.get(key)

    def _order(self) -> None:
        """Let Tab go through them in reading order, after the transcript itself."""
        before: QWidget = self._view
        for button in self._used.values():
            QWidget.setTabOrder(before, button)
            before = button

    def _take(self, key: Hashable, look: Look) -> SpotButton:
        if self._free:
            button = self._free.pop()
        else:
            button = SpotButton(self._view.viewport(), look)
            button.chosen.connect(self._pressed)
        button.key = key
        return button

    def _release(self, button: SpotButton) -> None:
        if button.hasFocus():
            self._view.setFocus()  # or Qt would hand it to whatever comes next
        button.hide()
        self._free.append(button)
