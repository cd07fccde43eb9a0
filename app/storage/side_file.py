"""The file that keeps accepted orders when the database cannot: one JSON line each, synced.

Every process writes its own, named after its lease, so that nobody removes a line that another
is just adding. What a dead process left is absorbed at the next start; the order's id makes sure
that it happens once.
"""

import contextlib
import glob
import json
import os
import threading
from dataclasses import astuple, dataclass
from math import isfinite
from pathlib import Path
from secrets import token_hex
from typing import Any
from urllib.parse import quote

import apsw

from app.core.errors import Problem, ProblemKind
from app.core.ids import ConversationId, MessageId
from app.core.messages import Intent, Order, OrderKind, Origin
from app.storage import writes
from app.storage.codec import decode_parts, encode_parts
from app.storage.jobs import Acceptance
from app.storage.problems import is_hopeless
from app.storage.unsent import UnsentWords
from app.system.files import append_durably, sync_folder

_SUFFIX = ".jsonl"


@dataclass(frozen=True, slots=True, kw_only=True)
class Saved:
    """An order as the side file kept it."""

    order: Order
    intent: Intent
    at: float


class SideFile:
    """This process's own side file. Any thread."""

    def __init__(self, database: Path, lease: str) -> None:
        self.path = database.with_name(_prefix(database, lease) + token_hex(4) + _SUFFIX)
        self._lock = threading.Lock()
        self._kept: set[MessageId] = set()

    def keep(self, acceptance: Acceptance) -> None:
        """Put an order on disk, unless the database has it by now; raises OSError."""
        with self._lock:
            if acceptance.needs_side_file and acceptance.order.id not in self._kept:
                self._append(_line(acceptance))
                self._kept.add(acceptance.order.id)
        acceptance.saved_aside()

    def keep_unsent(self, words: list[UnsentWords]) -> None:
        """Put what stands unsent on disk, at the end of everything; raises OSError."""
        newest = {(each.conversation, each.message): each for each in words}
        with self._lock:
            for each in newest.values():
                self._append(_as_line(each.to_plain()))

    def _append(self, line: str) -> None:
        size = self.path.stat().st_size if self.path.exists() else 0
        try:
            append_durably(self.path, line)
        except OSError:
            # Half a line would spoil the next, and a whole one would come back unannounced.
            with contextlib.suppress(OSError):
                os.truncate(self.path, size)
            raise

    def forget(self, committed: set[MessageId]) -> None:
        """Remove the file once the database has all that it keeps; raises OSError."""
        with self._lock:
            if self._kept and self._kept <= committed:
                self.path.unlink(missing_ok=True)
                self._kept.clear()
            else:
                self._kept -= committed


def abandoned_files(database: Path, alive: set[str], own: Path) -> list[Path]:
    """Find the side files that no living process will absorb itself."""
    owned = tuple(_prefix(database, lease) for lease in alive)
    found = database.parent.glob(f"{glob.escape(database.name)}.unsaved-*{_SUFFIX}")
    return sorted(path for path in found if path != own and not path.name.startswith(owned))


def _prefix(database: Path, lease: str) -> str:
    # The dot ends the lease's name: no other lease's file begins the same way.
    return f"{database.name}.unsaved-{quote(lease, safe='').replace('.', '%2E')}."


def absorb(db: apsw.Connection, file: Path, *, lease: str) -> bool:
    """Take in what a side file keeps; False if not all of it makes sense.

    Inside the caller's transaction; `clear_up` follows once that is committed.
    """
    saved, damaged = read_lines(file)
    for item in saved:
        try:
            with db:
                _take_in(db, item, lease)
        except apsw.Error as exc:
            if not is_hopeless(exc):
                raise
            damaged += 1
    return damaged == 0


def _take_in(db: apsw.Connection, item: "Saved | UnsentWords", lease: str) -> None:
    if isinstance(item, UnsentWords):
        item.absorb(db)
    else:
        writes.accept(db, item.order, item.intent, lease=lease, at=item.at)


def clear_up(file: Path, *, is_whole: bool) -> Problem | None:
    """Remove a file that was absorbed; one that is damaged is kept, and told."""
    try:
        if is_whole:
            file.unlink()
            return None
        kept = _set_aside(file)
    except FileNotFoundError:  # another process absorbed it too: the ids make that harmless
        return None
    return Problem(kind=ProblemKind.STORAGE_CORRUPT, params={"path": str(kept)})


def read_lines(file: Path) -> tuple[list[Saved | UnsentWords], int]:
    """Read what a side file keeps, and count the lines that cannot be read."""
    saved: list[Saved | UnsentWords] = []
    damaged = 0
    for line in filter(None, _lines(file)):
        try:
            saved.append(_saved(json.loads(line)))
        except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
            damaged += 1
    return saved, damaged


def _lines(file: Path) -> list[bytes]:
    try:
        return file.read_bytes().splitlines()
    except FileNotFoundError:
        return []


def _set_aside(file: Path) -> Path:
    number = 0
    while (kept := file.with_suffix(f".damaged{number or ''}")).exists():
        number += 1
    file.rename(kept)
    sync_folder(file.parent)
    return kept


def _line(acceptance: Acceptance) -> str:
    order = acceptance.order
    plain = {
        "version": 1,
        "id": order.id,
        "conversation": order.conversation_id,
        "kind": order.kind.value,
        "parts": encode_parts(order.parts),
        "target": order.target,
        "origin": order.origin.value,
        "created_at": order.created_at,
        "intent": acceptance.intent.value,
        "at": acceptance.at,
    }
    return _as_line(plain)


def _as_line(plain: dict[str, Any]) -> str:
    return "\n" + json.dumps(plain) + "\n"  # whatever stands before it ends with a line of its own


def _saved(plain: dict[str, Any]) -> Saved | UnsentWords:
    if "unsent" in plain:
        return UnsentWords.from_plain(plain["unsent"])
    order = Order(
        id=MessageId(_id(plain["id"])),
        conversation_id=ConversationId(_id(plain["conversation"])),
        kind=OrderKind(plain["kind"]),
        parts=decode_parts(plain["parts"]),
        target=None if plain["target"] is None else MessageId(_id(plain["target"])),
        origin=Origin(plain["origin"]),
        created_at=_time(plain["created_at"]),
    )
    if any(not isinstance(value, str | bool) for part in order.parts for value in astuple(part)):
        raise ValueError("not the parts of a message")
    return Saved(order=order, intent=Intent(plain["intent"]), at=_time(plain["at"]))


def _id(value: object) -> str:
    if not isinstance(value, str) or not value or not value.isprintable():
        raise ValueError("not an id")
    return value


def _time(value: object) -> float:
    if not isinstance(value, int | float) or not isfinite(value):
        raise ValueError("not a time")
    return float(value)
