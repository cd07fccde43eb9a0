"""The console script `belay`: finds out what is wanted before anything heavy is imported.

The terminal's paths never import Qt, and the window's only once a display is known to be there:
without one, `QApplication` ends the process on the spot.
"""

import faulthandler
import gc
import logging
import os
import sys
from typing import NoReturn, assert_never

from app import __version__
from app.cli.arguments import (
    Ask,
    Chat,
    CheckDisplay,
    Doctor,
    OpenWindow,
    RunWorker,
    ShowHelp,
    ShowVersion,
    Transcribe,
    UsageError,
    parse,
)
from app.cli.codes import ExitCode

log = logging.getLogger(__name__)


def run() -> NoReturn:
    """Do what the command line asks, and end the process."""
    if sys.stderr is not None:  # a windowed program on Windows has none
        faulthandler.enable()  # until the crash log is open: a crash before it leaves stacks too
    try:
        wanted = parse(sys.argv[1:])
    except UsageError as error:
        from app.cli.usage import complaint  # noqa: PLC0415

        sys.stderr.write(complaint(error))
        _leave(ExitCode.USAGE)
    match wanted:
        case ShowVersion():
            sys.stdout.write(f"belay {__version__}\n")
            _leave(ExitCode.OK)
        case ShowHelp(topic=topic):
            from app.cli.usage import help_text  # noqa: PLC0415

            sys.stdout.write(help_text(topic))
            _leave(ExitCode.OK)
        case RunWorker():
            _work(wanted)
        case _:
            code = _guarded(wanted)
    from app.lifecycle.final_exit import final_exit  # noqa: PLC0415

    final_exit(code)


def _work(wanted: RunWorker) -> NoReturn:
    from app.system.children import WORKERS, dispatch  # noqa: PLC0415

    if not wanted.arguments or wanted.arguments[0] not in WORKERS:
        sys.stderr.write("belay: There is no such worker.\n")
        _leave(ExitCode.USAGE)
    dispatch(sys.argv[1:])
    _leave(ExitCode.OK)


def _guarded(wanted: OpenWindow | Ask | Chat | Transcribe | Doctor | CheckDisplay) -> int:
    """Carry it out; what nobody caught becomes one sentence, and the log has the rest."""
    try:
        return _carry_out(wanted)
    except KeyboardInterrupt:
        return ExitCode.STOPPED
    except Exception:
        from app.core.errors import Problem, ProblemKind  # noqa: PLC0415
        from app.core.wording import sentence  # noqa: PLC0415

        where = " See the log." if _has_log() else ""
        if where:
            log.critical("nobody caught this", exc_info=True)
        sys.stderr.write(f"{sentence(Problem(kind=ProblemKind.INTERNAL))}{where}\n")
        return ExitCode.FAILED


def _has_log() -> bool:
    """Say whether there is a log to write to; it is opened now if nothing got that far."""
    if logging.getLogger().handlers:
        return True
    from app.system.logs import start_logging  # noqa: PLC0415
    from app.system.paths import Paths  # noqa: PLC0415

    try:
        paths = Paths.find()
        paths.make()
        start_logging(paths.logs)
    except Exception:  # noqa: BLE001 - what is wrong may well be what this needs
        return False
    return True


def _carry_out(wanted: OpenWindow | Ask | Chat | Transcribe | Doctor | CheckDisplay) -> int:
    match wanted:
        case OpenWindow(text=text):
            return _open_window(text)
        case Ask():
            from app.main import terminal  # noqa: PLC0415

            return terminal.ask(wanted)
        case Chat():
            from app.main import terminal  # noqa: PLC0415

            return terminal.chat(wanted)
        case Transcribe():
            from app.main import transcribing  # noqa: PLC0415

            return transcribing.transcribe(wanted)
        case Doctor():
            from app.main import checkup  # noqa: PLC0415

            return checkup.examine()
        case CheckDisplay():
            from app.system.display import Display, find_display  # noqa: PLC0415

            return ExitCode.OK if isinstance(find_display(), Display) else ExitCode.FAILED
        case _:
            assert_never(wanted)


def _open_window(text: str | None) -> int:
    gc.disable()  # until the first picture: nothing that is made on the way becomes garbage
    from app.cli.no_display import no_display_line  # noqa: PLC0415
    from app.system.display import PLATFORM_VARIABLE, Display, find_display  # noqa: PLC0415

    found = find_display()
    if isinstance(found, Display):
        if found.platform:
            os.environ.setdefault(PLATFORM_VARIABLE, found.platform)
        from app.main.launch import launch  # noqa: PLC0415

        return launch(text)
    can_chat = sys.stdin is not None and sys.stdin.isatty() and sys.stdout.isatty()
    sys.stderr.write(f"{no_display_line(found, can_chat=can_chat)}\n")
    if not can_chat:
        return ExitCode.FAILED
    gc.enable()
    from app.main import terminal  # noqa: PLC0415

    return terminal.chat(Chat(text=text))


def _leave(code: int) -> NoReturn:
    """End without what only a started Belay has to put away."""
    for stream in (sys.stdout, sys.stderr):
        try:
            if stream is not None:
                stream.flush()
        except OSError:
            continue  # its reader is gone
    os._exit(code)
