"""The list of conversations as the sidebar shows it, with what each is doing.

Lives on the agent loop. However often it is asked to refresh, one query runs at a time, and one
more behind it if something changed meanwhile.
"""

import asyncio
import logging
from collections.abc import Callable
from dataclasses import replace

from app.core.errors import ProblemError
from app.core.events import ConversationsChanged, Event, StorageTrouble
from app.core.ids import ConversationId
from app.core.messages import Conversation, Mark
from app.core.ports import Store

log = logging.getLogger(__name__)


class Listing:
    """Knows the stored conversations and tells them with their marks."""

    def __init__(
        self,
        *,
        store: Store,
        mark: Callable[[ConversationId], Mark | None],
        emit: Callable[[Event], None],
    ) -> None:
        self._store = store
        self._mark = mark
        self._emit = emit
        self._conversations: tuple[Conversation, ...] = ()
        self._told: tuple[Conversation, ...] | None = None
        self._query: asyncio.Task[None] | None = None
        self._stale = False
        self._is_closed = False

    def close(self) -> None:
        """Ask no more: the disk is about to close, and that is no trouble to tell of."""
        self._is_closed = True

    def refresh(self) -> None:
        """Ask the disk again, then tell."""
        if self._is_closed:
            return
        self._stale = True
        if self._query is None:
            self._query = asyncio.get_running_loop().create_task(self._ask(), name="list")

    def remark(self) -> None:
        """Tell the list again if a mark changed."""
        marked = tuple(self._marked(each) for each in self._conversations)
        if marked != self._told:
            self._told = marked
            self._emit(ConversationsChanged(conversations=marked))

    def _marked(self, conversation: Conversation) -> Conversation:
        mark = self._mark(conversation.id)
        return conversation if mark is None else replace(conversation, mark=mark)

    async def _ask(self) -> None:
        try:
            while self._stale and not self._is_closed:
                self._stale = False
                self._conversations = await self._store.conversations()
                self.remark()
        except ProblemError as error:
            log.warning("the list could not be read: %s", error.problem.kind)
            self._emit(StorageTrouble(problem=error.problem))
        finally:
            self._query = None
