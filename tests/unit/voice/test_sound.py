"""Samples: resampled without seams, kept on disk until their words have landed."""

from pathlib import Path

import numpy as np
import pytest

from app.core.ids import ConversationId, MessageId
from app.voice.clips import Clips
from app.voice.loudness import dbfs
from app.voice.resampling import Resampler, resample

CLIP, CONVERSATION = MessageId("c1"), ConversationId("d1")


def sine(rate: int, hertz: float = 440.0) -> "np.ndarray[tuple[int], np.dtype[np.float32]]":
    return np.sin(2 * np.pi * hertz * np.arange(rate) / rate).astype(np.float32)


@pytest.mark.parametrize("rate", [8_000, 16_000, 22_050, 44_100, 48_000, 96_000])
def test_a_tone_is_the_same_tone_at_16_khz(rate: int) -> None:
    out = resample(sine(rate), rate)
    assert len(out) == 16_000
    assert np.abs(out[300:-300] - sine(16_000)[300:-300]).max() < 1e-3


@pytest.mark.parametrize("rate", [44_100, 48_000])
def test_chunks_of_any_size_leave_no_seam(rate: int) -> None:
    whole = Resampler(rate).feed(sine(rate))
    chunked = Resampler(rate)
    pieces = [chunked.feed(piece) for piece in np.array_split(sine(rate), 61)]
    assert np.array_equal(np.concatenate(pieces), whole)


def test_what_16_khz_cannot_hold_is_filtered_out() -> None:
    assert np.abs(resample(sine(48_000, 12_000.0), 48_000)[300:-300]).max() < 0.01


def test_a_clip_is_on_disk_while_it_is_recorded(tmp_path: Path) -> None:
    clip = Clips(tmp_path).begin(CLIP, CONVERSATION)
    clip.append(sine(16_000))
    (left,) = Clips(tmp_path).left()
    assert (left.id, left.conversation_id) == (CLIP, CONVERSATION)
    assert np.abs(left.samples() - clip.samples()).max() < 1e-3
    assert left.path.stat().st_mode & 0o077 == 0


def test_a_clip_torn_in_the_middle_of_a_sample_can_be_read(tmp_path: Path) -> None:
    clip = Clips(tmp_path).begin(CLIP, CONVERSATION)
    clip.append(sine(16_000))
    with clip.stored.path.open("ab") as file:
        file.write(b"\x01")
    (left,) = Clips(tmp_path).left()
    assert len(left.samples()) == 16_000


def test_a_clip_too_short_for_a_word_is_not_offered(tmp_path: Path) -> None:
    Clips(tmp_path).begin(CLIP, CONVERSATION)
    Clips(tmp_path).begin(MessageId("c2"), CONVERSATION).append(sine(16_000)[:3000])
    assert list(Clips(tmp_path).left()) == []
    assert list(tmp_path.iterdir()) == []


def test_a_deleted_clip_leaves_nothing(tmp_path: Path) -> None:
    clip = Clips(tmp_path).begin(CLIP, CONVERSATION)
    clip.append(sine(16_000))
    clip.delete()
    assert list(Clips(tmp_path).left()) == []


def test_a_folder_that_cannot_be_made_does_not_make_us_deaf(tmp_path: Path) -> None:
    (tmp_path / "clips").write_text("a file where the folder should be")
    clip = Clips(tmp_path / "clips").begin(CLIP, CONVERSATION)
    clip.append(sine(16_000))
    clip.finish()
    assert len(clip.samples()) == 16_000


def test_loudness_is_measured_against_the_loudest() -> None:
    assert dbfs(np.zeros(100, np.float32)) == -120
    assert dbfs(np.ones(100, np.float32)) == pytest.approx(0)
    assert dbfs(sine(16_000)) == pytest.approx(-3.01, abs=0.01)
