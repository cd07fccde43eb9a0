"""How a Belay process ends, as the shell sees it."""

from enum import IntEnum


class ExitCode(IntEnum):
    """The exit codes that scripts rely on."""

    OK = 0
    FAILED = 1
    USAGE = 2
    WATCHDOG = 70
    STOPPED = 130
