"""What a process that is gone left behind, made whole at the next start.

Only rows that name a dead lease are touched. Its open answers end as "Cut off: Belay closed", or
vanish if they had not said a word; its turns are closed; its queue stays and is held.
"""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import apsw

from app.core.errors import Problem, ProblemKind
from app.core.events import Stopped, StopReason
from app.core.messages import Ending, Message, ReasoningPart, TextPart
from app.storage import reads, writes
from app.storage.codec import encode_outcome
from app.storage.side_file import read_lines, set_aside


def open_leases(db: apsw.Connection) -> set[str]:
    """Tell which processes have answers or turns open."""
    rows = db.execute(
        "SELECT lease FROM messages WHERE lease IS NOT NULL"
        " UNION SELECT lease FROM turns WHERE ended_at IS NULL"
    )
    return {lease for (lease,) in rows}


def recover(db: apsw.Connection, dead: set[str], *, at: float) -> None:
    """Close what these processes left open; inside the caller's transaction."""
    for lease in dead:
        _close_messages(db, lease)
        # The conversation keeps its place in the list: nothing happened in it now.
        db.execute(
            "UPDATE turns SET ended_at = ?, outcome = ? WHERE ended_at IS NULL AND lease = ?",
            (at, encode_outcome(Stopped(reason=StopReason.QUIT)), lease),
        )


def absorb_side_files(
    db: apsw.Connection, files: list[Path], *, lease: str
) -> list[Callable[[], Problem | None]]:
    """Take in the orders that were saved aside; give what clears up, once it is committed."""
    finishers: list[Callable[[], Problem | None]] = []
    for side in files:
        saved, damaged = read_lines(side)
        for item in saved:
            writes.accept(db, item.order, item.intent, lease=lease, at=item.at)
        finishers.append(_finisher(side, has_damage=damaged > 0))
    return finishers


def _finisher(side: Path, *, has_damage: bool) -> Callable[[], Problem | None]:
    def finish() -> Problem | None:
        if not has_damage:
            side.unlink(missing_ok=True)
            return None
        kept = set_aside(side)
        return Problem(kind=ProblemKind.STORAGE_CORRUPT, params={"path": str(kept)})

    return finish


def _close_messages(db: apsw.Connection, lease: str) -> None:
    for message in reads.open_messages(db, lease):
        if _says_something(message):
            writes.put_message(db, replace(message, ending=Ending.BELAY_CLOSED), lease=lease)
        else:
            writes.remove_message(db, message)


def _says_something(message: Message) -> bool:
    return any(
        part.text if isinstance(part, TextPart | ReasoningPart) else True for part in message.parts
    )
