"""Quit, as a list: named phases, each with a deadline and the blockers that it waits for.

A sequencer without threads, timers or Qt: `begin` it, then `poll` it from whatever ticks (a
QTimer, a loop) until it is done. A phase starts all its blockers at once and ends when they are
done or its deadline has passed; nothing that a blocker does or raises stops the sequence. Before
a phase begins its name is on disk, so that the next start knows what was in the way if the
watchdog has to step in.
"""

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from app.core.events import ShutdownPhase
from app.lifecycle.last_shutdown import EXIT_PHASE, ShutdownNote
from app.lifecycle.watchdog import Watchdog

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Blocker:
    """Something that takes its time to end; `name` completes "Waiting for …"."""

    name: str
    start: Callable[[], object]
    is_done: Callable[[], bool]


@dataclass(frozen=True, slots=True, kw_only=True)
class Phase:
    """Blockers that end together, and how long they may take."""

    name: str
    deadline_s: float
    blockers: tuple[Blocker, ...]
    saves: bool = False  # once it is done, everything is on disk


@dataclass(frozen=True, slots=True, kw_only=True)
class Done:
    """All phases are over; `late` are the blockers that were not waited for any longer."""

    saved: bool
    late: tuple[str, ...] = ()


def standard_phases(
    *,
    drafts: Sequence[Blocker] = (),
    turns: Sequence[Blocker] = (),
    tools: Sequence[Blocker] = (),
    connections: Sequence[Blocker] = (),
    database: Sequence[Blocker] = (),
) -> tuple[Phase, ...]:
    """Give the phases of Quit, in order."""
    return (
        Phase(name="drafts", deadline_s=0.3, blockers=tuple(drafts)),
        Phase(name="turns", deadline_s=0.5, blockers=tuple(turns)),
        Phase(name="tools", deadline_s=0.7, blockers=tuple(tools)),
        Phase(name="connections", deadline_s=1.0, blockers=tuple(connections)),
        Phase(name="database", deadline_s=0.5, blockers=tuple(database), saves=True),
    )


class Shutdown:
    """One Quit; all methods on the thread that ticks it."""

    def __init__(
        self, phases: Sequence[Phase], *, watchdog: Watchdog | None, note: ShutdownNote | None
    ) -> None:
        self._waiting = list(phases)
        self._watchdog = watchdog
        self._note = note
        self._phase: Phase | None = None
        self._ends_at = 0.0
        self._blocked: tuple[Blocker, ...] = ()
        self._late: list[str] = []
        self._saved = False
        self._is_hurried = False

    def begin(self, now: float) -> "ShutdownPhase | Done":
        """Arm the watchdog and begin the first phase; `now` is monotonic time."""
        if self._watchdog is not None:
            self._watchdog.arm()
        return self.poll(now)

    def hurry(self) -> None:
        """Wait for nothing any more: every phase still starts, none is waited for."""
        self._is_hurried = True

    def poll(self, now: float) -> "ShutdownPhase | Done":
        """Go as far as possible; say what is waited for, or that all is over."""
        while self._advance(now):
            pass
        if self._phase is None:
            self._write_note(EXIT_PHASE, ())
            return Done(saved=self._saved, late=tuple(self._late))
        rest_s = sum(phase.deadline_s for phase in self._waiting)
        return ShutdownPhase(
            name=" · ".join(blocker.name for blocker in self._blocked),
            deadline_s=max(self._ends_at - now, 0.0) + rest_s,
            saved=self._saved,
        )

    def _advance(self, now: float) -> bool:
        if self._phase is None:
            return self._begin_next(now)
        still = tuple(blocker for blocker in self._blocked if not _is_done(blocker))
        if still and now < self._ends_at and not self._is_hurried:
            if still != self._blocked:
                self._blocked = still
                self._write_note(self._phase.name, still)
            return False
        self._end(self._phase, still)
        return True

    def _begin_next(self, now: float) -> bool:
        if not self._waiting:
            return False
        phase = self._waiting.pop(0)
        self._write_note(phase.name, phase.blockers)
        self._phase, self._ends_at, self._blocked = phase, now + phase.deadline_s, phase.blockers
        for blocker in phase.blockers:
            _start(blocker)
        return True

    def _end(self, phase: Phase, still: tuple[Blocker, ...]) -> None:
        if still:
            names = [blocker.name for blocker in still]
            _log.warning("did not end in time: %s (%s)", names, phase.name)
            self._late += names
        self._saved = self._saved or (phase.saves and not still)
        self._phase = None

    def _write_note(self, phase: str, blockers: tuple[Blocker, ...]) -> None:
        if self._note is not None:
            names = tuple(blocker.name for blocker in blockers)
            self._note.write(phase, names, saved=self._saved)


def _start(blocker: Blocker) -> None:
    try:
        blocker.start()
    except Exception:  # noqa: BLE001 - whatever it is, Quit goes on
        _log.exception("%s could not be told to end", blocker.name)


def _is_done(blocker: Blocker) -> bool:
    try:
        return blocker.is_done()
    except Exception:  # noqa: BLE001 - as above
        _log.exception("%s cannot say whether it has ended", blocker.name)
        return True
