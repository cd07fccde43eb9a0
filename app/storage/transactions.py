"""Transactions as `with` blocks; never held across anything that waits."""

from collections.abc import Iterator
from contextlib import contextmanager

import apsw


@contextmanager
def transaction(db: apsw.Connection) -> Iterator[None]:
    """Commit what is done inside, or none of it."""
    db.execute("BEGIN IMMEDIATE")
    try:
        yield
        db.execute("COMMIT")
    finally:
        if db.in_transaction:
            db.execute("ROLLBACK")


@contextmanager
def snapshot(db: apsw.Connection) -> Iterator[None]:
    """Let several questions see one and the same state."""
    db.execute("BEGIN")
    try:
        yield
    finally:
        if db.in_transaction:
            db.execute("ROLLBACK")
