"""Ctrl-C is Stop, a request to end is Quit; heard on the main thread, between any two steps.

Plain Python handlers: the loop of this thread is asyncio's, which lets them run, and the prompt
takes the wake-up pipe for itself. A handler interrupts code that may hold a lock, so it takes
none: it only posts to the loop and starts threads.
"""

import asyncio
import os
import signal
from collections.abc import Callable
from types import FrameType
from typing import Final

from app.cli.codes import ExitCode
from app.cli.desk import FrontEnd
from app.system.threads import spawn_thread

_QUIT: Final = ("SIGTERM", "SIGHUP", "SIGBREAK")


def listen(front: FrontEnd, loop: asyncio.AbstractEventLoop, *, arm: Callable[[], None]) -> None:
    """Hear signals for as long as the process lives; `arm` makes sure that a Quit comes true."""
    interrupts = 0

    def on_interrupt(_: int, __: FrameType | None) -> None:
        nonlocal interrupts
        interrupts += 1
        if interrupts > 1 and front.ends_on_second_interrupt:
            os._exit(ExitCode.STOPPED)
        _post(loop, front.interrupt)

    def on_quit(_: int, __: FrameType | None) -> None:
        spawn_thread("belay-arm", arm)
        _post(loop, front.quit)

    signal.signal(signal.SIGINT, on_interrupt)
    for name in _QUIT:
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), on_quit)


def _post(loop: asyncio.AbstractEventLoop, call: Callable[[], None]) -> None:
    try:
        loop.call_soon_threadsafe(call)
    except RuntimeError:  # the loop has ended: so does the process, in a moment
        return
