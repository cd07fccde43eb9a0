"""Under which heading a conversation stands."""

from datetime import UTC, datetime

import pytest

from app.ui.sidebar.days import Day, day_of, grouped
from tests.ui.canned import DAY, NOW, conversations

NOON = datetime(2026, 3, 30, 12, tzinfo=UTC).astimezone().replace(hour=12).timestamp()


@pytest.mark.parametrize(
    ("age_s", "day"),
    [
        (0, Day.TODAY),
        (11.9 * 3600, Day.TODAY),
        (12.1 * 3600, Day.YESTERDAY),
        (1.4 * DAY, Day.YESTERDAY),
        (1.6 * DAY, Day.THIS_WEEK),
        (6.4 * DAY, Day.THIS_WEEK),
        (6.6 * DAY, Day.EARLIER),
        (400 * DAY, Day.EARLIER),
        (-60, Day.TODAY),
    ],
)
def test_calendar_days_decide(age_s: float, day: Day) -> None:
    assert day_of(NOON - age_s, NOON) is day


def test_groups_are_newest_first_and_lose_nobody() -> None:
    groups = list(grouped(reversed(conversations()), NOW))
    assert [c.id for _, members in groups for c in members] == [c.id for c in conversations()]
    assert [day for day, _ in groups] == list(Day)
