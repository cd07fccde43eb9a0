"""Merges the words of running answers, so that the window hears of them 30 times a second.

Lives on the agent loop. The first words of a pause go out at once; what follows within 33 ms goes
out together. Any other event first lets out what waits, so the order of events is kept.
"""

import asyncio
from collections.abc import Callable
from dataclasses import replace

from app.core.events import Event, ReasoningDelta, TextDelta
from app.core.ids import ConversationId

INTERVAL_S = 0.033

Delta = TextDelta | ReasoningDelta


class DeltaMerger:
    """Passes events on, deltas merged."""

    def __init__(
        self,
        *,
        loop: asyncio.AbstractEventLoop,
        forward: Callable[[Event], None],
        interval_s: float = INTERVAL_S,
    ) -> None:
        self._loop = loop
        self._forward = forward
        self._interval_s = interval_s
        self._waiting: list[Delta] = []
        self._timer: asyncio.TimerHandle | None = None

    def take(self, event: Event) -> None:
        """Pass an event on, now or with the next tick."""
        if not isinstance(event, TextDelta | ReasoningDelta):
            self.flush()
            self._forward(event)
        elif self._timer is None:
            self._forward(event)
            self._timer = self._loop.call_later(self._interval_s, self._tick)
        else:
            self._waiting.append(event)

    def flush(self) -> None:
        """Let out what waits, one event for each run of deltas of one message."""
        waiting, self._waiting = self._waiting, []
        for run in _runs(waiting):
            self._forward(replace(run[0], text="".join(delta.text for delta in run)))

    def _tick(self) -> None:
        self._timer = None
        if self._waiting:
            self.flush()
            self._timer = self._loop.call_later(self._interval_s, self._tick)


def _runs(deltas: list[Delta]) -> list[list[Delta]]:
    """Group what belongs together; conversations that stream at once do not break each other up."""
    runs: list[list[Delta]] = []
    last: dict[ConversationId, list[Delta]] = {}
    for delta in deltas:
        run = last.get(delta.conversation_id)
        if run is not None and _continues(run[0], delta):
            run.append(delta)
        else:
            last[delta.conversation_id] = [delta]
            runs.append(last[delta.conversation_id])
    return runs


def _continues(first: Delta, second: Delta) -> bool:
    return type(first) is type(second) and first.message_id == second.message_id
