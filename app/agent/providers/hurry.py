"""A wait that the person may end early: [Now] beside "Again in 4 s". On the agent loop."""

import asyncio

from app.core.tokens import CancelToken


class Hurry:
    """Waits, until the time is up, somebody is in a hurry, or the token is cancelled."""

    def __init__(self) -> None:
        self._now: asyncio.Event | None = None

    def now(self) -> None:
        """End the wait under way, if there is one; a later one is not touched."""
        if self._now is not None:
            self._now.set()

    async def wait(self, token: CancelToken, seconds: float) -> None:
        """Wait this long at most; raises Cancelled."""
        self._now = now = asyncio.Event()
        try:
            await token.run(_until(now, seconds))
        finally:
            self._now = None


async def _until(now: asyncio.Event, seconds: float) -> None:
    try:
        async with asyncio.timeout(seconds):
            await now.wait()
    except TimeoutError:
        return
