"""Scrolling by anchors: what is being read does not move unless the reader moves it."""

import itertools
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.ui.transcript.fenwick import Fenwick
from app.ui.transcript.flow import STICK_PX, Flow, Placed

WINDOW = 600


class Rows:
    """Rows whose true heights are known only once they are measured."""

    def __init__(self, true: list[int], guess: int) -> None:
        self.true = true
        self.heights = Fenwick([guess] * len(true))
        self.measured: set[int] = set()

    @property
    def extent(self) -> int:
        return self.heights.total

    @property
    def count(self) -> int:
        return len(self.true)

    def measure(self, row: int) -> int:
        self.measured.add(row)
        self.heights.set(row, self.true[row])
        return self.true[row]

    def before(self, row: int) -> int:
        return self.heights.before(row)

    def find(self, y: int) -> tuple[int, int]:
        return self.heights.find(y)

    def grow(self, height: int) -> None:
        self.true.append(height)
        self.heights.append(height)


def flow_of(items: list[Rows]) -> Flow:
    flow = Flow(tail=20)
    flow.window = WINDOW
    flow.reset(items)
    return flow


def many(count: int = 300, seed: int = 1) -> list[Rows]:
    rng = random.Random(seed)
    return [
        Rows([rng.randrange(1, 400) for _ in range(rng.randrange(1, 8))], guess=100)
        for _ in range(count)
    ]


def tops(placed: list[Placed]) -> dict[tuple[int, int], int]:
    return {(p.item, p.row): p.top for p in placed}


def is_gapless(placed: list[Placed]) -> bool:
    return all(a.top + a.extent == b.top for a, b in itertools.pairwise(placed))


def test_opening_shows_the_end_and_measures_only_what_is_seen() -> None:
    items = many()
    placed = flow_of(items).place()
    last = placed[-1]
    assert (last.item, last.row) == (len(items) - 1, items[-1].count - 1)
    assert last.top + last.extent + 20 == WINDOW
    assert sum(len(item.measured) for item in items) < 40


@given(st.lists(st.integers(-1500, 1500), min_size=1, max_size=30))
def test_short_scrolls_move_everything_by_exactly_that_much(steps: list[int]) -> None:
    flow = flow_of(many())
    flow.scroll_to(flow.total // 2)
    for step in steps:
        before = tops(flow.place())
        flow.scroll_by(step)
        placed = flow.place()
        after = tops(placed)
        assert is_gapless(placed)
        assert placed[0].top <= 0
        for row in before.keys() & after.keys():
            assert before[row] - after[row] == step


@given(st.integers(0, 100), st.lists(st.integers(0, 300), max_size=20))
def test_scrolling_anywhere_never_leaves_the_column(seed: int, jumps: list[int]) -> None:
    flow = flow_of(many(40, seed))
    for jump in jumps:
        flow.scroll_to(flow.limit * jump // 200)
        placed = flow.place()
        assert is_gapless(placed)
        assert placed[0].top <= 0
        assert 0 <= flow.y <= flow.limit
        assert placed[-1].top + placed[-1].extent + flow.tail >= WINDOW


def test_scrolling_to_the_very_top_shows_the_first_row_at_its_beginning() -> None:
    flow = flow_of(many())
    flow.scroll_to(0)
    first = flow.place()[0]
    assert (first.item, first.row, first.top) == (0, 0, 0)
    assert flow.y == 0


def test_at_the_end_new_rows_keep_the_end_in_sight() -> None:
    items = many()
    flow = flow_of(items)
    flow.place()
    for _ in range(50):
        items[-1].grow(37)
        flow.resized(len(items) - 1)
        last = flow.place()[-1]
        assert last.row == items[-1].count - 1
        assert last.top + last.extent + 20 == WINDOW


def test_scrolled_up_new_rows_do_not_move_the_reader() -> None:
    items = many()
    flow = flow_of(items)
    flow.place()
    flow.scroll_by(-STICK_PX - 1)
    before = tops(flow.place())
    for _ in range(50):
        items[-1].grow(37)
        flow.resized(len(items) - 1)
    assert tops(flow.place()).items() >= {k: v for k, v in before.items() if v < 400}.items()
    assert not flow.is_stuck


@pytest.mark.parametrize(("distance", "sticks"), [(STICK_PX, True), (STICK_PX + 1, False)])
def test_only_close_to_the_end_does_it_stick(distance: int, sticks: bool) -> None:
    flow = flow_of(many())
    flow.place()
    flow.scroll_by(-distance)
    assert flow.is_stuck is sticks


def test_message_above_turning_out_higher_does_not_move_the_reader() -> None:
    items = many()
    flow = flow_of(items)
    flow.scroll_to(flow.total // 2)
    before = tops(flow.place())
    above = items[flow.anchor.item - 3]
    above.true = [height + 500 for height in above.true]
    for row in range(above.count):
        above.measure(row)
    flow.resized(flow.anchor.item - 3)
    assert tops(flow.place()) == before


def test_short_conversation_starts_at_the_top_and_cannot_scroll() -> None:
    flow = flow_of([Rows([50, 60], guess=10)])
    assert tops(flow.place()) == {(0, 0): 0, (0, 1): 50}
    flow.scroll_by(300)
    assert tops(flow.place()) == {(0, 0): 0, (0, 1): 50}
    assert flow.limit == 0


def test_revealing_a_row_brings_it_into_the_window() -> None:
    flow = flow_of(many())
    flow.place()
    flow.reveal(40, 0, 5, 25)
    assert 0 <= tops(flow.place())[40, 0] + 5 < WINDOW


def test_revealing_what_is_in_sight_moves_nothing() -> None:
    flow = flow_of(many())
    flow.scroll_to(flow.total // 2)
    before = flow.place()
    middle = before[len(before) // 2]
    flow.reveal(middle.item, middle.row, 0, 10)
    assert flow.place() == before


def test_replacing_the_last_messages_keeps_the_place_above_them() -> None:
    items = many()
    flow = flow_of(items)
    flow.scroll_to(flow.total // 2)
    before = tops(flow.place())
    items[250:] = many(90, seed=5)
    flow.splice(items, 250)
    assert tops(flow.place()) == before
    assert flow.total == sum(item.extent for item in items) + 20
