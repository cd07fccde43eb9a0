"""Reachable and readable without a mouse and without eyes."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAccessible, QColor
from PySide6.QtWidgets import QAbstractButton, QApplication, QLineEdit, QWidget

from app.core.messages import Intent, WaitState
from app.ui.theme import LIGHT
from tests.ui import canned
from tests.ui.conftest import Hand

TAB = Qt.Key.Key_Tab


def names_by_tab(hand: Hand) -> list[str]:
    """Walk once round the window with Tab and list what has the focus."""
    hand.window.pane.focus_message()
    first, found = QApplication.focusWidget(), list[str]()
    for _ in range(60):
        hand.press(TAB)
        focus = QApplication.focusWidget()
        assert focus is not None
        found.append(focus.accessibleName() or getattr(focus, "text", str)())
        if focus is first:
            return found
    raise AssertionError(f"Tab does not come round: {found}")


@pytest.mark.parametrize(
    "name",
    [
        "Message",
        "Send",
        "Hold to talk",
        "Conversations",
        "Search conversations",
        "Transcript",
        "Settings",
        "Model",
    ],
)
def test_main_controls_have_their_public_names(talk: Hand, name: str) -> None:
    found = [w for w in talk.window.findChildren(QWidget) if w.accessibleName() == name]
    assert found
    assert any(w.isVisible() for w in found)


def test_stop_has_its_public_name_while_it_works(busy: Hand) -> None:
    assert busy.composer.round.accessibleName() == "Stop"


def test_every_button_has_a_name(busy: Hand) -> None:
    busy.hear(canned.queue(canned.waiting("w1", "Later", Intent.QUEUE, WaitState.HELD)))
    buttons = busy.window.findChildren(QAbstractButton)
    ours = [b for b in buttons if b.isVisible() and not isinstance(b.parent(), QLineEdit)]
    assert len(ours) > 5
    for button in ours:
        interface = QAccessible.queryAccessibleInterface(button)
        assert interface.text(QAccessible.Text.Name), button


def test_tab_reaches_every_control(busy: Hand) -> None:
    busy.clock.pass_s(1)
    busy.write("Hello")
    busy.hear(canned.queue(canned.waiting("w1", "Later", Intent.QUEUE, WaitState.HELD)))
    found = names_by_tab(busy)
    for name in (
        "Search conversations",
        "New conversation",
        "Conversations",
        "Settings",
        "Hide the sidebar",
        "Transcript",
        "Later, Held",
        "Remove",
        "Redirect now",
        "Model",
        "Send while it works",
        "Stop",
        "Message",
    ):
        assert name in found, f"{name} is missing in {found}"


def test_tab_goes_from_top_to_bottom_and_message_follows_the_chips(busy: Hand) -> None:
    busy.clock.pass_s(1)
    busy.hear(canned.queue(canned.waiting("w1", "Later", Intent.QUEUE, WaitState.HELD)))
    found = names_by_tab(busy)
    order = ["Stop", "Search conversations", "Conversations", "Later, Held", "Message"]
    assert sorted(order, key=found.index) == order


def test_tab_walks_the_chips_as_they_stand_after_a_move(busy: Hand) -> None:
    busy.clock.pass_s(1)
    one, two = (
        canned.waiting(key, key, Intent.QUEUE, WaitState.HELD) for key in ("first", "second")
    )
    busy.hear(canned.queue(one, two), canned.queue(two, one))
    found = names_by_tab(busy)
    assert found.index("second, Held") < found.index("first, Held") < found.index("Message")


def test_disabled_controls_say_why(hand: Hand) -> None:
    for control in (hand.composer.attach,):
        assert not control.isEnabled()
        assert "not in this version" in control.toolTip()


def test_focus_is_a_ring_in_the_accent_colour(busy: Hand) -> None:
    button = busy.composer.round
    button.setFocus(Qt.FocusReason.TabFocusReason)
    QApplication.processEvents()
    image = button.grab().toImage()
    middle = image.height() // 2
    assert image.pixelColor(1, middle) == QColor(LIGHT.accent)
    assert image.pixelColor(2, middle) != QColor(LIGHT.accent)


def test_composer_is_ringed_when_the_keyboard_brought_the_focus(talk: Hand) -> None:
    def edge() -> QColor:
        QApplication.processEvents()
        return talk.composer.grab().toImage().pixelColor(1, talk.composer.height() // 2)

    talk.window.pane.focus_message()
    assert edge() != QColor(LIGHT.accent)
    talk.composer.box.setFocus()
    talk.press(TAB)
    talk.press(Qt.Key.Key_Backtab, Qt.KeyboardModifier.ShiftModifier)
    assert QApplication.focusWidget() is talk.composer.box
    assert edge() == QColor(LIGHT.accent)
    talk.write("x")
    assert edge() != QColor(LIGHT.accent)
