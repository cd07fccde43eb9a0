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

from tests.conftest import BelayStarter
from tests.harness.words import errors, words

SPEECH = Path(__file__).parents[1] / "speech"
TRUTH: dict[str, str] = json.loads((SPEECH / "transcripts.json").read_text())
BELAY = Path(sys.executable).with_name("belay")


def transcribe(*arguments: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [BELAY, "transcribe", *arguments], capture_output=True, text=True, check=False
    )


def test_few_words_are_written_down_wrong() -> None:
    wrong = total = 0
    for name in ("long-dictation", "python-instead", "what-time", "shorter"):
        done = transcribe("--language", "en", str(SPEECH / f"{name}.wav"))
        assert done.returncode == 0, done.stderr
        wrong += errors(words(done.stdout), words(TRUTH[name]))
        total += len(words(TRUTH[name]))
    assert wrong / total <= 0.08


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


@pytest.fixture
def long_file(tmp_path: Path) -> Path:
    """Join clips to more than one piece of sound."""
    samples, rate = soundfile.read(SPEECH / "long-dictation.wav", dtype="float32")
    path = tmp_path / "long.wav"
    soundfile.write(path, np.concatenate([samples] * 8), rate)
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


def test_progress_is_shown_on_a_terminal_only(belay_home: Path) -> None:
    done = transcribe("--language", "en", str(SPEECH / "shorter.wav"))
    assert done.stderr == ""
    main, side = pty.openpty()
    argv = [str(BELAY), "transcribe", "--language", "en", str(SPEECH / "shorter.wav")]
    process = subprocess.Popen(argv, stdout=subprocess.PIPE, stderr=side)
    os.close(side)
    out, _ = process.communicate(timeout=60)
    shown = os.read(main, 4096).decode()
    os.close(main)
    assert b"shorter" in out
    assert "100%" in shown
