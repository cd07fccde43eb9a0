"""The way to the window: everything that needs no Qt, before Qt is loaded.

A later start hands its words over and is gone without having loaded Qt. PySide reads the source of
each module that is imported after it, so the vocabulary and the machine beneath come first.
"""

import app.core.commands
import app.core.status_words
import app.core.voice
import app.main.configuration
import app.main.settings_keeper
import app.system.spawner  # noqa: F401 - these for the window, which needs them at once
from app.core.errors import ProblemError
from app.core.wording import sentence
from app.lifecycle.last_shutdown import ShutdownNote
from app.lifecycle.quit_wish import QuitWish
from app.lifecycle.signals import quit_on_signals
from app.lifecycle.single_window import HandOver, open_window
from app.main.ground import prepare
from app.main.last_time import WINDOW_ROLE
from app.system.paths import Paths


def launch(text: str | None) -> int:
    """Be the window until the person quits; hand `text` to the one there is, if there is one."""
    wish = QuitWish()
    try:
        paths = Paths.find()
        paths.make()
        single = open_window(paths.runtime, text or "")
        if isinstance(single, HandOver):
            return _handed_over(single, wish)
        note = ShutdownNote(paths.logs)
        ground = prepare(
            WINDOW_ROLE, note=note, on_watchdog=lambda dog: quit_on_signals(dog, wish.ask)
        )
    except ProblemError as error:
        return _refuse(sentence(error.problem), wish)
    from app.main.window import run_window  # noqa: PLC0415 - loads Qt

    return run_window(text, ground=ground, single=single, note=note, wish=wish)


def _handed_over(result: HandOver, wish: QuitWish) -> int:
    if result is HandOver.DELIVERED:
        return 0
    return _refuse("Another Belay is open and does not answer. Close it first.", wish)


def _refuse(why: str, wish: QuitWish) -> int:
    from app.main.refusing import refuse  # noqa: PLC0415 - loads Qt

    return refuse(why, wish)
