"""The question: words of the command line, of standard input, or both."""

import io
import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TextIO

import pytest

from app.cli import question
from app.cli.question import MAX_BYTES, NOTHING_CAME, read_question
from app.core.errors import ProblemError, ProblemKind
from app.system.threads import spawn_thread


@contextmanager
def piped(data: bytes | None) -> Iterator[TextIO]:
    """Give the reading end of a pipe with this in it; with None nobody ever writes or closes."""
    read_end, write_end = os.pipe()
    with os.fdopen(read_end, encoding="utf-8") as stream:
        if data is None:
            yield stream
            os.close(write_end)
        else:
            spawn_thread("writer", _write_all, write_end, data)
            yield stream


def _write_all(fd: int, data: bytes) -> None:
    with os.fdopen(fd, "wb", buffering=0) as pipe:
        try:
            pipe.write(data)
        except BrokenPipeError:
            return


def test_words_of_the_command_line_are_the_question() -> None:
    assert read_question("Why?", None).text == "Why?"


def test_standard_input_is_the_question_when_there_are_no_words() -> None:
    for text in (None, "-"):
        with piped(b"Warum?\n") as stdin:
            assert read_question(text, stdin).text == "Warum?\n"


def test_words_come_before_what_is_piped_in() -> None:
    with piped(b"int main;") as stdin:
        assert read_question("Explain:", stdin).text == "Explain:\n\nint main;"


def test_an_empty_pipe_adds_nothing() -> None:
    with piped(b"") as stdin:
        asked = read_question("Why?", stdin)
    assert (asked.text, asked.remark) == ("Why?", "")


def test_a_pipe_that_nobody_writes_to_does_not_hold_up_a_question_with_words(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(question, "PATIENCE_S", 0.01)
    with piped(None) as stdin:
        asked = read_question("Why?", stdin)
    assert (asked.text, asked.remark) == ("Why?", NOTHING_CAME)


@pytest.mark.parametrize("text", [None, "", "  \n"])
def test_nothing_to_say_is_said(text: str | None) -> None:
    with piped(b" \n") as stdin, pytest.raises(ProblemError) as caught:
        read_question(text, stdin)
    assert caught.value.problem.kind is ProblemKind.MESSAGE_EMPTY


def test_more_than_a_model_reads_is_refused_with_its_size() -> None:
    with piped(b"x" * 10_000_000) as stdin, pytest.raises(ProblemError) as caught:
        read_question(None, stdin)
    assert caught.value.problem.kind is ProblemKind.MESSAGE_TOO_LARGE
    assert caught.value.problem.params == {"megabytes": 10}


def test_the_limit_counts_words_and_input_together() -> None:
    half = "y" * (MAX_BYTES // 2 + 1)
    with piped(half.encode()) as stdin, pytest.raises(ProblemError) as caught:
        read_question(half, stdin)
    assert caught.value.problem.kind is ProblemKind.MESSAGE_TOO_LARGE


def test_bytes_that_are_no_text_do_not_stop_the_question() -> None:
    with piped(b"caf\xe9") as stdin:
        assert read_question(None, stdin).text == "caf\N{REPLACEMENT CHARACTER}"


def test_a_closed_standard_input_is_no_input() -> None:
    stdin = io.StringIO()
    stdin.close()
    assert read_question("Why?", stdin).text == "Why?"
