"""The log file: private, redacted, quiet about other libraries, never in the way."""

import logging
import os
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from app.system.logs import Log, start_logging
from app.system.redaction import register_secret

BOUND_S = 30.0
ours = logging.getLogger("app.somewhere")


@pytest.fixture
def log(tmp_path: Path) -> Iterator[Log]:
    before = (logging.getLogger().level, logging.getLogger("app").level)
    log = start_logging(tmp_path)
    yield log
    logging.captureWarnings(capture=False)
    logging.getLogger().removeHandler(log)
    log.close()
    logging.getLogger().setLevel(before[0])
    logging.getLogger("app").setLevel(before[1])


def _text(log: Log) -> str:
    assert log.drain(BOUND_S)
    return log.path.read_text("utf-8")


def test_log_file_is_private_whatever_the_umask(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        log = Log(tmp_path / "belay.log")
    finally:
        os.umask(before)
    assert stat.S_IMODE(log.path.stat().st_mode) == 0o600
    log.close()


def test_secret_in_arguments_and_tracebacks_never_reaches_the_file(log: Log) -> None:
    register_secret("correct horse battery")
    ours.warning("key %s", "sk-abcdefgh12345678")
    error = ValueError("Bearer correct horse battery")
    ours.error("failed", exc_info=error, stack_info=True)
    text = _text(log)
    assert "abcdefgh" not in text
    assert "horse" not in text
    assert "ValueError" in text


def test_other_libraries_are_heard_only_when_serious(log: Log) -> None:
    other = logging.getLogger("openai")
    other.setLevel(logging.DEBUG)
    other.debug("Request options: what the person wrote")
    other.info("HTTP Request: POST")
    other.warning("rate limit")
    text = _text(log)
    assert "what the person wrote" not in text
    assert "HTTP Request" not in text
    assert "rate limit" in text


def test_our_info_is_written_and_our_debug_is_not(log: Log) -> None:
    ours.info("informed")
    ours.debug("whispered")
    assert "informed" in _text(log)
    assert "whispered" not in _text(log)


def test_starting_again_does_not_write_twice(log: Log, tmp_path: Path) -> None:
    again = start_logging(tmp_path)
    ours.warning("only once")
    assert _text(again).count("only once") == 1
    logging.getLogger().removeHandler(again)
    again.close()


def test_whole_bodies_do_not_fit(log: Log) -> None:
    ours.warning("body %s", "x" * 100_000)
    assert len(_text(log)) < 10_000


def test_broken_format_does_not_break_the_caller(log: Log) -> None:
    record = {"name": "app", "msg": "%d", "args": ("not a number",), "levelno": logging.ERROR}
    log.handle(logging.makeLogRecord(record))
    ours.warning("next")
    assert "could not be formatted" in _text(log)
    assert "next" in _text(log)


def test_failure_that_repeats_is_written_whole_once_and_then_counted(log: Log) -> None:
    def paint(number: int) -> None:
        raise RuntimeError(f"paint {number}")

    for number in range(1_000):
        try:
            paint(number)
        except RuntimeError:
            ours.critical("uncaught", exc_info=True)
    ours.critical("uncaught", exc_info=ValueError("another"))
    text = _text(log)
    assert text.count("Traceback") == 1
    assert "again, 512 times so far: uncaught: RuntimeError('paint 511')" in text
    assert text.count("again, ") == 9
    assert "ValueError: another" in text


def test_what_is_said_on_purpose_is_never_thinned_out(log: Log) -> None:
    for _ in range(10):
        ours.info("a turn ended")
    assert _text(log).count("a turn ended") == 10


def test_rotated_files_are_private_and_few(log: Log) -> None:
    for number in range(1000):
        ours.warning("%d %s", number, "y" * 7_000)
    assert log.drain(BOUND_S)
    files = list(log.path.parent.iterdir())
    assert len(files) == 4
    assert {stat.S_IMODE(file.stat().st_mode) for file in files} == {0o600}


def test_full_disk_loses_the_line_and_nothing_else(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "full.log"
    path.symlink_to("/dev/full")
    log = Log(path)
    log.handle(logging.makeLogRecord({"name": "app", "msg": "lost", "levelno": logging.ERROR}))
    assert log.drain(BOUND_S)
    assert capsys.readouterr() == ("", "")
    log.close()
