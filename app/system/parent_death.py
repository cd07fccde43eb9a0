"""How a child on Linux is told to die when the thread that started it ends.

By util-linux's `setpriv`, which asks the kernel and then becomes the command. Doing it in the
child between fork and exec would run Python in a copy of a process with many threads: it can
deadlock there, and Python 3.12 warns of it.
"""

import shutil
import subprocess
import sys
from functools import cache


@cache
def prefix() -> tuple[str, ...]:
    """Give the words to put before a command; empty where there is no such means."""
    setpriv = shutil.which("setpriv") if sys.platform == "linux" else None
    if setpriv is None:
        return ()
    words = (setpriv, "--pdeathsig", "KILL", "--")
    tried = subprocess.run(  # noqa: S603 - itself, on itself
        [*words, setpriv, "--version"], capture_output=True, check=False
    )
    return words if tried.returncode == 0 else ()  # busybox has one without the option
