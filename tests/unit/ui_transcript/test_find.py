"""Finding in a conversation: every hit, in reading order, newest looked through first."""

from dataclasses import dataclass, field

from hypothesis import given
from hypothesis import strategies as st

from app.ui.transcript.find import Hit, Search, may_contain, spans


@dataclass
class Line:
    text: str
    can_select: bool = True


@dataclass
class Message:
    source: str
    lines: list[Line] = field(default_factory=list)
    is_opened: bool = False
    reads: int = 0

    @property
    def count(self) -> int:
        self.reads += 1
        return len(self.lines)

    def row(self, index: int) -> Line:
        return self.lines[index]

    def close(self) -> None:
        self.is_opened = False


def message(*texts: str) -> Message:
    return Message("\n\n".join(texts), [Line(text) for text in texts])


def found(sought: str, *messages: Message) -> Search:
    search = Search(list(messages), sought)
    while search.step():
        pass
    return search


def test_all_hits_are_found_in_reading_order() -> None:
    search = found("one", message("One, two", "none"), message("three"), message("one one"))
    assert search.hits == [
        Hit(0, 0, 0, 3),
        Hit(0, 1, 1, 4),
        Hit(2, 0, 0, 3),
        Hit(2, 0, 4, 7),
    ]


def test_stepping_begins_at_the_latest_and_goes_round() -> None:
    search = found("a", message("a"), message("a"), message("a"))
    assert [search.go(forward=True) for _ in range(3)] == [search.hits[i] for i in (2, 0, 1)]
    assert search.go(forward=False) == search.hits[0]
    assert search.place == 1


def test_messages_that_cannot_contain_it_are_not_read() -> None:
    plain = message("nothing of the kind")
    found("something", plain, message("something"))
    assert plain.reads == 0


def test_words_broken_by_markers_are_found() -> None:
    assert may_contain("the **whole** sen`tence`", "whole sentence")
    assert not may_contain("the whole", "whole sentence")


def test_marks_name_the_current_hit() -> None:
    search = found("a", message("a b a"))
    search.go(forward=True)
    marks = search.marks(0, 0)
    assert marks is not None
    assert (marks.hits, marks.current) == ([(0, 1), (4, 5)], (4, 5))
    assert search.marks(0, 1) is None


def test_nothing_sought_is_nothing_found() -> None:
    search = found("", message("a"))
    assert search.is_done
    assert search.hits == []
    assert search.go(forward=True) is None


@given(st.text(max_size=30), st.text(min_size=1, max_size=3))
def test_spans_do_not_overlap_and_lie_in_the_text(text: str, sought: str) -> None:
    edges = [edge for span in spans(text, sought.casefold()) for edge in span]
    assert edges == sorted(edges)
    assert not edges or edges[-1] <= len(text.encode("utf-16-le", "surrogatepass")) // 2
