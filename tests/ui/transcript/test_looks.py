"""Any size, any script, any screen: what is there can be read and reached."""

import os
import subprocess
import sys
from collections.abc import Callable

import pytest
from PySide6.QtCore import QPoint, QRect
from PySide6.QtGui import QColor, QImage
from PySide6.QtWidgets import QApplication, QPlainTextEdit

from app.core.errors import Problem, ProblemKind
from app.core.events import Failed
from app.core.messages import Ending
from app.ui.theme import DARK, LIGHT
from app.ui.transcript.editor import MessageEditor
from app.ui.transcript.overlays import JumpButton
from app.ui.transcript.rows.text import TextRow
from tests.ui.transcript.conftest import Shown, alike
from tests.ui.transcript.conversation import asked, ended, message, opened, started
from tests.ui.transcript.samples import BLOCKS, MOCK, WIDE

SIZES = (12, 13, 18, 24)


def ink(image: QImage, area: QRect) -> tuple[int, int]:
    """Say between which columns anything was painted."""
    ground = image.pixel(area.left(), area.top())
    columns = [
        x
        for x in range(area.left(), area.right() + 1)
        if any(image.pixel(x, y) != ground for y in range(area.top(), area.bottom() + 1))
    ]
    return columns[0], columns[-1]


@pytest.mark.parametrize("size", SIZES)
def test_other_size_at_run_time_looks_as_if_it_had_been_so(
    show: Callable[..., Shown], size: int
) -> None:
    changed, fresh = show(), show()
    fresh.view.set_theme(DARK.scaled(size))
    for one in (changed, fresh):
        one.answer(MOCK + BLOCKS + WIDE)
    changed.view.set_theme(DARK.scaled(size))
    jumps = [one.view.findChildren(JumpButton)[0] for one in (changed, fresh)]
    assert jumps[0].geometry() == jumps[1].geometry()
    for jump in jumps:
        jump.hide()  # the pointer may be over one of them
    assert alike(changed.painted(), fresh.painted())


def test_message_that_is_being_changed_takes_another_look_too(
    show: Callable[..., Shown],
) -> None:
    changed, fresh = show(), show()
    fresh.view.set_theme(DARK.scaled(20))
    for one in (changed, fresh):
        one.hear(opened(asked("u1", "Words that will be changed. " * 12)))
        one.press("Edit")
    changed.view.set_theme(DARK.scaled(20))
    QApplication.processEvents()
    boxes = [one.view.findChildren(QPlainTextEdit)[0] for one in (changed, fresh)]
    assert boxes[0].geometry() == boxes[1].geometry()
    assert boxes[0].font() == boxes[1].font()
    (editor,) = changed.view.findChildren(MessageEditor)
    corner = editor.geometry().bottomLeft() + QPoint(20, -20)
    assert QColor(changed.painted().pixel(corner)) == QColor(DARK.own_message)


def test_editor_of_a_long_message_shows_all_of_it(shown: Shown) -> None:
    shown.hear(opened(asked("u1", "Words that will be changed. " * 20)))
    shown.press("Edit")
    (box,) = shown.view.findChildren(QPlainTextEdit)
    QApplication.processEvents()
    assert not box.verticalScrollBar().maximum()


def test_editor_grows_when_the_window_gets_narrow(shown: Shown) -> None:
    shown.hear(opened(asked("u1", "Words that will be changed. " * 12)))
    shown.press("Edit")
    (box,) = shown.view.findChildren(QPlainTextEdit)
    before = box.height()
    shown.view.resize(420, 600)
    QApplication.processEvents()
    assert box.height() > before
    assert not box.verticalScrollBar().maximum()


def test_find_bar_fits_its_words_at_any_size(shown: Shown) -> None:
    shown.answer(MOCK)
    shown.view.open_find()
    for size in SIZES:
        shown.view.set_theme(LIGHT.scaled(size))
        bar = shown.view.finder.bar
        assert bar.box.height() >= bar.box.fontMetrics().height()
        assert shown.view.rect().contains(bar.geometry())


def test_other_size_keeps_what_is_being_read_in_sight(shown: Shown) -> None:
    shown.answer((MOCK + BLOCKS) * 3)
    shown.view.scroll_by(900)
    first = shown.view.seen[1].placed
    for size in SIZES:
        shown.view.set_theme(LIGHT.scaled(size))
        assert (first.item, first.row) in {(o.placed.item, o.placed.row) for o in shown.view.seen}


@pytest.mark.parametrize("size", [12, 15, 24])
@pytest.mark.parametrize("width", [420, 1200])
def test_every_button_can_be_reached_in_any_window(
    show: Callable[..., Shown], size: int, width: int
) -> None:
    shown = show(width, 900)
    shown.view.set_theme(LIGHT.scaled(size))
    problem = Problem(kind=ProblemKind.KEY_REJECTED, params={"provider": "Example"}, detail="401")
    shown.hear(
        opened(
            asked("u1", "Why?"),
            message("a1", "Because.", parent="u1", at=1),
            message("a2", "So", parent="u1", at=2, ending=Ending.STOPPED),
            message("a3", "Or", parent="u1", at=3),
            asked("u2", "And?", parent="a2"),
            leaf="u2",
        ),
        started(),
        ended(Failed(problem=problem)),
    )
    window = shown.view.viewport().rect()
    spots = [b for b in shown.buttons() if not window.contains(b.geometry())]
    outside = {b.text(): b.geometry() for b in spots if b.y() > 0}
    assert not outside
    boxes = [b.geometry().adjusted(1, 1, -1, -1) for b in shown.buttons() if b.text()]
    assert not any(a.intersects(b) for a in boxes for b in boxes if a is not b and a != b)


ARABIC = "مرحبا بالعالم هذه فقرة"
HEBREW = "שלום עולם זו פסקה"


@pytest.mark.parametrize("words", [ARABIC, HEBREW], ids=["arabic", "hebrew"])
def test_right_to_left_paragraphs_stand_at_the_right(shown: Shown, words: str) -> None:
    shown.answer(f"{words}\n\nLeft to right {words}\n\n- {words}\n")
    image = shown.painted()
    right, left, item = [one for one in shown.view.seen if isinstance(one.row, TextRow)][1:]
    assert ink(image, right.area)[0] > right.area.center().x() - 100
    assert ink(image, right.area)[1] > right.area.right() - 12
    assert ink(image, left.area)[0] < left.area.left() + 12
    bullet = ink(image, item.area)
    assert bullet[1] > item.area.right() - 20  # the marker too
    assert bullet[0] > item.area.center().x() - 100


def test_words_of_any_script_are_selected_and_copied_whole(shown: Shown) -> None:
    text = f"{ARABIC}, 日本語の段落, 한국어, हिन्दी क्षि, 👩‍👩‍👧 🇩🇪 ❤️ e\u0301"
    shown.answer(text)
    at = shown.place_of("日本語")
    for clicks in (1, 2, 3):
        shown.view.pointer.press(at, extends=False, clicks=clicks)
    assert shown.view.marked() is not None
    assert text in shown.words[1]


SCALED = """
from PySide6.QtGui import QColor, QGuiApplication
from PySide6.QtWidgets import QApplication
app = QApplication([])
from app.ui.style import put_on
from app.ui.theme import LIGHT
from app.ui.transcript.rows.table import TableRow
from app.ui.transcript.view import TranscriptView
from tests.ui.transcript.conftest import alike
from tests.ui.transcript.conversation import asked, message, opened, said, started
from tests.ui.transcript.samples import MOCK
put_on(app, LIGHT)
view = TranscriptView(LIGHT)
view.resize(800, 600)
view.show()
def same():
    app.processEvents()
    grabbed = QGuiApplication.primaryScreen().grabWindow(view.winId()).toImage()
    painted = view.grab().toImage()
    part = painted.copy(grabbed.rect())  # off screen, Qt grabs the upper left corner alone
    assert alike(grabbed.convertToFormat(part.format()), part)
    return painted
view.apply(opened(asked("u1", "Why?"), message("a1", MOCK * 3, parent="u1")))
view.apply(started())
for distance in (-333, -7, 40, -1, 555):
    view.scroll_by(distance)
    same()
for at in range(0, len(MOCK), 200):
    view.apply(said(MOCK[at:at + 200], "a2"))
    view.flush()
    same()
image = same()
ratio = image.devicePixelRatio()
assert image.width() == round(800 * ratio)
table = next(one for one in view.seen if isinstance(one.row, TableRow))
x = round((table.area.center().x() + 30) * ratio)
column = [QColor(image.pixel(x, y)) for y in range(image.height())]
assert QColor(LIGHT.border) in column, "a hairline is blurred"
darkest = min(
    QColor(image.pixel(x, y)).lightness()
    for x in range(round(table.area.left() * ratio), round(table.area.right() * ratio))
    for y in range(round(table.area.top() * ratio), round((table.area.top() + 30) * ratio))
)
assert darkest < 40, "letters are blurred"
print("sharp at", ratio)
"""


@pytest.mark.parametrize("factor", ["1.25", "1.5", "2"])
def test_sharp_and_whole_on_screens_of_any_density(factor: str) -> None:
    environment = {**os.environ, "QT_SCALE_FACTOR": factor, "QT_QPA_PLATFORM": "offscreen"}
    done = subprocess.run(
        [sys.executable, "-c", SCALED],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.stdout.strip() == f"sharp at {float(factor)}", done.stderr[-2000:]


def test_dark_is_dark_everywhere(shown: Shown) -> None:
    shown.answer(BLOCKS)
    shown.view.set_theme(DARK)
    image = shown.painted()
    bright = sum(
        QColor(image.pixel(x, y)).lightness() > 128
        for x in range(0, image.width(), 3)
        for y in range(0, image.height(), 3)
    )
    assert bright < image.width() * image.height() / 9 * 0.2
