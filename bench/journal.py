"""What the model said: from the loop's hand to the disk, while several answers stream.

    python -m bench.journal [--quick]

Each sample is the oldest word of one commit. It also says what it consists of: the wait for the
tick, which is meant, being woken late, which is the machine's load, and the transaction, which is
the disk.
"""

import sys
import tempfile
import threading
import time
from pathlib import Path

import apsw

from app.core.ids import MessageId
from app.storage import writes
from app.storage.jobs import Text
from app.storage.store import SqliteStore
from app.storage.thread import TICK_S
from bench.harness import PATIENCE_S, Figure, report, spread
from tests.unit.storage.words import answer, asked, opening, order

PROMISED_MS = 250.0
STREAMS = 3
WORD_EVERY_S = 0.02


class TimedText(Text):
    """Words that know when they were taken up and when they were safe."""

    def __init__(self, message_id: MessageId, text: str) -> None:
        super().__init__(message_id, text, reasoning=False)
        self.change = self._timed
        self.taken_s = self.safe_s = 0.0

    def _timed(self, db: apsw.Connection) -> None:
        self.taken_s = time.monotonic() - self.posted_at
        writes.append_text(db, self.message_id, "".join(self.texts), reasoning=False)

    def committed(self) -> None:
        """Note that they are safe."""
        self.safe_s = time.monotonic() - self.posted_at


def stream(store: SqliteStore, seconds: float) -> list[TimedText]:
    """Let several answers come in for a while."""
    answers = []
    for number in range(STREAMS):
        question = asked(order("Hello", chat=f"chat-{number}"))
        answers.append(answer(question))
        store.begin_turn(opening(question))
        store.open_message(answers[-1])
    store.flush().wait(PATIENCE_S)
    said, until, pause = [], time.monotonic() + seconds, threading.Event()
    while time.monotonic() < until:
        for each in answers:
            said.append(TimedText(each.id, "word "))
            store._post(said[-1])
        pause.wait(WORD_EVERY_S)
    store.flush().wait(PATIENCE_S)
    return [text for text in said if text.safe_s]  # the rest was joined to these


def run(*, quick: bool = False) -> list[Figure]:
    """Measure one stretch of streaming."""
    with tempfile.TemporaryDirectory() as folder:
        store = SqliteStore(Path(folder) / "a.db", lease="bench", live_leases=lambda: {"bench"})
        store.start().wait(PATIENCE_S)
        said = stream(store, 3.0 if quick else 30.0)
        store.close(PATIENCE_S)
    return [
        *spread("text to disk", [text.safe_s for text in said], p99_ms=PROMISED_MS),
        *spread("of it, woken late", [max(text.taken_s - TICK_S, 0.0) for text in said]),
        *spread("of it, the transaction", [text.safe_s - text.taken_s for text in said]),
    ]


if __name__ == "__main__":
    sys.exit(report("journal", run(quick="--quick" in sys.argv)))
