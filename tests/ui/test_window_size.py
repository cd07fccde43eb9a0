"""The window's size: it fits the screen, and is what the person made it."""

from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest

from app.core.settings import Settings
from app.ui.main_window import MainWindow
from app.ui.style import Appearance
from tests.ui.clocks import HandClock
from tests.ui.conftest import put_away

Open = Callable[[Settings], MainWindow]


@pytest.fixture
def opened(appearance: Appearance) -> Iterator[Open]:
    """Give what opens a window with settings."""
    windows: list[MainWindow] = []

    def open_one(settings: Settings) -> MainWindow:
        window = MainWindow(appearance=appearance, settings=settings, clock=HandClock())
        windows.append(window)
        window.show()
        return window

    yield open_one
    for window in windows:
        put_away(window)


@pytest.mark.parametrize("wished", [(10**30, 20_000), (-(10**30), 0), (600, 500)])
def test_the_window_fits_the_screen_whatever_was_remembered(
    opened: Open, wished: tuple[int, int]
) -> None:
    width, height = wished
    settings = Settings(window_width=width, window_height=height)
    window = opened(settings)
    room = window.screen().availableSize()
    assert window.width() < room.width()
    assert window.height() < room.height()
    assert window.width() >= window.minimumWidth()


def test_a_size_that_the_person_chose_is_remembered(opened: Open) -> None:
    window = opened(Settings())
    kept: list[Settings] = []
    window.settings_changed.connect(kept.append)
    window.resize(555, 444)
    window.quit()
    assert kept == [replace(Settings(), window_width=555, window_height=444)]
    again = opened(kept[0])
    assert (again.width(), again.height()) == (555, 444)


def test_a_size_that_was_left_alone_is_not_written_down(opened: Open) -> None:
    window = opened(Settings())
    kept: list[Settings] = []
    window.settings_changed.connect(kept.append)
    window.quit()
    assert kept == []
