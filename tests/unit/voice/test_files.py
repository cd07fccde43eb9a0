"""Sound files: read in pieces, refused in a sentence."""

from pathlib import Path

import numpy as np
import pytest
import soundfile

from app.core.errors import ProblemError, ProblemKind
from app.voice.files import quiet_cut, read_pieces


def noise(seconds: float, rate: int) -> "np.ndarray[tuple[int], np.dtype[np.float32]]":
    random = np.random.default_rng(1)
    return (random.standard_normal(int(seconds * rate)) * 0.1).astype(np.float32)


@pytest.mark.parametrize("name", ["a.wav", "a.flac"])
@pytest.mark.parametrize("rate", [16_000, 44_100])
def test_wav_and_flac_are_read_at_16_khz(tmp_path: Path, name: str, rate: int) -> None:
    soundfile.write(tmp_path / name, noise(2, rate), rate)
    (piece,) = read_pieces(tmp_path / name)
    assert abs(len(piece.samples) - 32_000) < 200
    assert piece.done == 1.0


def test_a_long_file_comes_in_pieces_that_lose_nothing(tmp_path: Path) -> None:
    soundfile.write(tmp_path / "a.wav", noise(70, 16_000), 16_000)
    pieces = list(read_pieces(tmp_path / "a.wav"))
    assert all(len(piece.samples) <= 25 * 16_000 for piece in pieces)
    assert sum(len(piece.samples) for piece in pieces) == 70 * 16_000


def test_stereo_becomes_mono(tmp_path: Path) -> None:
    both = np.stack([noise(1, 16_000), -noise(1, 16_000)], axis=1)
    soundfile.write(tmp_path / "a.wav", both, 16_000)
    (piece,) = read_pieces(tmp_path / "a.wav")
    assert np.abs(piece.samples).max() < 1e-3


def test_what_only_pyav_reads_is_read(tmp_path: Path) -> None:
    av = pytest.importorskip("av")
    with av.open(str(tmp_path / "a.m4a"), "w") as container:
        stream = container.add_stream("aac", rate=44_100, layout="mono")
        frame = av.AudioFrame.from_ndarray(noise(2, 44_100)[None, :], format="fltp", layout="mono")
        frame.rate = 44_100
        for packet in (*stream.encode(frame), *stream.encode(None)):
            container.mux(packet)
    (piece,) = read_pieces(tmp_path / "a.m4a")
    assert abs(len(piece.samples) - 32_000) < 3_000
    assert np.abs(piece.samples).max() > 0.05


def test_it_is_cut_where_it_is_quiet() -> None:
    samples = noise(20, 16_000)
    samples[12 * 16_000 : 13 * 16_000] = 0
    assert 12 * 16_000 < quiet_cut(samples) < 13 * 16_000


def test_what_is_no_sound_is_refused_in_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "a.wav").write_text("this is not sound")
    with pytest.raises(ProblemError) as caught:
        list(read_pieces(tmp_path / "a.wav"))
    assert caught.value.problem.kind is ProblemKind.NOT_SOUND


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(ProblemError) as caught:
        list(read_pieces(tmp_path / "none.wav"))
    assert caught.value.problem.kind is ProblemKind.NO_SUCH_FILE
