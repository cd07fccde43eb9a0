"""What is asked of the storage thread: reads, and writes that stay until they are on disk."""

import threading
from collections.abc import Callable
from enum import Enum
from typing import Any, Generic, TypeVar

import apsw

from app.core.errors import Problem
from app.core.ids import MessageId
from app.core.messages import Intent, Order
from app.storage import writes
from app.storage.reply import Reply
from app.storage.unsent import UnsentWords

T = TypeVar("T")
Change = Callable[[apsw.Connection], None]

PATIENCE_S = 2.0  # how long a write may wait for another process before somebody is told


class Read(Generic[T]):
    """A question; it sees every write asked for before it."""

    def __init__(self, ask: Callable[[apsw.Connection], T]) -> None:
        self.ask = ask
        self.reply: Reply[T] = Reply()

    def carry_out(self, db: apsw.Connection) -> None:
        """Answer it."""
        self.reply.resolve(self.ask(db))

    def fail(self, problem: Problem) -> None:
        """Say why it cannot be answered."""
        self.reply.fail(problem)


class Write:
    """A change nobody waits for: it is tried again until it is on disk."""

    is_urgent = False  # the next tick is soon enough

    def __init__(self, change: Change) -> None:
        self.change = change
        self.posted_at = 0.0

    def claim(self) -> bool:
        """Take it into a transaction; False if it is not wanted any more."""
        return True

    def committed(self) -> None:
        """It is on disk."""

    def failed(self, problem: Problem, *, is_final: bool) -> bool:  # noqa: ARG002
        """Its transaction failed; say whether to keep it for the next."""
        return True


class Unsent(Write):
    """Words that stand unsent; should the database not take them to the end, they go aside."""

    def __init__(self, change: Change, words: UnsentWords) -> None:
        super().__init__(change)
        self.words = words


class Text(Write):
    """More of an open answer; what follows is joined to it while it waits."""

    def __init__(self, message_id: MessageId, text: str, *, reasoning: bool) -> None:
        super().__init__(self._append)
        self.message_id = message_id
        self.reasoning = reasoning
        self.texts = [text]

    def join(self, later: "Text") -> bool:
        """Take in what the same answer says next, if it is of the same kind."""
        is_alike = later.reasoning == self.reasoning
        if is_alike:
            self.texts += later.texts
        return is_alike

    def _append(self, db: apsw.Connection) -> None:
        text = "".join(self.texts)
        writes.append_text(db, self.message_id, text, reasoning=self.reasoning)


class Request(Write):
    """A change somebody waits for.

    With `keep`, it is a fact that must get on disk even after they were told that it could not.
    """

    is_urgent = True

    def __init__(self, change: Change, *, keep: bool) -> None:
        super().__init__(change)
        self.reply: Reply[None] = Reply()
        self._keep = keep

    def committed(self) -> None:
        """Tell whoever waits."""
        self.reply.resolve(None)

    def failed(self, problem: Problem, *, is_final: bool) -> bool:
        """Tell whoever waits, once there is nothing to hope for."""
        if not is_final:
            return True
        self.reply.fail(problem)
        return self._keep


class _State(Enum):
    WAITING = 1
    CLAIMED = 2  # inside a transaction that may still commit
    COMMITTED = 3
    WITHDRAWN = 4


class Acceptance(Write):
    """An order on its way to disk: into the database or, failing that, the side file.

    The storage thread and the side file's thread both work on it. Whoever waits is told yes by
    the first that succeeds, and no only when neither can: then it is withdrawn for good.
    """

    is_urgent = True

    def __init__(self, order: Order, intent: Intent, change: Change, *, at: float) -> None:
        super().__init__(change)
        self.order = order
        self.intent = intent
        self.at = at
        self.reply: Reply[None] = Reply()
        self.hurry: Callable[[], None] = lambda: None
        self._lock = threading.Lock()
        self._state = _State.WAITING
        self._side_problem: Problem | None = None

    @property
    def needs_side_file(self) -> bool:
        """Say whether the database has neither taken nor lost it."""
        return self._state in (_State.WAITING, _State.CLAIMED)

    def claim(self) -> bool:
        """Take it into a transaction, unless it was withdrawn."""
        with self._lock:
            if self._state is _State.WITHDRAWN:
                return False
            self._state = _State.CLAIMED
            return True

    def committed(self) -> None:
        """It is in the database."""
        with self._lock:
            self._state = _State.COMMITTED
        self.reply.resolve(None)

    def failed(self, problem: Problem, *, is_final: bool) -> bool:  # noqa: ARG002
        """Call for the side file, or withdraw it if that failed already."""
        with self._lock:
            self._state = _State.WAITING
        if self._side_problem is not None:
            self._withdraw(self._side_problem)
        elif is_final and not self.reply.is_settled:
            self.hurry()
        return self._state is not _State.WITHDRAWN

    def saved_aside(self) -> None:
        """It is in the side file, which counts; the database still has to take it."""
        self.reply.resolve(None)

    def side_file_failed(self, problem: Problem) -> None:
        """Withdraw it, unless a transaction that may still commit has it."""
        self._side_problem = problem
        self._withdraw(problem)

    def _withdraw(self, problem: Problem) -> None:
        with self._lock:
            if self._state is not _State.WAITING:
                return
            self._state = _State.WITHDRAWN
        self.reply.fail(problem)


Job = Read[Any] | Write
