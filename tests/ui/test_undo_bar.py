"""The offer to take something back."""

from pytestqt.qtbot import QtBot

from app.ui.undo_bar import UNDO_MS, UndoBar


def test_offer_goes_by_itself(qtbot: QtBot) -> None:
    bar = UndoBar(lasts_ms=10)
    qtbot.addWidget(bar)
    with qtbot.waitSignal(bar.expired):
        bar.offer("Deleted")
    assert bar.isHidden()


def test_offer_stands_six_seconds() -> None:
    assert UNDO_MS == 6000


def test_second_thing_starts_the_time_anew(qtbot: QtBot) -> None:
    bar = UndoBar(lasts_ms=60_000)
    qtbot.addWidget(bar)
    bar.offer("Deleted")
    bar.offer("Removed")
    assert bar.undo.accessibleName() == "Undo: Removed"
    bar.undo.click()
    assert bar.isHidden()
