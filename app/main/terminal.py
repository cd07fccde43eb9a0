"""`belay ask` and `belay chat`, put together: services and front end on one loop, this thread's.

The end, in order: the front end leaves, the watchdog is armed, turns end, children end, the last
words are shown, the database closes, the lease is given back. Every wait has a limit but one:
whoever reads the answer may take as long as they like.
"""

import asyncio
import os
import shutil
import sys
import threading
import time
from collections.abc import Callable
from functools import partial
from typing import Final

from app.cli import arguments
from app.cli.ask import Asking
from app.cli.chat.chat import Chat
from app.cli.chat.face import Face
from app.cli.chat.lines import Lines
from app.cli.codes import ExitCode
from app.cli.desk import FrontEnd
from app.cli.images import BadImageError, attach
from app.cli.json_events import trouble_line
from app.cli.outlet import Outlet, Stream
from app.cli.problems import explained
from app.cli.question import read_question
from app.cli.report import JsonReport, Report, TextReport
from app.cli.signals import listen
from app.core.errors import Problem, ProblemError, ProblemKind
from app.core.messages import Part, text_parts
from app.lifecycle.shutdown import Blocker, Done, Phase, Shutdown, standard_phases
from app.lifecycle.watchdog import Watchdog
from app.main.engine import Engine
from app.main.ground import Ground, prepare
from app.main.keys import open_keys
from app.system.loops import run_loop
from app.system.spawner import spawner
from app.system.threads import spawn_thread

_POLL_S: Final = 0.005
_CLOSE_S: Final = 0.5


def ask(asked: arguments.Ask) -> int:
    """Ask once; gives the exit code."""
    try:
        question = read_question(asked.text, sys.stdin)
        ground = _stand("ask")
        pictures = [attach(file, ground.paths.attachments) for file in asked.images]
    except BadImageError as error:
        return _complain(error.sentence, ExitCode.USAGE)
    except ProblemError as error:
        return _refuse(error.problem, as_json=asked.as_json)
    if question.remark:
        _say(question.remark)
    parts: tuple[Part, ...] = (*text_parts(question.text), *pictures)
    return run_loop(_host(partial(_asking, asked, parts), ground, asked.model))


def chat(wanted: arguments.Chat) -> int:
    """Talk until the person leaves; gives the exit code."""
    try:
        ground = _stand("chat")
    except ProblemError as error:
        return _refuse(error.problem)
    make_front = partial(_talking, wanted.text or "")
    return run_loop(_host(make_front, ground, wanted.model, warms_up=True))


def _stand(role: str) -> Ground:
    ground = prepare(role)
    if ground.problem is not None:
        _say(explained(ground.problem))
    return ground


def _asking(asked: arguments.Ask, parts: tuple[Part, ...]) -> FrontEnd:
    outlet = _outlet()
    report: Report = JsonReport(outlet) if asked.as_json else _text_report(outlet)
    return Asking(parts=parts, report=report, outlet=outlet)


def _text_report(outlet: Outlet) -> TextReport:
    width = shutil.get_terminal_size().columns
    return TextReport(outlet, time.monotonic, width=width, is_dumb=_is_dumb())


def _talking(text: str) -> FrontEnd:
    return Chat(_face(text))


def _face(text: str) -> Face:
    """Choose the live prompt where the terminal can show one, plain lines everywhere else."""
    reads_keys = sys.stdin is not None and sys.stdin.isatty()
    if reads_keys and sys.stdout.isatty() and not _is_dumb():
        from app.cli.chat.screen import Screen  # noqa: PLC0415 - only a terminal pays for it

        return Screen(text)
    return Lines(outlet=_outlet(), stdin=sys.stdin, echoes=not reads_keys)


def _outlet() -> Outlet:
    return Outlet(out=Stream(sys.stdout), err=Stream(sys.stderr))


def _is_dumb() -> bool:
    return os.environ.get("TERM", "dumb") == "dumb" and sys.platform != "win32"


async def _host(
    make_front: Callable[[], FrontEnd], ground: Ground, model: str | None, *, warms_up: bool = False
) -> int:
    front = make_front()
    engine = Engine(
        paths=ground.paths,
        settings=ground.settings,
        keys=open_keys(ground.paths, os.environ),
        environ=os.environ,
        lease=ground.lease,
        emit=front.heard,
        model=model,
    )
    listen(front, asyncio.get_running_loop(), arm=ground.watchdog.arm)
    engine.open()
    if warms_up:
        engine.warm_up()
    code = await front.finish(await front.run(engine))
    await _close(engine, ground.watchdog)
    code = await front.finish(code)
    ground.lease.release()
    return code


async def _close(engine: Engine, watchdog: Watchdog) -> None:
    """Go through the phases of Quit; a terminal has no dialog, and no note to leave."""
    closing = Shutdown(_phases(engine), watchdog=watchdog, note=None)
    result = closing.begin(time.monotonic())
    while not isinstance(result, Done):
        await asyncio.sleep(_POLL_S)
        result = closing.poll(time.monotonic())


def _phases(engine: Engine) -> tuple[Phase, ...]:
    turns_ended, disk_closed = threading.Event(), threading.Event()

    async def end_turns() -> None:
        await engine.close()
        turns_ended.set()

    def close_disk() -> None:
        engine.store.close(_CLOSE_S)
        disk_closed.set()

    turns = Blocker(
        name="the answer",
        start=lambda: asyncio.get_running_loop().create_task(end_turns(), name="close"),
        is_done=turns_ended.is_set,
    )
    tools = Blocker(
        name="the tools", start=spawner().begin_end_all, is_done=lambda: spawner().is_idle
    )
    disk = Blocker(
        name="the disk",
        start=lambda: spawn_thread("belay-close", close_disk),
        is_done=disk_closed.is_set,
    )
    return standard_phases(turns=[turns], tools=[tools], database=[disk])


def _refuse(problem: Problem, *, as_json: bool = False) -> int:
    is_usage = problem.kind is ProblemKind.MESSAGE_EMPTY
    if as_json and not is_usage:
        sys.stdout.write(trouble_line(problem))
    return _complain(explained(problem), ExitCode.USAGE if is_usage else ExitCode.FAILED)


def _complain(sentence: str, code: ExitCode) -> int:
    _say(sentence)
    return code


def _say(sentence: str) -> None:
    print(sentence, file=sys.stderr)
