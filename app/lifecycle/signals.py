"""Signals, heard even while the main thread sits in an idle Qt loop.

A Python signal handler runs only when the main thread executes Python, which an idle window does
not. The C handler beneath it writes the signal's number to a pipe at once; a daemon thread reads
it there and acts. Not yet run on Windows, where asyncio's loop takes the same pipe for itself.
"""

import signal
import socket
from collections.abc import Callable, Mapping
from types import FrameType

from app.lifecycle.watchdog import Watchdog
from app.system.threads import spawn_thread

Action = Callable[[], None]

QUIT_SIGNALS = tuple(
    getattr(signal, name) for name in ("SIGTERM", "SIGINT", "SIGHUP") if hasattr(signal, name)
)


def quit_on_signals(watchdog: Watchdog, post_quit: Action) -> None:
    """Quit on every signal that asks for it; `post_quit` is called on another thread."""

    def quit_now() -> None:
        watchdog.arm()  # first: what comes next may hang
        post_quit()

    act_on_signals(dict.fromkeys(QUIT_SIGNALS, quit_now))


def act_on_signals(actions: Mapping[signal.Signals, Action]) -> None:
    """Carry out an action per signal, on a daemon thread; call this on the main thread, once."""
    receiver, sender = socket.socketpair()
    sender.setblocking(False)  # noqa: FBT003 - the signature is not ours
    signal.set_wakeup_fd(sender.detach(), warn_on_full_buffer=False)
    for number in actions:
        if signal.getsignal(number) != signal.SIG_IGN:  # `nohup` and its like have the last word
            signal.signal(number, _nothing)
    spawn_thread("belay-signals", _act, receiver, dict(actions))


def _act(receiver: socket.socket, actions: dict[signal.Signals, Action]) -> None:
    while numbers := receiver.recv(64):
        for number in numbers:
            action = actions.get(signal.Signals(number))
            if action is not None:
                action()


def _nothing(_number: int, _frame: FrameType | None) -> None:
    """Be a Python handler, so that the C one writes to the pipe instead of ending us."""
