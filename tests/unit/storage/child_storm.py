"""A process to be killed: it works on a store and tells its parent what was acknowledged.

It imports everything once and forks for each round, so that a round costs milliseconds. A line
on stdin, `ROUND PATH`, starts one; on stdout come `ROUND pid PID`, then `ROUND order ID`, `ROUND
words ID COUNT` and `ROUND unsent ID STEP` for each promise, and `ROUND end` when the forked process
is gone.
"""

import os
import random
import sys
from dataclasses import replace
from itertools import count
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[3]))

import apsw

from app.core.errors import ProblemError
from app.core.events import Completed, Stopped, StopReason
from app.core.ids import MessageId
from app.core.messages import Draft, Ending, Intent, Order, text_parts
from app.storage.reply import Reply
from app.storage.store import SqliteStore
from tests.unit.storage.disks import FailingDisk
from tests.unit.storage.words import answer, asked, opening, order

BOUND_S = 60.0


def main() -> None:
    """Fork a round for each line."""
    for line in sys.stdin:
        number, path = line.split()
        child = os.fork()
        if child == 0:
            storm(int(number), Path(path))
        say(number, "pid", child)
        os.waitpid(child, 0)
        say(number, "end")


def say(*words: object) -> None:
    """Tell the parent, in one write."""
    os.write(1, (" ".join(map(str, words)) + "\n").encode())


def storm(number: int, path: Path) -> None:
    """Work until somebody kills this process."""
    chance = random.Random(number)
    disk = FailingDisk()
    store = SqliteStore(
        path, lease=f"round-{number}", live_leases=lambda: {"parent"}, vfs=disk.name
    )
    store.start().wait(BOUND_S)
    leaf: MessageId | None = None
    for step in count():
        # In every third round the disk fails now and then, and the side file has to do.
        is_failing = number % 3 == 0 and chance.random() < 0.4
        disk.error = apsw.FullError if is_failing else None
        leaf = turn(store, chance, number, step, leaf)


def turn(
    store: SqliteStore, chance: random.Random, number: int, step: int, leaf: MessageId | None
) -> MessageId | None:
    """Send, answer, end; promise by promise."""
    sent = order(f"question {step}", chat=f"chat-{number}", at=float(step))
    store.accept(sent, Intent.REDIRECT).wait(BOUND_S)
    say(number, "order", sent.id)
    if chance.random() < 0.2:
        return leaf  # it stays in the queue
    question = asked(sent, parent=leaf, at=float(step))
    opened = opening(question, epoch=step)
    store.begin_turn(opened)
    said = answer(question, at=float(step))
    store.open_message(said)
    text = "".join(f"{word} " for word in range(1 + chance.randrange(12)))
    for word in text.split():
        store.append_text(said.id, f"{word} ", reasoning=False)
    words = len(text.split())
    promise(store.flush(), number, "words", said.id, words)
    is_stopped = chance.random() < 0.3
    ending = Ending.STOPPED if is_stopped else Ending.COMPLETE
    outcome = Stopped(reason=StopReason.PERSON) if is_stopped else Completed()
    store.close_message(replace(said, parts=text_parts(text), ending=ending))
    promise(store.end_turn(opened.turn_id, outcome), number, "words", said.id, words)
    if chance.random() < 0.5:
        write(store, number, step, sent)
    return said.id


def write(store: SqliteStore, number: int, step: int, sent: Order) -> None:
    """Leave words in the composer, and others in a message that is being changed."""
    chat = sent.conversation_id
    store.save_draft(chat, Draft(text=f"draft {step}"))
    store.save_edit(chat, sent.id, f"edit {step}")
    promise(store.flush(), number, "unsent", sent.id, step)


def promise(saved: Reply[None], number: int, kind: str, about: MessageId, count: int) -> None:
    """Tell the parent that something is on disk, if it is."""
    try:
        saved.wait(BOUND_S)
    except ProblemError:
        return  # the disk fails: it stays in memory, and nothing is promised
    say(number, kind, about, count)


if __name__ == "__main__":
    main()
