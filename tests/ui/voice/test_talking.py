"""The key and the button that are held, and what the bar offers when talking fails."""

import pytest
from PySide6.QtCore import QEvent, QObject, QPoint, QPointF, Qt
from PySide6.QtGui import QKeyEvent, QMouseEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLineEdit, QWidget
from pytestqt.qtbot import QtBot

from app.core.errors import Problem, ProblemKind
from app.core.ids import MessageId
from app.core.settings import Settings
from app.core.voice import (
    EndTalk,
    Force,
    PressTalk,
    ReleaseTalk,
    RetryClips,
    VoiceChanged,
    VoiceCommand,
    VoiceFailed,
    VoiceHeard,
    VoicePhase,
)
from app.ui.composer.composer import Composer
from app.ui.desk import Desk
from app.ui.icons import icon
from app.ui.theme import LIGHT
from app.ui.voice.bar import VoiceBar
from app.ui.voice.talking import Talking
from app.ui.voice.voice_desk import VoiceView
from tests.ui.clocks import HandClock

NOTHING = Qt.KeyboardModifier.NoModifier
SHIFT = Qt.KeyboardModifier.ShiftModifier


class Scene:
    """A composer with its microphone, and what was wished."""

    def __init__(self, qtbot: QtBot) -> None:
        self._qtbot = qtbot
        self._parent = QObject()
        clock = HandClock()
        self.desk = Desk(clock=clock, parent=self._parent)
        self.composer = Composer(clock=clock, theme=LIGHT, settings=Settings())
        qtbot.addWidget(self.composer)
        self.talking = Talking(
            desk=self.desk, composer=self.composer, clock=clock, theme=LIGHT, parent=self._parent
        )
        qtbot.addWidget(self.talking.bar)
        self.wishes: list[VoiceCommand] = []
        self.talking.command_issued.connect(self.wishes.append)
        self.desk.new()

    def key(
        self,
        kind: QEvent.Type,
        key: Qt.Key = Qt.Key.Key_F9,
        modifiers: Qt.KeyboardModifier = NOTHING,
    ) -> bool:
        event = QKeyEvent(kind, key, modifiers)
        return self.talking.take_key(event, is_press=kind is QEvent.Type.KeyPress)

    def until(self, *kinds: type[VoiceCommand]) -> None:
        def holds() -> None:
            assert [type(wish) for wish in self.wishes] == list(kinds)

        self._qtbot.waitUntil(holds, timeout=60_000)

    def fail(self, kind: ProblemKind, *, kept: bool = False) -> None:
        self.talking.apply(VoiceFailed(problem=Problem(kind=kind), clip_kept=kept))

    def phase(self, phase: VoicePhase, *, latched: bool = False) -> None:
        self.talking.apply(VoiceChanged(phase=phase, latched=latched))


@pytest.fixture
def scene(qtbot: QtBot) -> Scene:
    """Give a composer with a microphone."""
    return Scene(qtbot)


def test_a_hold_ends_whatever_else_is_held_by_then(scene: Scene) -> None:
    scene.key(QEvent.Type.KeyPress)
    assert scene.key(QEvent.Type.KeyRelease, modifiers=SHIFT)
    scene.until(PressTalk, ReleaseTalk)


def test_a_chord_with_the_talk_key_is_somebody_elses(scene: Scene) -> None:
    assert not scene.key(QEvent.Type.KeyPress, modifiers=SHIFT)
    assert scene.wishes == []


def test_a_hold_ends_even_if_something_else_gets_the_release(scene: Scene, qtbot: QtBot) -> None:
    menu = QLineEdit()
    qtbot.addWidget(menu)
    scene.key(QEvent.Type.KeyPress)
    QApplication.sendEvent(menu, QKeyEvent(QEvent.Type.KeyRelease, Qt.Key.Key_F9, NOTHING))
    scene.until(PressTalk, ReleaseTalk)
    scene.wishes.clear()
    QApplication.sendEvent(menu, QKeyEvent(QEvent.Type.KeyPress, Qt.Key.Key_F9, NOTHING))
    assert scene.wishes == []  # only a hold is followed elsewhere


def pointer(mic: QWidget, kind: QEvent.Type, at: QPoint) -> None:
    left, none = Qt.MouseButton.LeftButton, Qt.MouseButton.NoButton
    moves = kind is QEvent.Type.MouseMove
    place = QPointF(at)
    event = QMouseEvent(
        kind,
        place,
        QPointF(mic.mapToGlobal(at)),
        none if moves else left,
        left if moves else none,
        NOTHING,
    )
    QApplication.sendEvent(mic, event)


def test_a_pointer_that_slips_off_the_button_keeps_talking(scene: Scene) -> None:
    mic = scene.composer.mic
    QTest.mousePress(mic, Qt.MouseButton.LeftButton)
    for at in (QPoint(-300, -300), QPoint(5, 5), QPoint(-300, -300)):
        pointer(mic, QEvent.Type.MouseMove, at)
    assert mic.isDown()
    pointer(mic, QEvent.Type.MouseButtonRelease, QPoint(-300, -300))
    scene.until(PressTalk, ReleaseTalk)
    assert not mic.isDown()


def test_a_button_held_with_the_space_bar_survives_false_releases(scene: Scene) -> None:
    mic = scene.composer.mic
    QTest.keyPress(mic, Qt.Key.Key_Space)
    for _ in range(5):
        QTest.keyRelease(mic, Qt.Key.Key_Space)
        QTest.keyPress(mic, Qt.Key.Key_Space)
    assert len(scene.wishes) == 1
    QTest.keyRelease(mic, Qt.Key.Key_Space)
    scene.until(PressTalk, ReleaseTalk)


def test_a_press_that_loses_the_focus_at_once_never_turns_into_a_latch(scene: Scene) -> None:
    scene.key(QEvent.Type.KeyPress)
    scene.talking.lose_focus()
    scene.until(PressTalk, EndTalk, ReleaseTalk)


def test_esc_discards_as_soon_as_the_key_is_down(scene: Scene) -> None:
    seen = [scene.talking.is_recording]
    scene.key(QEvent.Type.KeyPress)
    seen.append(scene.talking.is_recording)  # the microphone has not told anything yet
    scene.talking.lose_focus()
    seen.append(scene.talking.is_recording)
    assert seen == [False, True, False]


def test_another_key_can_be_chosen(scene: Scene) -> None:
    chosen = Settings(talk_key="F8")
    scene.talking.set_settings(chosen)
    scene.composer.set_settings(chosen)
    assert not scene.key(QEvent.Type.KeyPress)
    assert scene.key(QEvent.Type.KeyPress, Qt.Key.Key_F8)
    assert scene.composer.mic.toolTip() == "Hold to talk, or hold F8"
    assert scene.composer.box.placeholderText() == "Ask anything, or hold F8 to talk"


def test_a_key_that_nobody_knows_is_the_usual_one(scene: Scene) -> None:
    scene.talking.set_settings(Settings(talk_key="Hyper"))
    assert scene.key(QEvent.Type.KeyPress)


def test_choosing_another_key_ends_a_hold_of_the_old_one(scene: Scene) -> None:
    scene.key(QEvent.Type.KeyPress)
    scene.phase(VoicePhase.LISTENING)
    scene.talking.set_settings(Settings(talk_key="F8"))
    scene.until(PressTalk, EndTalk, ReleaseTalk)
    assert scene.wishes[1] == EndTalk(why=Force.FOCUS_LOST)


def face(scene: Scene) -> int:
    return scene.composer.mic.icon().cacheKey()


def test_the_light_is_on_only_while_it_listens_and_tells_a_latch(scene: Scene) -> None:
    hollow = icon("mic", LIGHT, color=LIGHT.muted).cacheKey()
    filled = icon("mic-on", LIGHT, color=LIGHT.accent).cacheKey()
    ringed = icon("mic-latched", LIGHT, color=LIGHT.accent).cacheKey()
    seen = []
    for phase, latched in (
        (VoicePhase.ARMING, False),
        (VoicePhase.LISTENING, False),
        (VoicePhase.LISTENING, True),
        (VoicePhase.FINALISING, False),
        (VoicePhase.IDLE, False),
    ):
        scene.phase(phase, latched=latched)
        seen.append(face(scene))
    assert seen == [hollow, filled, ringed, hollow, hollow]


def test_a_kept_recording_stays_on_offer_until_it_is_tried_again(scene: Scene) -> None:
    scene.fail(ProblemKind.SPEECH_MISSING, kept=True)
    scene.phase(VoicePhase.ARMING)
    scene.phase(VoicePhase.IDLE)
    scene.fail(ProblemKind.MICROPHONE_MISSING)
    assert scene.talking.bar.text == "There is no microphone. Connect one, then try again."
    scene.phase(VoicePhase.ARMING)
    scene.phase(VoicePhase.IDLE)
    assert scene.talking.bar.text == (
        "Your words could not be written down. The recording is kept."
    )
    assert scene.talking.bar.why == "The speech model is not installed. Typing works as before."
    scene.talking.bar.try_again.click()
    assert scene.wishes == [RetryClips()]
    assert scene.talking.bar.text == ""


def test_a_long_sentence_wraps_in_a_narrow_window(scene: Scene) -> None:
    bar = scene.talking.bar
    scene.fail(ProblemKind.MICROPHONE_REFUSED)
    wide, narrow = bar.heightForWidth(700), bar.heightForWidth(250)
    assert narrow > wide
    assert bar.minimumSizeHint().width() < 400


def test_a_silent_microphone_can_be_changed(scene: Scene) -> None:
    pages: list[str] = []
    scene.talking.settings_wished.connect(pages.append)
    scene.talking.apply(
        VoiceHeard(
            clip_id=MessageId("clip"),
            conversation_id=scene.desk.state.id,
            text="",
            is_sure=True,
            was_flat=True,
        )
    )
    assert scene.talking.bar.text == "The microphone is silent."
    scene.talking.bar.choose.click()
    assert pages == ["Voice"]


@pytest.mark.parametrize(
    ("platform", "address"),
    [
        ("darwin", "x-apple.systempreferences:com.apple.preference.security?Privacy_Microphone"),
        ("win32", "ms-settings:privacy-microphone"),
        ("linux", ""),
    ],
)
def test_a_refused_microphone_shows_the_way_to_the_permission(
    qtbot: QtBot, platform: str, address: str
) -> None:
    bar = VoiceBar(theme=LIGHT, platform=platform)
    qtbot.addWidget(bar)
    opened: list[str] = []
    bar.permission_wished.connect(opened.append)
    refused = VoiceView(problem=Problem(kind=ProblemKind.MICROPHONE_REFUSED))
    bar.show_view(refused, now=0, is_busy=False, has_text=False, verb="redirect")
    assert bar.text == "Belay may not use the microphone. Allow it in the system settings."
    assert bar.permit.isHidden() == (address == "")
    bar.permit.click()
    assert opened == [address]
