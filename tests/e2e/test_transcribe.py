"""`belay transcribe`, the real command on real clips."""

import json
import os
import pty
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import soundfile

from app.voice.weights import speech_model
from tests.conftest import BelayStarter
from tests.e2e.speaking import install_model
from tests.harness.words import errors, words

SPEECH = Path(__file__).parents[1] / "speech"
TRUTH: dict[str, str] = json.loads((SPEECH / "transcripts.json").read_text())
BELAY = Path(sys.executable).with_name("belay")


def transcribe(*arguments: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [BELAY, "transcribe", *arguments], capture_output=True, text=True, check=False
    )


def test_few_words_are_written_down_wrong_and_no_progress_goes_to_a_file() -> None:
    done = transcribe("--language", "en", str(SPEECH / "long-dictation.wav"))
    assert (done.returncode, done.stderr) == (0, "")
    said = words(TRUTH["long-dictation"])
    assert errors(words(done.stdout), said) <= 0.08 * len(said)


@pytest.mark.parametrize("file", ["no-such.wav", __file__])
def test_what_cannot_be_read_gets_a_sentence_and_exit_code_1(file: str) -> None:
    done = transcribe(file)
    assert done.returncode == 1
    assert done.stdout == ""
    assert file in done.stderr
    assert "Traceback" not in done.stderr


def test_without_a_file_it_shows_how_it_goes() -> None:
    done = transcribe()
    assert done.returncode == 2
    assert "belay transcribe" in done.stderr


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Join the speech model once for all."""
    return speech_model(tmp_path_factory.mktemp("speech"))


@pytest.fixture(autouse=True)
def _installed(model: Path, belay_home: Path) -> None:
    install_model(model, belay_home)


@pytest.fixture
def long_file(tmp_path: Path) -> Path:
    """Join clips to more than one piece of sound; it is cut in the silence between them."""
    samples, rate = soundfile.read(SPEECH / "long-dictation.wav", dtype="float32")
    path = tmp_path / "long.wav"
    soundfile.write(path, np.concatenate([samples, np.zeros(15 * rate, np.float32)] * 6), rate)
    return path


def test_a_long_file_is_written_down_piece_by_piece_and_ctrl_c_keeps_them(
    start_belay: BelayStarter, long_file: Path
) -> None:
    belay = start_belay("transcribe", "--language", "en", str(long_file))
    belay.stdout.wait_for("\n")
    belay.send_signal(signal.SIGINT)
    assert belay.wait() == 130
    written = belay.stdout.read_to_end()
    assert "the budget" in written
    assert "Traceback" not in belay.stderr.text
    assert belay.tree() == []


def test_a_reader_that_has_read_enough_ends_it_without_a_word(
    belay_home: Path, long_file: Path
) -> None:
    argv = [str(BELAY), "transcribe", "--language", "en", str(long_file)]
    process = subprocess.Popen(argv, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdout is not None
    assert process.stderr is not None
    assert process.stdout.readline()
    process.stdout.close()
    assert process.stderr.read() == b""
    process.stderr.close()
    assert process.wait(60) == 0


def test_progress_is_shown_on_a_terminal(belay_home: Path) -> None:
    main, side = pty.openpty()
    argv = [str(BELAY), "transcribe", "--language", "en", str(SPEECH / "shorter.wav")]
    process = subprocess.Popen(argv, stdout=subprocess.PIPE, stderr=side)
    os.close(side)
    out, _ = process.communicate(timeout=60)
    shown = os.read(main, 4096).decode()
    os.close(main)
    assert b"shorter" in out
    assert "100%" in shown
