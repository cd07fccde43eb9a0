"""What every process of Belay stands on: folders, a log, settings, a lease, the watchdog."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from app.core.errors import Problem
from app.core.settings import Settings
from app.lifecycle.last_shutdown import ShutdownNote
from app.lifecycle.lease import Lease, Leases
from app.lifecycle.watchdog import Watchdog, watchdog_limit_s
from app.storage.settings_file import load
from app.system.crashes import log_unhandled_exceptions, start_crash_log
from app.system.files import disk_problem
from app.system.logs import start_logging
from app.system.paths import Paths

SETTINGS_NAME: Final = "settings.json"
DATABASE_NAME: Final = "belay.db"


@dataclass(frozen=True, slots=True, kw_only=True)
class Ground:
    """What a process stands on; `problem` is what was wrong with the settings."""

    paths: Paths
    settings: Settings
    problem: Problem | None
    lease: Lease
    watchdog: Watchdog


def prepare(
    role: str,
    *,
    note: ShutdownNote | None = None,
    on_watchdog: Callable[[Watchdog], None] = lambda _: None,
) -> Ground:
    """Make the folders, start the log, read the settings, take a lease; raise ProblemError.

    `on_watchdog` is called before the lease is taken: from then on Quit must find its way.
    """
    paths = Paths.find()
    paths.make()
    try:
        start_logging(paths.logs)
        stacks = start_crash_log(paths.logs)
    except OSError as exc:
        raise disk_problem(exc, paths.logs) from exc
    log_unhandled_exceptions()
    settings, problem = load(paths.config / SETTINGS_NAME)
    watchdog = Watchdog(watchdog_limit_s(), stacks, note=note)
    on_watchdog(watchdog)
    return Ground(
        paths=paths,
        settings=settings,
        problem=problem,
        lease=Leases(paths.data).take(role),
        watchdog=watchdog,
    )
