"""Stands in for services that could not be built, so that the window never waits for nothing.

Lives on the agent loop. What is sent is held where it can be seen and copied; nothing is claimed
to be saved.
"""

import traceback
from collections.abc import Callable
from typing import Self

from app.core.commands import (
    Command,
    DiscardWaiting,
    PromoteWaiting,
    RestoreWaiting,
    SendHeld,
    Submit,
)
from app.core.errors import Problem, ProblemKind
from app.core.events import Event, QueueChanged, StorageTrouble
from app.core.ids import ConversationId
from app.core.messages import Waiting, WaitState
from app.system.redaction import redact


class NoDesk:
    """Answers every order with why there is nobody to take it."""

    def __init__(self, *, emit: Callable[[Event], None], problem: Problem) -> None:
        self._emit = emit
        self._problem = problem
        self._held: dict[ConversationId, tuple[Waiting, ...]] = {}

    @classmethod
    def for_want_of(cls, error: Exception, emit: Callable[[Event], None]) -> Self:
        """Stand in because of what went wrong while the services were built."""
        detail = redact("".join(traceback.format_exception(error)).strip())
        return cls(emit=emit, problem=Problem(kind=ProblemKind.INTERNAL, detail=detail))

    def open(self) -> None:
        """Say what is wrong."""
        self._emit(StorageTrouble(problem=self._problem))

    def handle(self, command: Command) -> None:
        """Hold what is sent; the rest needs services."""
        where = command.conversation_id
        held = self._held.get(where, ())
        match command:
            case Submit(order=order, intent=intent):
                held = (*held, Waiting(order=order, intent=intent, state=WaitState.HELD))
            case DiscardWaiting(message_ids=gone):
                held = tuple(waiting for waiting in held if waiting.order.id not in gone)
            case SendHeld() | PromoteWaiting() | RestoreWaiting():
                pass
            case _:
                return
        self._held[where] = held
        self._emit(QueueChanged(conversation_id=where, waiting=held))
        self.open()

    def live(self, conversation_id: ConversationId) -> None:
        """Say that no turn runs."""

    async def close(self) -> None:
        """End: there is nothing to end."""
