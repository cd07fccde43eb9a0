"""Attached pictures: seen when they are here, named while they are not."""

import pytest
from PySide6.QtCore import QRect, QSize
from PySide6.QtGui import QColor, QImage
from pytestqt.qtbot import QtBot

from app.core.messages import ImagePart, Message, Role, TextPart
from app.ui.theme import DARK
from app.ui.transcript.album import KEPT_BYTES, Album
from app.ui.transcript.copying import reading_text
from app.ui.transcript.rows.picture import PictureRow
from tests.ui.transcript.conftest import Shown, alike
from tests.ui.transcript.conversation import asked, message, opened
from tests.ui.transcript.samples import MOCK

TEAL = QColor("teal")


def picture(width: int, height: int) -> QImage:
    made = QImage(width, height, QImage.Format.Format_RGB32)
    made.fill(TEAL)
    return made


def with_picture(message_id: str = "u1", name: str = "tree.png") -> Message:
    parts = (ImagePart(path=name, media_type="image/png"), TextPart(text="What is this?"))
    return message(message_id, "", role=Role.USER, parts=parts)


def area_of(shown: Shown) -> QRect:
    (area,) = [one.area for one in shown.view.seen if isinstance(one.row, PictureRow)]
    return area


def test_picture_is_asked_for_once_when_it_comes_into_sight(shown: Shown, qtbot: QtBot) -> None:
    wanted: list[str] = []
    shown.view.picture_wanted.connect(wanted.append)
    later = [message(f"m{n}", MOCK, parent="u1" if n == 0 else f"m{n - 1}") for n in range(6)]
    shown.hear(opened(with_picture(), *later))
    shown.painted()
    assert wanted == []
    shown.view.scroll_to_start()
    for _ in range(3):
        shown.painted()
    assert wanted == ["tree.png"]


def test_picture_is_shown_at_the_right_within_bounds(shown: Shown) -> None:
    shown.hear(opened(with_picture()))
    shown.view.show_picture("tree.png", picture(1200, 600))
    area = area_of(shown)
    assert area.height() == 200
    image = shown.painted()
    assert QColor(image.pixel(area.right() - 200, area.center().y())) == TEAL
    assert QColor(image.pixel(area.right() - 420, area.center().y())) != TEAL
    assert QColor(image.pixel(area.right(), area.top())) != TEAL  # the corner is round


@pytest.mark.parametrize(
    ("size", "height"), [((60, 40), 40), ((3, 3), 24), ((10, 900), 300), ((1200, 1), 24)]
)
def test_odd_shapes_are_shown_whole(shown: Shown, size: tuple[int, int], height: int) -> None:
    shown.hear(opened(with_picture()))
    shown.view.show_picture("tree.png", picture(*size))
    assert area_of(shown).height() == height
    assert not shown.painted().isNull()


def test_picture_that_cannot_be_shown_says_so_and_is_not_asked_for_again(
    shown: Shown, qtbot: QtBot
) -> None:
    shown.hear(opened(with_picture()))
    chip = shown.painted()
    assert area_of(shown).height() == 34
    shown.view.show_picture("tree.png", QImage())
    assert area_of(shown).height() == 34
    with qtbot.assertNotEmitted(shown.view.picture_wanted):
        assert shown.painted() != chip


def test_picture_that_arrives_above_does_not_move_the_reader(shown: Shown) -> None:
    later = [message(f"m{n}", MOCK, parent="u1" if n == 0 else f"m{n - 1}") for n in range(6)]
    shown.hear(opened(with_picture(), *later))
    shown.view.scroll_to_start()
    shown.view.scroll_by(180)
    before = {(o.placed.item, o.placed.row): o.area.top() for o in shown.view.seen}
    shown.view.show_picture("tree.png", picture(800, 600))
    after = {(o.placed.item, o.placed.row): o.area.top() for o in shown.view.seen}
    assert all(after[key] == before[key] for key in before.keys() & after.keys())
    assert alike(shown.picture(), shown.painted())


def test_other_theme_and_size_keep_the_picture(shown: Shown, qtbot: QtBot) -> None:
    shown.hear(opened(with_picture()))
    shown.view.show_picture("tree.png", picture(1200, 600))
    with qtbot.assertNotEmitted(shown.view.picture_wanted):
        shown.view.set_theme(DARK.scaled(24))
        area = area_of(shown)
        assert QColor(shown.painted().pixel(area.right() - 60, area.center().y())) == TEAL
    assert area.height() > 200


def test_picture_is_read_out_by_its_name_unless_that_says_nothing(shown: Shown) -> None:
    shown.hear(opened(with_picture(), asked("u2", "And?", parent="u1")))
    assert reading_text(shown.view.page.items[0]).startswith("Attached picture tree.png")
    shown.hear(opened(with_picture(name="0123456789abcdef" * 2 + ".png")))
    assert "abcdef" not in reading_text(shown.view.page.items[0])


def test_pictures_out_of_use_go_and_their_sizes_stay() -> None:
    album, large = Album(), picture(2000, 2000)
    for number in range(10):
        assert album.take(f"{number}", large)
    assert len(album) == KEPT_BYTES // large.sizeInBytes()
    assert album.size_of("0") == QSize(2000, 2000)
    asked_for: list[str] = []
    album.wanted.connect(asked_for.append)
    assert album.find("0") is None
    assert asked_for == ["0"]
    assert not album.take("0", large)
