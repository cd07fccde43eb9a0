"""What a continuation repeats is not shown twice, however the stream is cut."""

from hypothesis import given
from hypothesis import strategies as st

from app.agent.overlap import OverlapTrimmer


def continued(before: str, *chunks: str) -> str:
    trimmer = OverlapTrimmer(before)
    return "".join(trimmer.feed(chunk) for chunk in chunks) + trimmer.finish()


def test_repeated_words_are_taken_off() -> None:
    before = "The rope holds because the knot is tied around the"
    assert continued(before, "the knot is tied ", "around the", " post.") == " post."


def test_a_continuation_without_repetition_is_untouched() -> None:
    assert continued("The rope holds because", " the knot", " is good.") == " the knot is good."


def test_a_short_coincidence_is_not_a_repetition() -> None:
    assert continued("and so on and so", "so it goes") == "so it goes"


def test_a_beginning_that_only_looks_like_a_repetition_is_kept_whole() -> None:
    before = "one two three four five six"
    assert continued(before, "three four five seven") == "three four five seven"


def test_a_continuation_that_is_nothing_but_repetition_adds_nothing() -> None:
    before = "one two three four five six"
    assert continued(before, "three four five six") == ""


words = st.text(alphabet="ab ", min_size=0, max_size=60)


@given(words, words, st.lists(st.integers(1, 7), max_size=40))
def test_the_cuts_of_the_stream_make_no_difference(
    before: str, after: str, sizes: list[int]
) -> None:
    chunks, at = [], 0
    for size in sizes:
        chunks.append(after[at : at + size])
        at += size
    assert continued(before, *chunks, after[at:]) == continued(before, after)


@given(words, words)
def test_only_an_exact_overlap_is_ever_taken_off(before: str, after: str) -> None:
    shown = continued(before, after)
    taken = after[: len(after) - len(shown)]
    assert after.endswith(shown)
    assert before.endswith(taken)
    assert not taken or len(taken) >= 12
