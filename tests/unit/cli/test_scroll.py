"""What scrolls up: whole rows of prose, whole lines of code, nothing twice and nothing lost."""

import re

from hypothesis import given
from hypothesis import strategies as st

from app.cli.chat.scroll import Scroll


def scroll(columns: int = 20) -> Scroll:
    return Scroll(columns=lambda: columns)


def plain(text: str) -> str:
    return re.sub(r"\x1b\[\d+m", "", text)


def test_an_open_line_stays_until_it_is_whole() -> None:
    paper = scroll()
    paper.write("first\nsec")
    assert (paper.take(rows=5), paper.tail) == ("first\n", "sec")
    paper.write("ond")
    assert (paper.take(rows=5), paper.tail) == ("", "second")
    paper.end_line()
    assert (paper.take(rows=5), paper.tail) == ("second\n", "")


def test_prose_is_broken_between_words_and_code_is_not() -> None:
    paper = scroll()
    paper.write("one two three four five six\n```\none two three four five six\n```\n")
    assert paper.take(rows=5) == (
        "one two three four\nfive six\n```\none two three four five six\n```\n"
    )


def test_what_has_no_spaces_is_left_whole() -> None:
    paper = scroll()
    address = "https://example.org/a/very/long/path"
    paper.write(f"see {address} now\n")
    assert paper.take(rows=5) == f"see\n{address}\nnow\n"


def test_a_line_taller_than_the_screen_goes_up_in_part() -> None:
    paper = scroll(columns=10)
    paper.write("x" * 100)
    up = paper.take(rows=4)
    assert up == "x" * 20 + "\n"
    assert paper.tail == "x" * 80


def test_a_question_is_set_off_from_what_was_said() -> None:
    paper = scroll()
    paper.question("Hi")
    paper.write("Hello")
    paper.question("two\nlines")
    assert plain(paper.take(rows=5)) == "> Hi\nHello\n\n> two\n  lines\n"


def test_a_remark_is_broken_between_words_too() -> None:
    paper = scroll()
    paper.remark("Stopped · connections closed", is_trouble=False)
    assert plain(paper.take(rows=5)) == "Stopped ·\nconnections closed\n"


@given(st.lists(st.text(alphabet="ab \n`~你", max_size=30), max_size=20), st.integers(4, 40))
def test_nothing_is_lost_but_the_spaces_at_which_rows_end(pieces: list[str], columns: int) -> None:
    paper = scroll(columns)
    shown = ""
    for piece in pieces:
        paper.write(piece)
        shown += paper.take(rows=3)
    paper.end_line()
    shown += paper.take(rows=3)
    assert re.sub(r"\s", "", shown) == re.sub(r"\s", "", "".join(pieces))
