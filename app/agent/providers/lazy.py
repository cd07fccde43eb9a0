"""Something slow to make, made once on a daemon thread and waited for by whoever needs it first."""

import asyncio
from collections.abc import Callable
from concurrent.futures import Future
from typing import Generic, TypeVar

from app.system.threads import shared_executor

T = TypeVar("T")


class Lazy(Generic[T]):
    """Makes its value at the first `get`; one that failed is made anew at the next."""

    def __init__(self, make: Callable[[], T]) -> None:
        self._make = make
        self._made: Future[T] | None = None

    @property
    def value(self) -> T | None:
        """The value, if there is one yet."""
        made = self._made
        if made is None or not made.done() or made.cancelled() or made.exception() is not None:
            return None
        return made.result()

    async def get(self) -> T:
        """Wait for the value; a cancel leaves it to the next who asks."""
        made = self._made
        if made is None or made.cancelled() or (made.done() and made.exception() is not None):
            made = self._made = shared_executor().submit(self._make)
        return await asyncio.wrap_future(made)
