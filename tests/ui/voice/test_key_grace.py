"""A held key, as X11 repeats it: one press, one release."""

from PySide6.QtCore import QObject, QTimer
from pytestqt.qtbot import QtBot

from app.ui.voice.key_grace import GRACE_MS, KeyGrace


class Scene:
    """A key, and what the person is taken to have done."""

    def __init__(self) -> None:
        self._parent = QObject()
        self.key = KeyGrace(self._parent)
        self.did: list[str] = []
        self.key.went_down.connect(lambda: self.did.append("down"))
        self.key.came_up.connect(lambda: self.did.append("up"))


def test_false_releases_do_not_end_a_hold(qtbot: QtBot) -> None:
    scene = Scene()
    scene.key.press()
    for _ in range(20):
        scene.key.release()
        scene.key.press()
    later = QTimer()
    later.setSingleShot(True)
    with qtbot.waitSignal(later.timeout):
        later.start(3 * GRACE_MS)
    assert scene.did == ["down"]
    assert scene.key.is_down
    scene.key.release()
    qtbot.waitUntil(lambda: scene.did == ["down", "up"])


def test_a_key_that_loses_the_focus_comes_up_once(qtbot: QtBot) -> None:
    scene = Scene()
    scene.key.press()
    scene.key.release()
    scene.key.let_go()
    assert scene.did == ["down", "up"]
    scene.key.press()
    scene.key.release()
    qtbot.waitUntil(lambda: len(scene.did) == 4)
    assert scene.did == ["down", "up", "down", "up"]


def test_a_release_without_a_press_is_nothing() -> None:
    scene = Scene()
    scene.key.release()
    scene.key.let_go()
    assert scene.did == []
