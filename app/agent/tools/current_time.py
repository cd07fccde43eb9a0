"""Tells the model what time it is."""

from collections.abc import Callable, Mapping
from datetime import datetime, tzinfo
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from app.agent.provider import ToolSpec
from app.agent.tools.tool import Output, ToolFailed
from app.core.tokens import CancelToken

Now = Callable[[tzinfo | None], datetime]


def _local_now(zone: tzinfo | None) -> datetime:
    return datetime.now(zone).astimezone(zone)


class CurrentTime:
    """Says the date and the time, here or in a named time zone."""

    def __init__(self, now: Now = _local_now) -> None:
        self._now = now

    @property
    def spec(self) -> ToolSpec:
        """Describe it to the model."""
        return ToolSpec(
            name="current_time",
            description="Tell the current date and time.",
            parameters={
                "type": "object",
                "properties": {
                    "timezone": {
                        "type": "string",
                        "description": "IANA name such as Asia/Tokyo; the person's own if left out",
                    }
                },
            },
        )

    async def run(self, arguments: Mapping[str, Any], token: CancelToken, output: Output) -> str:
        """Return the time in words that a model reads well."""
        del token, output
        zone = _zone(str(arguments.get("timezone") or ""))
        return self._now(zone).strftime("%A %d %B %Y, %H:%M:%S %Z (UTC%z)")


def _zone(name: str) -> tzinfo | None:
    if not name:
        return None
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError) as error:
        raise ToolFailed(f"There is no time zone named {name}.") from error
