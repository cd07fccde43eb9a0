"""What Qt gets wrong if it is asked naively, one test each."""

from PySide6.QtCore import QPoint, QRect
from PySide6.QtGui import QColor, QImage, QPainter
from PySide6.QtWidgets import QApplication, QPlainTextEdit

from app.ui.theme import DARK, LIGHT
from app.ui.transcript.flow import Placed
from app.ui.transcript.look import Look, Tone
from app.ui.transcript.overlays import JumpButton
from app.ui.transcript.page import Page, Seen
from app.ui.transcript.painting import paint_page
from app.ui.transcript.paper import Paper, Papers
from app.ui.transcript.render import write
from app.ui.transcript.rows.base import OVERHANG, Row, Scene
from app.ui.transcript.runs import Run
from tests.ui.transcript.conftest import Shown
from tests.ui.transcript.conversation import asked, opened


def ink(image: QImage, area: QRect) -> tuple[int, int]:
    """Say between which heights anything darker than the page was painted."""
    rows = [
        y
        for y in range(area.top(), area.bottom() + 1)
        if any(
            QColor(image.pixel(x, y)).lightness() < 128 for x in range(area.left(), area.right())
        )
    ]
    return rows[0], rows[-1]


def test_words_stand_in_the_middle_of_their_line(shown: Shown) -> None:
    shown.answer("HHHH\n\n# HHHH")
    for one in shown.view.seen:
        if one.row.text == "HHHH":
            top, bottom = ink(shown.painted(), one.area)
            above, below = top - one.area.top(), one.area.bottom() - bottom
            assert abs(above - below) <= 2, (above, below)


class Tall(Row):
    """Letters that reach out of their row, as some scripts' do."""

    def paint(self, scene: Scene, area: QRect) -> None:
        scene.painter.fillRect(area.adjusted(0, -OVERHANG, 0, OVERHANG), QColor("black"))


def test_letters_that_reach_out_of_their_row_are_painted_whole(qapp: QApplication) -> None:
    page = Page(LIGHT)
    seen = [Seen(Placed(0, 0, 20, 30), Tall(), QRect(0, 20, 100, 30), 0)]
    image = QImage(100, 100, QImage.Format.Format_RGB32)
    painter = QPainter(image)
    paint_page(painter, page, seen, image.rect(), selection=None, hits=lambda *_: None)
    whole = image.copy()
    for strip in (QRect(0, 0, 100, 19), QRect(0, 51, 100, 49)):  # as scrolling exposes it
        painter.setClipRect(strip)
        paint_page(painter, page, seen, strip, selection=None, hits=lambda *_: None)
    painter.end()
    assert image == whole


def test_letters_stand_on_whole_pixels(qapp: QApplication) -> None:
    # From halves Qt rounds by the sign: a line half out of the window would be painted elsewhere.
    look = Look(LIGHT)
    for tone in Tone:
        voice = look.voice(tone)
        paper = Paper(look.option(wraps=True))
        write(paper, [], [Run("Hxp")], look, tone)
        paper.fit(300)
        assert paper.height == voice.line
        layout = paper.firstBlock().layout()
        line = layout.lineAt(0)
        baseline = layout.position().y() + line.y() + line.ascent() - voice.shift
        assert abs(baseline - voice.baseline) < 0.05, tone


def test_lines_keep_their_distance_whatever_glyphs_stand_in_them(shown: Shown) -> None:
    shown.answer("Plain words.\n\n日本語 🎉 ไทย العربية हिन्दी")
    plain, mixed = [one.area.height() for one in shown.view.seen if one.row.can_select][1:]
    assert plain == mixed == shown.view.page.stage.look.voice(Tone.BODY).line


def test_same_width_lays_nothing_out_again() -> None:
    calls: list[float] = []

    class Counted(Paper):
        def setTextWidth(self, width: float) -> None:
            calls.append(width)
            super().setTextWidth(width)

    paper = Counted(Look(LIGHT).option(wraps=True))
    for width in (300, 300, 300, 200):
        paper.fit(width)
    assert calls == [300, 200]


def test_pill_is_round_at_its_ends(shown: Shown) -> None:
    shown.answer("A paragraph.\n\n" * 100)
    (jump,) = shown.view.findChildren(JumpButton)
    assert jump.isVisible()
    image = shown.painted()
    corner = jump.geometry().topLeft() - shown.view.viewport().pos() + QPoint(2, 2)
    middle = QPoint(corner.x() + 20, jump.geometry().center().y())
    assert QColor(image.pixel(corner)) == QColor(LIGHT.background)
    assert jump.geometry().contains(middle)


def test_editor_is_as_high_as_its_lines(shown: Shown) -> None:
    heights = {}
    for lines in (1, 4):
        shown.hear(opened(asked("u1", "\n".join(["line"] * lines))))
        shown.press("Edit")
        (box,) = shown.view.findChildren(QPlainTextEdit)
        heights[lines] = box.height()
        spacing = box.fontMetrics().lineSpacing()
        shown.view.leave_edit()
        box.deleteLater()
        shown.view.repaint()
        box.setParent(None)
    assert abs(heights[4] - heights[1] - 3 * spacing) <= 2


def test_documents_that_were_not_used_for_long_are_dropped() -> None:
    papers = Papers(kept=3)
    for name in "abc":
        papers.keep(name, name)
    assert papers.find("a", str) == "a"
    papers.keep("d", "d")
    assert [papers.find(name, str) for name in "abcd"] == ["a", None, "c", "d"]


def test_other_theme_repaints_and_moves_nothing(shown: Shown) -> None:
    shown.answer("Words and `code`.\n\n```py\nx = 1\n```\n\n| a |\n|---|\n| b |\n")
    before = [(one.placed.row, one.area) for one in shown.view.seen]
    light = shown.painted()
    shown.view.set_theme(DARK)
    assert [(one.placed.row, one.area) for one in shown.view.seen] == before
    dark = shown.painted()
    assert QColor(dark.pixel(2, 2)) == QColor(DARK.background)
    shown.view.set_theme(LIGHT)
    assert shown.painted() == light


def test_larger_base_size_makes_everything_larger(shown: Shown) -> None:
    shown.answer("Words.\n\n```py\nx = 1\n```\n")
    before = [one.area.height() for one in shown.view.seen]
    shown.view.set_theme(LIGHT.scaled(22))
    after = [one.area.height() for one in shown.view.seen]
    assert all(now > was for now, was in zip(after, before, strict=False) if was)
