"""Which day a conversation belongs to in the list; pure."""

from collections.abc import Iterable, Iterator
from datetime import UTC, date, datetime
from enum import StrEnum
from itertools import groupby

from app.core.messages import Conversation


class Day(StrEnum):
    """The headings of the list, newest first."""

    TODAY = "Today"
    YESTERDAY = "Yesterday"
    THIS_WEEK = "This week"
    EARLIER = "Earlier"


def day_of(updated_at: float, now: float) -> Day:
    """Find the heading for a moment, by the calendar of this place."""
    days = (_date(now) - _date(updated_at)).days
    if days <= 0:
        return Day.TODAY
    if days == 1:
        return Day.YESTERDAY
    return Day.THIS_WEEK if days <= 6 else Day.EARLIER


def _date(moment: float) -> date:
    return datetime.fromtimestamp(moment, UTC).astimezone().date()


def grouped(
    conversations: Iterable[Conversation], now: float
) -> Iterator[tuple[Day, list[Conversation]]]:
    """Put a list that is newest first under its headings."""
    newest = sorted(conversations, key=lambda c: c.updated_at, reverse=True)
    for day, members in groupby(newest, key=lambda c: day_of(c.updated_at, now)):
        yield day, list(members)
