"""The real window with something wedged inside: `python -m tests.fakes.wedged NAME`.

For the states that cannot be provoked from outside. It says "planted" on stdout once the wedge is
in place, and is `belay` in every other respect.
"""

import asyncio
import ctypes
import logging
import os
import sys
import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import QTimer
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QPlainTextEdit

import app.main.window as window_module
from app.core.events import ShutdownPhase
from app.core.ids import MessageId
from app.core.settings import Settings
from app.main.launch import launch
from app.main.window import Window
from app.storage import settings_file
from app.system.commands import Command
from app.system.spawner import spawner
from app.system.threads import spawn_thread
from app.ui.main_window import MainWindow
from app.ui.pane import ConversationPane
from tests.fakes.soaking import Soak

Wedge = Callable[["WedgedWindow"], None]

NOWHERE = MessageId("nowhere")

_FOR_EVER_S = 1000
_STUBBORN = """
trap '' TERM HUP INT
setsid sh -c 'trap "" TERM; while :; do sleep 1; done' &
setsid setsid sh -c 'trap "" TERM; while :; do sleep 1; done' &
while :; do sleep 1; done
"""


def planted() -> None:
    """Tell the test that the wedge is in place."""
    os.write(1, b"planted\n")


def swallow_cancel(window: "WedgedWindow") -> None:
    """A task on the agent loop takes no cancel for an answer."""

    async def stubborn() -> None:
        planted()
        while True:
            try:
                await asyncio.sleep(_FOR_EVER_S)
            except asyncio.CancelledError:
                logging.getLogger("app.tests").debug("not now")

    def begin() -> None:
        window.kept.append(asyncio.get_running_loop().create_task(stubborn(), name="stubborn"))

    window.agent.post(begin)


def block_agent_loop(window: "WedgedWindow") -> None:
    """A callback on the agent loop never returns."""

    def block() -> None:
        planted()
        threading.Event().wait()

    window.agent.post(block)


def block_tool_thread(window: "WedgedWindow") -> None:
    """A tool's Python hangs on a thread of its own."""
    spawn_thread("belay-tool", threading.Event().wait)
    planted()


def start_stubborn_children(window: "WedgedWindow") -> None:
    """A child ignores SIGTERM, and its children have left its session."""
    window.watch()
    started = spawner().start(Command(argv=("sh", "-c", _STUBBORN)))
    started.add_done_callback(lambda _: planted())


def spin(window: "WedgedWindow") -> None:
    """The GUI thread computes for ever."""

    def compute_for_ever() -> None:
        planted()
        while True:
            pass

    QTimer.singleShot(0, compute_for_ever)


def hold_gil(window: "WedgedWindow") -> None:
    """C code takes the GIL and keeps it, as soon as Quit was asked for."""
    window.main.quit_requested.connect(lambda: ctypes.PyDLL(None).sleep(_FOR_EVER_S))
    planted()


def fail_everywhere(window: "WedgedWindow") -> None:
    """A slot, a thread and a task raise; what the window says of it goes to stdout."""

    def slot() -> None:
        raise RuntimeError("a slot failed, key=sk-abcdefghijklmnop")

    async def task() -> None:
        raise RuntimeError("a task failed")

    def thread() -> None:
        raise RuntimeError("a thread failed")

    def begin_task() -> None:
        asyncio.get_running_loop().create_task(task())

    window._mishaps.happened.connect(window.said)
    QTimer.singleShot(0, slot)
    window.agent.post(begin_task)
    spawn_thread("belay-failing", thread)
    planted()


def tell(window: "WedgedWindow") -> None:
    """Nothing is wedged: what the page shows goes to stdout; F11 continues, F10 tries again."""
    desk = window.main.desk
    window.on_key("F11", lambda: desk.go_on(desk.state.tree.leaf or NOWHERE))
    window.on_key("F10", desk.retry)
    window.watch()
    planted()


def save_settings_slowly(window: "WedgedWindow") -> None:
    """A change of the settings takes until Quit says that it waits for it."""
    may_go_on = threading.Event()
    save = settings_file.save

    def slow_save(path: Path, settings: Settings) -> None:
        planted()
        may_go_on.wait()
        save(path, settings)

    def on_phase(phase: ShutdownPhase) -> None:
        if phase.name == "the settings":
            may_go_on.set()

    settings_file.save = slow_save
    window.quitting.phase_began.connect(on_phase)
    window.on_settings_changed(replace(Settings(), system_prompt="Be brief."))


def edit_the_question(window: "WedgedWindow") -> None:
    """Nothing is wedged: F12 opens the first message for change."""
    window.on_key("F12", lambda: window.main.pane.transcript.editing.begin(0))
    window.watch()
    planted()


def break_services(window: "WedgedWindow") -> None:
    """The services cannot be built."""
    from app.main.engine import Engine  # noqa: PLC0415 - as late as the window does

    def fail(self: Engine, **_: object) -> None:
        raise RuntimeError("no services today")

    Engine.__init__ = fail  # type: ignore[method-assign]
    window.watch()
    planted()


def soak(window: "WedgedWindow") -> None:
    """Many turns, one after the other."""
    window.kept.append(Soak(window))
    planted()


WEDGES: dict[str, Wedge] = {
    wedge.__name__: wedge
    for wedge in (
        swallow_cancel,
        block_agent_loop,
        block_tool_thread,
        start_stubborn_children,
        spin,
        hold_gil,
        fail_everywhere,
        tell,
        save_settings_slowly,
        edit_the_question,
        break_services,
        soak,
    )
}


class WedgedWindow(Window):
    """The window, with a wedge driven in once it is open."""

    kept: list[object]

    def open(self, text: str | None) -> None:
        """Open as always, then drive the wedge in."""
        self.kept = []
        super().open(text)
        WEDGES[sys.argv[1]](self)

    def said(self, problem: object) -> None:
        """Put what the notice says, and what it would copy, on stdout."""
        notice = self.main.pane.notice
        notice.copy.click()
        detail = notice._detail.toPlainText().splitlines()[-1]
        os.write(1, f"{notice.accessibleName()} | {detail}\n".encode())

    def on_key(self, key: str, do: Callable[[], None]) -> None:
        """Do something at a key that Belay has no use for."""
        action = QAction(self.main)
        action.setShortcut(QKeySequence(key))
        action.triggered.connect(lambda _checked: do())
        self.main.addAction(action)

    def watch(self) -> None:
        """Say on stdout what is shown, whenever it changes."""
        seen: set[str] = set()

        def look() -> None:
            for line in [*_shown(self.main.pane), *_closing(self.main)]:
                if line not in seen:
                    seen.add(line)
                    os.write(1, f"{line}\n".encode())

        timer = QTimer(self)
        timer.timeout.connect(look)
        timer.start(20)


def _closing(main: MainWindow) -> list[str]:
    dialog = main.closing_dialog
    return [f"closing: {' '.join(dialog.words)}"] if dialog.isVisible() else []


def _shown(pane: ConversationPane) -> list[str]:
    lines = [f"draft: {pane.composer.draft.text}"] if pane.composer.draft.text else []
    for part in (pane.chips, pane.transcript):
        editors = [editor for editor in part.findChildren(QPlainTextEdit) if editor.isVisible()]
        lines += [f"edit: {editor.toPlainText()}" for editor in editors]
    lines += [f"held: {waiting.order.text}" for waiting in pane._desk.state.held]
    lines += [f"last: {message.text}" for message in pane._desk.state.tree.path()[-1:]]
    if pane.welcome.isVisible():
        lines.append("welcome")
    if not pane.notice.isHidden():
        lines.append(f"notice: {pane.notice.accessibleName()}")
        details = pane.notice._detail.toPlainText().splitlines()
        lines += [f"detail: {line}" for line in details]
    return lines


def main() -> None:
    """Be `belay`, wedged."""
    from app.lifecycle.final_exit import final_exit  # noqa: PLC0415

    window_module.Window = WedgedWindow  # type: ignore[misc]
    final_exit(launch(None))


if __name__ == "__main__":
    main()
