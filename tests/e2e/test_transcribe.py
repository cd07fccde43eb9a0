"""`belay transcribe`, the real command on real clips."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

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
