"""`belay transcribe FILE`: the speech child and a sound file, put together.

The text goes to standard output piece by piece, progress to a terminal's standard error. Ctrl-C
ends the child and keeps what was written.
"""

import asyncio
import signal
import sys
from functools import partial
from pathlib import Path

from app.cli.arguments import Transcribe
from app.cli.codes import ExitCode
from app.cli.problems import explained
from app.core.errors import ProblemError
from app.core.events import StopReason
from app.core.tokens import Cancelled, CancelToken
from app.main.hearing import language_of
from app.storage.settings_file import load
from app.system.logs import start_logging
from app.system.loops import run_loop
from app.system.paths import Paths
from app.system.threads import call_in_thread
from app.voice.child_speech import ChildSpeech
from app.voice.files import Piece, read_pieces
from app.voice.weights import own_model, speech_model


def transcribe(wanted: Transcribe) -> int:
    """Write down a file; gives the exit code."""
    try:
        return run_loop(_transcribe(wanted))
    except Cancelled:
        return ExitCode.STOPPED
    except BrokenPipeError:
        return ExitCode.OK  # whoever read it has read enough
    except ProblemError as error:
        print(explained(error.problem), file=sys.stderr)
        return ExitCode.FAILED


async def _transcribe(wanted: Transcribe) -> int:
    token = CancelToken("transcribe")
    loop = asyncio.get_running_loop()
    if sys.platform != "win32":
        loop.add_signal_handler(signal.SIGINT, token.cancel, StopReason.PERSON)
    speech = _speech(wanted)
    pieces = read_pieces(Path(wanted.file))
    try:
        while (piece := await call_in_thread(next, pieces, None)) is not None:
            heard = await token.run(speech.finish(0, piece.samples), grace_s=0.1)
            _write(heard.text)
            _tell_progress(piece)
    finally:
        speech.end()
        _tell_progress(None)
    return ExitCode.OK


def _speech(wanted: Transcribe) -> ChildSpeech:
    paths = Paths.find()
    paths.make()
    start_logging(paths.logs)
    settings, _ = load(paths.config / "settings.json")
    chosen = wanted.language or settings.speech_language
    return ChildSpeech(
        find_model=partial(_find_model, settings.speech_model, paths.cache),
        language=lambda: language_of(chosen),
        emit=lambda _: None,
    )


def _find_model(folder: str, cache: Path) -> Path:
    return own_model(Path(folder)) if folder else speech_model(cache)


def _write(text: str) -> None:
    if text:
        sys.stdout.write(f"{text}\n")
        sys.stdout.flush()


def _tell_progress(piece: Piece | None) -> None:
    if not sys.stderr.isatty():
        return
    done = f"\r{piece.done:.0%} " if piece is not None and piece.done is not None else "\r      \r"
    sys.stderr.write(done)
    sys.stderr.flush()
