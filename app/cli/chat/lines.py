"""The chat over plain lines: for pipes, files and terminals that can do nothing else.

Lines that arrive together are taken one after the other, each when the one before it is done, as
a script means it; a line that arrives while an answer is being written redirects it, as typing
does. When the input ends, the last answer is still waited for.
"""

import asyncio
import os
from collections import deque
from typing import TextIO

from app.cli.chat.face import Listener
from app.cli.chat.splitting import LineSplitter
from app.cli.outlet import Outlet, is_reader_gone
from app.system.threads import spawn_thread

_PROMPT = "> "
_LAST_WORDS_S = 1.0


class Lines:
    """Reads lines on a daemon thread, writes through an outlet."""

    shows_waiting = False

    def __init__(self, *, outlet: Outlet, stdin: TextIO | None, echoes: bool) -> None:
        self._outlet = outlet
        self._stdin = stdin
        self._echoes = echoes  # what is typed cannot be seen, so it is shown
        self._has_prompt = not echoes and outlet.out.is_terminal
        self._waiting: deque[str] = deque()
        self._splitter = LineSplitter()
        self._is_mid_line = False
        self._is_prompting = False
        self._is_silent = True  # nothing was shown yet
        self._has_ended = False
        self._listener: Listener | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._left = asyncio.Event()

    async def serve(self, listener: Listener) -> None:
        """Read until the input ends and all of it is done."""
        self._listener, self._loop = listener, asyncio.get_running_loop()
        self._outlet.open(self._lost_reader)
        if self._stdin is None:
            self._has_ended = True
        else:
            spawn_thread("belay-input", self._read, self._loop, self._stdin.fileno())
        self.refresh()
        await self._left.wait()

    def leave(self) -> None:
        """Stop reading."""
        self._left.set()

    def write(self, text: str) -> None:
        """Print more of the answer."""
        if text:
            self._is_mid_line = not text.endswith("\n")
            self._is_silent = self._is_prompting = False
            self._outlet.print(text)

    def question(self, text: str) -> None:
        """Print what the person said, unless the terminal has."""
        if not self._echoes:
            return
        self._end_line()
        gap = "" if self._is_silent else "\n"
        self._outlet.print(f"{gap}{_PROMPT}{text.replace(chr(10), chr(10) + '  ')}\n")
        self._is_silent = False

    def tell(self, text: str) -> None:
        """Print what was asked for."""
        self._end_line()
        self._outlet.print(f"{text}\n")

    def remark(self, text: str, *, is_trouble: bool = False) -> None:  # noqa: ARG002 - no colours here
        """Say what happened, to standard error."""
        self._end_line()
        self._outlet.remark(f"{text}\n")

    def hint(self, text: str) -> None:
        """Say why nothing happened."""
        self.remark(text)

    def refresh(self) -> None:
        """Take the next line if the one before it is done."""
        asyncio.get_running_loop().call_soon(self._go_on)

    def drop_input(self) -> None:
        """Forget the lines that were not taken yet, and say so."""
        if self._waiting:
            count = len(self._waiting)
            self._waiting.clear()
            self.remark(f"{count} {'line' if count == 1 else 'lines'} not sent.")

    async def finish(self) -> None:
        """Write what is left, as long as somebody reads it."""
        self._end_line()
        writing = asyncio.get_running_loop().create_task(self._outlet.all_written())
        await asyncio.wait({writing}, timeout=_LAST_WORDS_S)
        writing.cancel()

    def _lost_reader(self, error: OSError) -> None:
        """Leave when nobody reads the answers any more; on the outlet's thread."""
        if not is_reader_gone(error):
            self._outlet.remark(f"The answer could not be written: {error.strerror}.\n")
        assert self._loop is not None
        try:
            self._loop.call_soon_threadsafe(self.leave)
        except RuntimeError:  # the loop has ended: so has the chat
            return

    def _go_on(self) -> None:
        assert self._listener is not None
        while not self._listener.is_busy and not self._left.is_set():
            if self._waiting:
                self._listener.typed(self._waiting.popleft())
            else:
                self._rest()
                return

    def _rest(self) -> None:
        if self._has_ended:
            self._left.set()
        elif self._has_prompt and not self._is_prompting:
            self._end_line()
            self._outlet.print(_PROMPT)
            self._is_prompting = True

    def _arrived(self, data: bytes) -> None:
        assert self._listener is not None
        is_burst = self._splitter.is_mid_line
        lines = self._splitter.feed(data)
        self._has_ended = not data
        self._is_prompting = False
        if lines and not is_burst and not self._left.is_set():
            self._listener.typed(lines.pop(0))
        self._waiting.extend(lines)
        self._go_on()

    def _end_line(self) -> None:
        if self._is_mid_line:
            self._is_mid_line = False
            self._outlet.print("\n")

    def _read(self, loop: asyncio.AbstractEventLoop, fd: int) -> None:
        try:
            while data := os.read(fd, 1 << 16):
                loop.call_soon_threadsafe(self._arrived, data)
        except OSError:
            pass  # the terminal is gone: the same as its end
        try:
            loop.call_soon_threadsafe(self._arrived, b"")
        except RuntimeError:
            return  # the loop has ended already
