"""Partial sums that agree with adding up."""

from hypothesis import given
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from app.ui.transcript.fenwick import Fenwick

heights = st.integers(0, 500)


class FenwickAgreesWithAList(RuleBasedStateMachine):
    def __init__(self) -> None:
        super().__init__()
        self.tree = Fenwick()
        self.list: list[int] = []

    @rule(value=heights)
    def append(self, value: int) -> None:
        self.tree.append(value)
        self.list.append(value)

    @rule(at=st.integers(0, 100), value=heights)
    def change(self, at: int, value: int) -> None:
        if self.list:
            at %= len(self.list)
            assert self.tree.set(at, value) == value - self.list[at]
            self.list[at] = value

    @rule(length=st.integers(0, 100))
    def truncate(self, length: int) -> None:
        self.tree.truncate(length)
        del self.list[length:]

    @invariant()
    def sums_agree(self) -> None:
        assert len(self.tree) == len(self.list)
        assert self.tree.total == sum(self.list)
        for at in range(len(self.list)):
            assert self.tree.before(at) == sum(self.list[:at])


TestFenwickAgreesWithAList = FenwickAgreesWithAList.TestCase


@given(st.lists(heights, min_size=1), st.integers(-10, 5000))
def test_what_stands_at_a_position_is_found(values: list[int], position: int) -> None:
    tree = Fenwick(values)
    at, rest = tree.find(position)
    assert tree.before(at) + rest == max(0, position)
    if max(0, position) < sum(values):
        assert 0 <= rest < values[at]
    else:
        assert at == len(values) - 1
