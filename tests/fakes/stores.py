"""A real store on a temporary path: fast enough that no test needs a fake one."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from app.storage.store import SqliteStore

BOUND_S = 20.0


@contextmanager
def open_store(
    path: Path,
    *,
    lease: str = "this-process",
    live_leases: Callable[[], set[str]] = lambda: {"this-process"},
    **options: Any,
) -> Iterator[SqliteStore]:
    """Open a store for the length of a `with` block."""
    store = SqliteStore(path, lease=lease, live_leases=live_leases, **options)
    store.start().wait(BOUND_S)
    try:
        yield store
    finally:
        assert store.close(BOUND_S), "the store could not save everything"
