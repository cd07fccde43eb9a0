"""Pictures of the window, and of every block and state of its transcript, light and dark.

Run `python -m tests.ui.gallery FOLDER`; it draws off screen and needs no display.
"""

import os
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication

from app.core.errors import Problem, ProblemKind
from app.core.events import Failed, ShutdownPhase, Stopped, StopReason, TurnEnded
from app.core.messages import Draft, Intent, WaitState
from app.core.settings import Endpoint, Settings, ThemeChoice
from app.core.voice import (
    VoiceChanged,
    VoiceFailed,
    VoiceLevel,
    VoicePhase,
    VoiceReady,
    VoiceWords,
)
from app.ui.main_window import MainWindow
from app.ui.settings.voice import VoicePage
from app.ui.style import Appearance
from tests.ui import canned
from tests.ui.clocks import HandClock
from tests.ui.small_pictures import save_small
from tests.ui.transcript.gallery import paint

DRAFT = "And could it also keep the reading position\nwhen rows above change height?"
SETTINGS = Settings(endpoints=(Endpoint(base_url="http://127.0.0.1:8080/v1", model="local-7b"),))

Scene = Callable[[MainWindow, HandClock], None]


def writing(window: MainWindow, clock: HandClock) -> None:
    """It writes, with a draft in the composer."""
    _tell(window, clock)
    window.pane.composer.set_draft(Draft(text=DRAFT, cursor=len(DRAFT)))


def waiting(window: MainWindow, clock: HandClock) -> None:
    """Three orders wait."""
    _tell(window, clock)
    window.apply(
        canned.queue(
            canned.waiting("w1", "Use type hints everywhere", Intent.REDIRECT, WaitState.WAITING),
            canned.waiting("w2", "Then add tests for it", Intent.QUEUE, WaitState.WAITING),
            canned.waiting("w3", "And measure it " + "again " * 30, Intent.STEER, WaitState.SAVING),
        )
    )
    clock.pass_s(1)


def stopped(window: MainWindow, clock: HandClock) -> None:
    """Stopped, two orders held."""
    waiting(window, clock)
    window.desk.stop()
    outcome = Stopped(reason=StopReason.PERSON, closed_in_s=0.0004)
    window.apply(
        TurnEnded(conversation_id=canned.HERE, turn_id=canned.TURN, epoch=1, outcome=outcome)
    )
    window.apply(
        canned.queue(
            canned.waiting("w1", "Use type hints everywhere", Intent.REDIRECT, WaitState.HELD),
            canned.waiting("w2", "Then add tests for it", Intent.QUEUE, WaitState.HELD),
        )
    )


def failed(window: MainWindow, clock: HandClock) -> None:
    """The server cannot be reached."""
    _tell(window, clock)
    problem = Problem(
        kind=ProblemKind.UNREACHABLE, params={"host": "127.0.0.1:8080"}, detail="refused"
    )
    window.apply(
        TurnEnded(
            conversation_id=canned.HERE,
            turn_id=canned.TURN,
            epoch=1,
            outcome=Failed(problem=problem),
        )
    )
    window.pane.show_problem(
        Problem(kind=ProblemKind.STORAGE_FULL, detail="SQLITE_FULL: database or disk is full")
    )


def empty(window: MainWindow, clock: HandClock) -> None:
    """A new conversation."""
    window.apply(canned.listed())
    window.desk.new()


def welcome(window: MainWindow, clock: HandClock) -> None:
    """The first start."""
    window.pane.begin_welcome(has_built_in=True, talk_key="F9")


def settings(window: MainWindow, clock: HandClock) -> None:
    """The settings."""
    _tell(window, clock)
    window.preferences.open()


def server(window: MainWindow, clock: HandClock) -> None:
    """The settings' server page."""
    _tell(window, clock)
    window.preferences.open_models()


def closing(window: MainWindow, clock: HandClock) -> None:
    """Quit waits."""
    _tell(window, clock)
    window.quit()
    window.apply(ShutdownPhase(name="the answer", deadline_s=2.4, saved=True))
    window.closing_dialog.open()


def narrow(window: MainWindow, clock: HandClock) -> None:
    """A window as narrow as it gets, with every button the composer has."""
    waiting(window, clock)
    window.pane.composer.set_draft(Draft(text=DRAFT, cursor=0))
    window.resize(window.minimumSize())


def drawer(window: MainWindow, clock: HandClock) -> None:
    """The sidebar over a narrow page."""
    narrow(window, clock)
    window.resize(520, 700)
    QApplication.processEvents()
    window.navigation.toggle_sidebar()


def mirrored(window: MainWindow, clock: HandClock) -> None:
    """Right to left."""
    waiting(window, clock)
    window.setLayoutDirection(Qt.LayoutDirection.RightToLeft)


def ringed(window: MainWindow, clock: HandClock) -> None:
    """The focus where the keyboard brought it."""
    waiting(window, clock)
    window.sidebar.list.setFocus(Qt.FocusReason.TabFocusReason)


def large(window: MainWindow, clock: HandClock) -> None:
    """Very large text."""
    writing(window, clock)
    window.show_settings(replace(window.preferences.settings, base_size_px=20))


def listening(window: MainWindow, clock: HandClock) -> None:
    """The talk key is held, and some words are understood."""
    _tell(window, clock)
    _listen(window, VoiceChanged(phase=VoicePhase.LISTENING))
    window.pane.talking.apply(VoiceWords(text="Use type hints everywhere, and"))


def latched(window: MainWindow, clock: HandClock) -> None:
    """It listens after a tap, in an empty conversation."""
    empty(window, clock)
    _listen(window, VoiceChanged(phase=VoicePhase.LISTENING, latched=True))


def kept(window: MainWindow, clock: HandClock) -> None:
    """Words could not be written down."""
    _tell(window, clock)
    problem = Problem(kind=ProblemKind.SPEECH_FAILED, params={"reason": "it stopped twice"})
    window.pane.talking.apply(VoiceFailed(problem=problem, clip_kept=True))


def voice(window: MainWindow, clock: HandClock) -> None:
    """The settings' page on talking, while the microphone is tried."""
    _tell(window, clock)
    window.preferences.open_at("Voice")
    window.pane.talking.apply(VoiceReady(microphones=("Headset", "Desk microphone")))
    page = window.preferences.dialog.findChild(VoicePage)
    assert page is not None
    page.try_it.click()
    window.pane.talking.apply(VoiceLevel(dbfs=-22))


def _listen(window: MainWindow, changed: VoiceChanged) -> None:
    window.pane.talking.apply(VoiceChanged(phase=VoicePhase.ARMING))
    window.pane.talking.apply(changed)
    for dbfs in (-58, -41, -30, -19, -24, -12, -27, -20):
        window.pane.talking.apply(VoiceLevel(dbfs=dbfs))


SCENES: tuple[Scene, ...] = (
    writing,
    waiting,
    stopped,
    failed,
    empty,
    welcome,
    settings,
    server,
    closing,
    narrow,
    drawer,
    mirrored,
    ringed,
    large,
    listening,
    latched,
    kept,
    voice,
)


def _tell(window: MainWindow, clock: HandClock) -> None:
    for event in canned.story():
        window.apply(event)
        clock.pass_s(0.5)
    clock.pass_s(3)
    window.pane.refresh()


def shoot(app: QApplication, appearance: Appearance, scene: Scene, path: Path) -> None:
    """Set a scene and take its picture, dialogs included."""
    clock = HandClock()
    window = MainWindow(appearance=appearance, settings=appearance.settings, clock=clock)
    window.begin()
    window.show()
    scene(window, clock)
    window.pane.refresh()
    for _ in range(20):
        app.processEvents()
    picture = window.grab()
    for dialog in (window.preferences.dialog, window.closing_dialog):
        if dialog.isVisible():
            picture = dialog.grab()
        dialog.hide()
    save_small(picture.toImage(), path)
    window.hide()
    window.deleteLater()


def main(folder: Path) -> None:
    """Take every picture."""
    folder.mkdir(parents=True, exist_ok=True)
    app = QApplication([])
    appearance = Appearance(app, SETTINGS)
    for choice in (ThemeChoice.LIGHT, ThemeChoice.DARK):
        for scene in SCENES:
            appearance.use(replace(SETTINGS, theme=choice))
            shoot(app, appearance, scene, folder / f"{scene.__name__}-{choice.value}.png")
    paint(app, folder / "transcript")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
