"""The chat on a terminal with a live prompt: the answer streams above what is being typed.

Whole lines scroll up into the terminal's own history and stay there, unwrapped, to be copied; the
line that is still being written stands in a window of its own above the prompt. So the two never
mix, however fast either comes. Lives on the loop.
"""

import asyncio
import logging
import time
from collections.abc import Callable
from typing import Final

from prompt_toolkit.application import Application
from prompt_toolkit.buffer import Buffer
from prompt_toolkit.filters import Condition
from prompt_toolkit.formatted_text import StyleAndTextTuples
from prompt_toolkit.history import InMemoryHistory
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
from prompt_toolkit.layout.containers import ConditionalContainer, HSplit, Window
from prompt_toolkit.layout.controls import BufferControl, FormattedTextControl
from prompt_toolkit.layout.dimension import Dimension
from prompt_toolkit.layout.layout import Layout
from prompt_toolkit.output import ColorDepth, Output, create_output
from prompt_toolkit.output.vt100 import Vt100_Output
from prompt_toolkit.styles import Style

from app.cli.chat.face import Listener
from app.cli.chat.scroll import Scroll
from app.cli.chat.words import held_sentence, waiting_line
from app.cli.desk import Clock
from app.core.messages import WaitState

log = logging.getLogger(__name__)

_FLUSH_S: Final = 0.033
_TICK_S: Final = 0.2
_HINT_S: Final = 6.0
_INPUT_ROWS: Final = 8
_CHIPS: Final = 5
_IDLE: Final = "/help · Ctrl-D closes Belay"
_STYLE: Final = Style.from_dict(
    {"prompt": "bold", "chip": "fg:ansibrightblack", "status": "fg:ansibrightblack"}
)


class Screen:
    """A prompt that stays below everything that is said."""

    shows_waiting = True

    def __init__(self, text: str = "", clock: Clock = time.monotonic) -> None:
        self._clock = clock
        self._hint, self._hint_until = "", 0.0
        self._listener: Listener | None = None
        self._output = _make_output()
        self._scroll = Scroll(columns=lambda: self._output.get_size().columns)
        self._buffer = Buffer(multiline=True, history=InMemoryHistory())
        self._buffer.text = text
        self._buffer.cursor_position = len(text)
        self._app: Application[None] = Application(
            layout=self._layout(),
            key_bindings=self._keys(),
            style=_STYLE,
            output=self._output,
            color_depth=ColorDepth.DEPTH_4_BIT,
            erase_when_done=True,
        )
        self._flush_due: asyncio.TimerHandle | None = None

    async def serve(self, listener: Listener) -> None:
        """Read and show until the person leaves."""
        self._listener = listener
        ticking = asyncio.get_running_loop().create_task(self._tick())
        try:
            # Our own loop keeps its exception handler, and Ctrl-C is a key here.
            await self._app.run_async(set_exception_handler=False, handle_sigint=False)
        except (EOFError, OSError) as gone:
            log.info("the terminal is gone: %r", gone)
        finally:
            ticking.cancel()

    def leave(self) -> None:
        """Take the prompt down."""
        if self._app.is_running and not self._app.is_done:
            self._app.exit()

    def write(self, text: str) -> None:
        """Show more of the answer."""
        self._scroll.write(text)
        self._flush_soon()

    def question(self, text: str) -> None:
        """Show what the person said."""
        self._scroll.question(text)
        self._flush_soon()

    def tell(self, text: str) -> None:
        """Show what was asked for."""
        self._scroll.line(text)
        self._flush_soon()

    def remark(self, text: str, *, is_trouble: bool = False) -> None:
        """Say what happened."""
        self._scroll.remark(text, is_trouble=is_trouble)
        self._flush_soon()

    def hint(self, text: str) -> None:
        """Say something in the status line, for a while."""
        self._hint, self._hint_until = text, self._clock() + _HINT_S
        self._flush_soon()

    def refresh(self) -> None:
        """Show status and queue anew."""
        self._flush_soon()

    def drop_input(self) -> None:
        """Keep what stands at the prompt: it is not sent before Enter."""

    async def finish(self) -> None:
        """Leave everything that was said on the terminal."""
        self._scroll.end_line()
        self._flush()

    def _flush_soon(self) -> None:
        if self._flush_due is None:
            loop = asyncio.get_running_loop()
            self._flush_due = loop.call_later(_FLUSH_S, self._flush)

    def _flush(self) -> None:
        """Let whole lines scroll up, and draw the rest beneath them."""
        self._flush_due = None
        above = self._scroll.take(rows=max(3, self._output.get_size().rows - _INPUT_ROWS))
        is_shown = self._app.is_running and not self._app.is_done
        if above:
            if is_shown:
                self._app.renderer.erase()
            self._output.write_raw(above.replace("\n", "\r\n"))
            self._output.flush()
            if is_shown:
                self._app.render_counter += 1  # what windows cached is of the render before
                self._app.renderer.render(self._app, self._app.layout)
        elif is_shown:
            self._app.invalidate()

    async def _tick(self) -> None:
        """Let the status count its seconds."""
        while True:
            await asyncio.sleep(_TICK_S)
            if self._hint or (self._listener is not None and self._listener.is_busy):
                self._app.invalidate()

    def _layout(self) -> Layout:
        prompt = Window(
            BufferControl(self._buffer),
            get_line_prefix=_prefix,
            height=Dimension(min=1, max=_INPUT_ROWS),
            wrap_lines=True,
            dont_extend_height=True,
        )
        body = HSplit(
            [
                _shown_if(self._tail_text, style=""),
                Window(height=1),
                _shown_if(self._chips_text, style="class:chip"),
                prompt,
                Window(FormattedTextControl(self._status_text), height=1, style="class:status"),
            ]
        )
        return Layout(body, focused_element=prompt)

    def _tail_text(self) -> str:
        return self._scroll.tail

    def _chips_text(self) -> str:
        waiting = self._listener.waiting if self._listener is not None else ()
        width = max(20, self._output.get_size().columns - 26)
        held = held_sentence(waiting)
        lines = [
            waiting_line(each, width) for each in waiting if each.state is not WaitState.SAVING
        ]
        more = [f"and {len(lines) - _CHIPS} more: /held"] if len(lines) > _CHIPS else []
        return "\n".join([*lines[:_CHIPS], *more, *([held] if held else [])])

    def _status_text(self) -> StyleAndTextTuples:
        status = self._listener.status_line if self._listener is not None else ""
        hint = self._hint if self._clock() < self._hint_until else ""
        return [("", status or hint or _IDLE)]

    def _keys(self) -> KeyBindings:
        keys = KeyBindings()
        keys.add("enter")(self._on_enter)
        keys.add("escape", "enter")(_on_break)
        keys.add("c-c")(self._on_interrupt)
        keys.add("<sigint>")(self._on_interrupt)
        keys.add("c-d", filter=Condition(lambda: not self._buffer.text))(self._on_end)
        keys.add("c-z")(lambda event: event.app.suspend_to_background())
        return keys

    def _on_enter(self, _: KeyPressEvent) -> None:
        line = self._buffer.text
        if line.strip():
            self._buffer.append_to_history()
        self._buffer.reset()
        self._hint = ""
        assert self._listener is not None
        self._listener.typed(line)

    def _on_interrupt(self, _: KeyPressEvent) -> None:
        assert self._listener is not None
        if not self._listener.is_busy and self._buffer.text:
            self._buffer.append_to_history()  # ↑ brings it back: nothing typed is lost
            self._buffer.reset()
            return
        self._listener.stop_or_hint()

    def _on_end(self, _: KeyPressEvent) -> None:
        self.leave()


def _prefix(line: int, wrap: int) -> StyleAndTextTuples:
    return [("class:prompt", "> " if line == wrap == 0 else "  ")]


def _on_break(event: KeyPressEvent) -> None:
    event.current_buffer.insert_text("\n")


def _shown_if(text: Callable[[], str], style: str) -> ConditionalContainer:
    window = Window(
        FormattedTextControl(text), wrap_lines=True, dont_extend_height=True, style=style
    )
    return ConditionalContainer(window, filter=Condition(lambda: bool(text())))


def _make_output() -> Output:
    output = create_output()
    if isinstance(output, Vt100_Output):
        # The prompt follows the text: it need not know how far down the screen it stands, and a
        # terminal that never answers the question would be waited for.
        output.enable_cpr = False
    return output
