"""Another process on the same database, doing what it is told on stdin and answering each line.

lock            take the write lock            → done
unlock          let go of it                   → done
accept CHAT N   accept N orders, one by one    → done
answer CHAT     open a turn and say one word   → done
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[3]))

import apsw

from app.core.messages import Intent
from app.storage.store import SqliteStore
from tests.unit.storage.words import answer, asked, opening, order

BOUND_S = 60.0


class Neighbour:
    """What can be asked of this process."""

    def __init__(self, path: str) -> None:
        self._store = SqliteStore(
            Path(path), lease="neighbour", live_leases=lambda: {"neighbour", "this-process"}
        )
        self._store.start().wait(BOUND_S)
        self._plain = apsw.Connection(path)

    def lock(self) -> None:
        """Take the write lock."""
        self._plain.execute("BEGIN IMMEDIATE")

    def unlock(self) -> None:
        """Let go of it."""
        self._plain.execute("ROLLBACK")

    def accept(self, chat: str, number: str) -> None:
        """Accept orders, one by one."""
        for each in range(int(number)):
            sent = order(f"from the neighbour {each}", id=f"neighbour-{each}", chat=chat)
            self._store.accept(sent, Intent.QUEUE).wait(BOUND_S)

    def answer(self, chat: str) -> None:
        """Open a turn and say one word."""
        question = asked(order("Hello", id="asked-next-door", chat=chat))
        said = answer(question, id="said-next-door")
        self._store.begin_turn(opening(question))
        self._store.open_message(said)
        self._store.append_text(said.id, "word", reasoning=False)
        self._store.flush().wait(BOUND_S)


if __name__ == "__main__":
    neighbour = Neighbour(sys.argv[1])
    sys.stdout.write("done\n")
    sys.stdout.flush()
    for line in sys.stdin:
        name, *args = line.split()
        getattr(neighbour, name)(*args)
        sys.stdout.write("done\n")
        sys.stdout.flush()
