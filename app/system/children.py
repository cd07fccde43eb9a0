"""Our own program as a child: `belay _worker NAME`, from source and packaged alike.

The table names every worker as "module:function"; only the child imports it. `dispatch` is the
first thing the program does, before anything heavy is imported.
"""

import sys
from collections.abc import Sequence
from importlib import import_module

WORKER_WORD = "_worker"

WORKERS = {
    "guard": "app.system.guard:main",
    "echo": "app.system.echo:main",
    "model": "app.localmodel.serve:main",
    "speech": "app.voice.worker:main",
}


def child_argv(name: str, *args: str) -> tuple[str, ...]:
    """Give the command line that runs one of our workers."""
    if name not in WORKERS:
        raise LookupError(f"no such worker: {name}")
    if getattr(sys, "frozen", False):
        return (sys.executable, WORKER_WORD, name, *args)
    # -P: a folder named `app` where the person happens to be is not ours.
    return (sys.executable, "-P", "-m", __name__, WORKER_WORD, name, *args)


def worker_name(argv: Sequence[str]) -> str:
    """Say which of our workers a command line runs; empty if it runs something else."""
    has_name = WORKER_WORD in argv[:-1]
    return argv[list(argv).index(WORKER_WORD) + 1] if has_name else ""


def dispatch(argv: Sequence[str]) -> bool:
    """Run the worker that the arguments name; False if they name none."""
    match list(argv):
        case [word, name, *_] if word == WORKER_WORD:
            module, _, function = WORKERS[name].partition(":")
            getattr(import_module(module), function)()
            return True
        case _:
            return False


if __name__ == "__main__":
    dispatch(sys.argv[1:])
