"""Frames survive any cutting; what is no frame is refused."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.system.frames import Frame, FrameDecoder, FrameError, encode

frames = st.lists(
    st.builds(
        Frame,
        header=st.dictionaries(st.text(), st.integers() | st.text() | st.none(), max_size=3),
        payload=st.binary(max_size=200),
    ),
    max_size=5,
)


@given(frames, st.integers(1, 50))
def test_frames_come_back_however_they_are_cut(sent: list[Frame], size: int) -> None:
    data = b"".join(map(encode, sent))
    decoder = FrameDecoder()
    pieces = [data[at : at + size] for at in range(0, len(data), size)]
    assert [frame for piece in pieces for frame in decoder.feed(piece)] == sent


@pytest.mark.parametrize(
    "data",
    [
        b"Traceback (most recent call last)",
        b"\0\0\0\x02\0\0\0\0{]",
        b"\0\0\0\x02\0\0\0\0[]",
        b"\0\0\0\x02\0\0\0\0\xff\xfe",
    ],
)
def test_anything_else_is_refused(data: bytes) -> None:
    with pytest.raises(FrameError):
        list(FrameDecoder().feed(data))
