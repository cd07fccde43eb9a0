"""Events out of bytes, however the bytes are cut."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.agent.providers.sse import MAX_EVENT_BYTES, BadReplyError, EventDecoder


def decoded(*chunks: bytes) -> list[str]:
    decoder = EventDecoder()
    events = [data for chunk in chunks for data in decoder.feed(chunk)]
    return events + decoder.finish()


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_every_line_end_ends_a_line(end: str) -> None:
    text = f"data: one{end}{end}event: x{end}data: two{end}data: lines{end}{end}"
    assert decoded(text.encode()) == ["one", "two\nlines"]


def test_comments_and_other_fields_are_no_data() -> None:
    assert decoded(b": ping\n\nid: 1\nretry: 5\n\ndata:bare\n\n") == ["bare"]


def test_a_byte_order_mark_is_skipped() -> None:
    assert decoded(b"\xef\xbb\xbfdata: one\n\n") == ["one"]


def test_an_event_without_its_last_line_end_counts() -> None:
    assert decoded(b"data: one\n\ndata: two") == ["one", "two"]


def test_bad_utf8_is_a_bad_reply() -> None:
    with pytest.raises(BadReplyError):
        decoded(b"data: \xff\n\n")


def test_an_endless_line_is_given_up() -> None:
    block = b"x" * 1_000_000
    with pytest.raises(BadReplyError):
        decoded(*[block] * (MAX_EVENT_BYTES // len(block) + 1))


def test_a_long_stream_of_short_events_is_not() -> None:
    decoder = EventDecoder()
    block = (b"data: " + b"x" * 10_000 + b"\n\n") * 100
    for _ in range(MAX_EVENT_BYTES // len(block) + 2):
        assert len(decoder.feed(block)) == 100


@pytest.mark.parametrize(
    ("body", "foreign"),
    [
        (b"", False),
        (b": only a comment\n", False),
        (b"data: one\n\n", False),
        (b"<html>\nhello", True),
        (b'{"choices": []}', True),
    ],
)
def test_what_is_no_stream_of_events_is_noticed(body: bytes, foreign: bool) -> None:
    decoder = EventDecoder()
    decoder.feed(body)
    decoder.finish()
    assert decoder.is_foreign is foreign


LINES = st.lists(st.sampled_from(["data: a", "data: é😀", "data:", ": c", "event: e", ""]))


@given(LINES, st.sampled_from(["\n", "\r\n", "\r"]), st.lists(st.integers(0, 60), max_size=8))
def test_where_the_bytes_are_cut_changes_nothing(
    lines: list[str], end: str, cuts: list[int]
) -> None:
    whole = "".join(line + end for line in lines).encode()
    places = sorted({0, len(whole), *(cut for cut in cuts if cut < len(whole))})
    pieces = [whole[a:b] for a, b in pairwise(places)]
    assert decoded(*pieces) == decoded(whole)
