"""Tables: cells from source, widths for columns, positions between text and paper."""

from hypothesis import given
from hypothesis import strategies as st

from app.ui.transcript.positions import PositionMap
from app.ui.transcript.tables import Align, read, share_out

widths = st.lists(st.integers(20, 600), min_size=1, max_size=8)


def test_cells_and_sides_are_read() -> None:
    grid = read("| a | b\\|c | d |\n|:-:|--:|---|\n| 1 | `x\\|y` |", None)
    assert grid.rows == (("a", "b|c", "d"), ("1", "`x|y`", ""))
    assert grid.aligns == (Align.CENTRE, Align.RIGHT, Align.LEFT)


def test_table_cut_in_two_keeps_its_columns() -> None:
    head = read("| a | b |\n|---|--:|\n| 1 | 2 |", None)
    rest = read("| 3 | 4 | 5 |\n| 6 |", head)
    assert rest.rows == (("3", "4"), ("6", ""))
    assert rest.aligns == head.aligns
    assert not rest.has_head


@given(widths, st.integers(200, 800))
def test_columns_fill_the_width_and_never_break_a_word(natural: list[int], width: int) -> None:
    least = [one // 2 for one in natural]
    shares = share_out(width, natural, least)
    assert all(share >= small for share, small in zip(shares, least, strict=True))
    if sum(least) < width:
        assert width - len(natural) <= sum(shares) <= width


def test_positions_between_cells_belong_to_the_cell_before() -> None:
    found = PositionMap()
    found.add(0, 2, 3)  # "abc"
    found.add(4, 8, 2)  # "de"
    assert [found.to_paper(at) for at in range(7)] == [2, 3, 4, 5, 8, 9, 10]
    assert [found.to_text(at) for at in range(11)] == [0, 0, 0, 1, 2, 3, 3, 3, 4, 5, 6]
    assert found.pieces(1, 5) == [(3, 5), (8, 9)]
