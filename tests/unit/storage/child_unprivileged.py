"""Open a store as somebody who may not write to it, and say what the problem was."""

import json
import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[3]))

from app.core.errors import ProblemError
from app.storage.store import SqliteStore

NOBODY = 65534


def main(path: Path) -> None:
    """Try to open the store at `path`."""
    if os.geteuid() == 0:
        os.setgid(NOBODY)
        os.setuid(NOBODY)
    store = SqliteStore(path, lease="nobody", live_leases=set)
    kinds = []
    try:
        store.start().wait(20.0)
    except ProblemError as exc:
        kinds.append(exc.problem.kind)
    store.close(20.0)
    sys.stdout.write(json.dumps(kinds))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
