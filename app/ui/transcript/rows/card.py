"""A tool call as a compact card: what is run, with what, and how far it is."""

import json

from PySide6.QtCore import QPointF, QRect, QRectF, Qt
from PySide6.QtGui import QPainter, QPen

from app.ui.transcript import sanitise
from app.ui.transcript.chevron import paint_chevron
from app.ui.transcript.lettering import Side, draw_line, width_of
from app.ui.transcript.look import Look, Tone
from app.ui.transcript.parts import Call, CallState
from app.ui.transcript.rows.base import Deed, FixedRow, Scene, Spot

_HEIGHT = 38
_RADIUS = 8
_STATES = {
    CallState.RUNNING: ("Running", "accent"),
    CallState.DONE: ("Done", "ok"),
    CallState.FAILED: ("Failed", "danger"),
    CallState.STOPPED: ("Stopped", "muted"),
}


class CardRow(FixedRow):
    """The line of a tool call; unfolded, its arguments and its output follow as code."""

    def __init__(self, part: int, call: Call, *, is_open: bool) -> None:
        self.part: int = part
        self.call = call
        self.is_unfolded = is_open

    @property
    def text(self) -> str:
        """What it says, in one line."""
        state, _ = _STATES[self.call.state]
        return f"{self._name} {summary(self.call.arguments)} {state}"

    @property
    def _name(self) -> str:
        return sanitise.prose(self.call.name).replace("\n", " ")[:80]

    def room(self, look: Look) -> int:
        """One line in a box."""
        return look.px(_HEIGHT)

    def spots(self, look: Look, area: QRect) -> list[Spot]:  # noqa: ARG002
        """Let the whole card be pressed."""
        state, _ = _STATES[self.call.state]
        verb = "Hide" if self.is_unfolded else "Show"
        name = f"{self._name}: {state}. {verb} details"
        return [
            Spot(Deed.FOLD, "", area, name, is_ghost=True, is_unfolded=self.is_unfolded),
        ]

    def paint(self, scene: Scene, area: QRect) -> None:
        """Paint the box, the state, the name, the arguments and a chevron."""
        look, painter = scene.look, scene.painter
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(look.colour("border"), 1))
        painter.setBrush(look.colour("code_background"))
        painter.drawRoundedRect(QRectF(area).adjusted(0.5, 0.5, -0.5, -0.5), _RADIUS, _RADIUS)
        self._paint_state(painter, look, area)
        self._paint_words(painter, look, area)
        paint_chevron(
            painter,
            look,
            QPointF(area.right() - 16, area.center().y() + 0.5),
            is_open=self.is_unfolded,
        )
        painter.restore()

    def _paint_state(self, painter: QPainter, look: Look, area: QRect) -> None:
        _, colour = _STATES[self.call.state]
        dot = QRectF(0, 0, look.px(8), look.px(8))
        dot.moveCenter(QPointF(area.left() + look.px(18), area.center().y() + 0.5))
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(look.colour(colour))
        painter.drawEllipse(dot)

    def _paint_words(self, painter: QPainter, look: Look, area: QRect) -> None:
        label, caption = look.voice(Tone.LABEL), look.voice(Tone.CAPTION)
        state, colour = _STATES[self.call.state]
        box = area.adjusted(look.px(32), 0, -look.px(32), 0)
        draw_line(painter, caption, box, state, colour=look.colour(colour), side=Side.RIGHT)
        box.setRight(box.right() - width_of(caption, state) - look.px(10))
        draw_line(painter, label, box, self._name, colour=look.colour("text"))
        box.setLeft(box.left() + width_of(label, self._name) + look.px(10))
        if box.width() > look.px(20):
            draw_line(painter, caption, box, summary(self.call.arguments))


def summary(arguments: str) -> str:
    """Say a call's arguments in one line."""
    values = _parsed(arguments)
    if isinstance(values, dict):
        arguments = "  ".join(f"{key}: {_short(value)}" for key, value in values.items())
    return " ".join(sanitise.code(arguments[:400]).split())


def pretty(arguments: str) -> str:
    """Set a call's arguments on lines of their own."""
    values = _parsed(arguments)
    return arguments if values is None else json.dumps(values, indent=2, ensure_ascii=False)


def _parsed(arguments: str) -> object:
    if len(arguments) > 100_000:
        return None
    try:
        found: object = json.loads(arguments)
    except (ValueError, RecursionError):  # the model wrote it: it may be anything
        return None
    return found


def _short(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
