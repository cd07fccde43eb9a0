"""What a process that is gone left open, made whole.

Only rows that name a dead lease are touched. Its open answers end as "Cut off: Belay closed", or
vanish if they had not said a word; its turns are closed; its queue stays, to be held.
"""

from dataclasses import replace

import apsw

from app.core.events import Stopped, StopReason
from app.core.messages import Ending, Message, ReasoningPart, TextPart
from app.storage import reads, writes
from app.storage.codec import encode_outcome


def open_leases(db: apsw.Connection) -> set[str]:
    """Tell which processes have answers or turns open."""
    rows = db.execute(
        "SELECT lease FROM messages WHERE lease IS NOT NULL"
        " UNION SELECT lease FROM turns WHERE ended_at IS NULL"
    )
    return {str(lease) for (lease,) in rows}


def recover(db: apsw.Connection, dead: set[str], *, at: float) -> None:
    """Close what these processes left open; inside the caller's transaction."""
    for lease in dead:
        _close_messages(db, lease)
        # The conversation keeps its place in the list: nothing happened in it now.
        db.execute(
            "UPDATE turns SET ended_at = ?, outcome = ? WHERE ended_at IS NULL AND lease = ?",
            (at, encode_outcome(Stopped(reason=StopReason.QUIT)), lease),
        )


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
