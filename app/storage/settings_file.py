"""The settings as a JSON file that a person may edit.

What cannot be understood falls back to its default, field by field, and a copy of the file is
kept before anything is written over it. Keys that this Belay does not know stay where they are.
Both functions block on the disk.
"""

import hashlib
import json
from pathlib import Path
from typing import Any

from app.core.errors import Problem, ProblemKind
from app.core.settings import Settings
from app.storage.codec import storable
from app.storage.fields import from_plain, to_plain
from app.system.files import disk_problem, write_atomically
from app.system.paths import make_folder

_SIZES_PX = range(8, 49)


def load(path: Path) -> tuple[Settings, Problem | None]:
    """Read the settings; with a problem, they are what could be understood."""
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        return Settings(), None
    except OSError as exc:
        return Settings(), _bad(path, repr(exc))
    plain = _parsed(data)
    if plain is None:
        return Settings(), _bad(_kept(path, data), "not a JSON object")
    settings, faults = _understood(plain)
    if faults:
        return settings, _bad(_kept(path, data), ", ".join(faults))
    return settings, None


def save(path: Path, settings: Settings) -> None:
    """Write the settings whole; raises ProblemError, and then the file is as it was."""
    make_folder(path.parent)
    try:
        plain = _merged(_existing(path), to_plain(settings))
        text = json.dumps(plain, indent=2, ensure_ascii=False)
        write_atomically(path, storable(text) + "\n")
    except OSError as exc:
        raise disk_problem(exc, path) from exc


def _parsed(data: bytes) -> dict[str, Any] | None:
    try:
        plain = json.loads(data.decode("utf-8-sig"))  # some editors put a mark in front
    except (ValueError, RecursionError):
        return None
    return plain if isinstance(plain, dict) else None


def _understood(plain: dict[str, Any]) -> tuple[Settings, list[str]]:
    faults: list[str] = []
    size = plain.get("base_size_px")
    if isinstance(size, int) and size not in _SIZES_PX:
        faults.append("base_size_px")
        plain = {key: value for key, value in plain.items() if key != "base_size_px"}
    return from_plain(Settings, plain, faults), faults


def _existing(path: Path) -> dict[str, Any]:
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        return {}
    plain = _parsed(data)
    if plain is None or _understood(plain)[1]:
        _kept(path, data)
    return plain or {}


def _kept(path: Path, data: bytes) -> Path:
    """Copy a file that is not understood; the same content is copied once."""
    copy = path.with_name(f"{path.stem}.broken-{hashlib.sha256(data).hexdigest()[:8]}{path.suffix}")
    try:
        if not copy.exists():
            write_atomically(copy, data)
    except OSError:
        return path  # it is still there itself, and saving tries to copy it again
    return copy


def _merged(old: dict[str, Any], new: dict[str, Any]) -> dict[str, Any]:
    """Put new values over old ones, keeping what the new do not mention."""
    merged = {**old, **new}
    for key, value in new.items():
        before = old.get(key)
        if isinstance(value, list) and isinstance(before, list):
            merged[key] = [_merged(_same(item, before), item) for item in value]
    return merged


def _same(item: dict[str, Any], before: list[Any]) -> dict[str, Any]:
    """Find the old form of an endpoint, to keep what else stood in it."""
    names = ("base_url", "model")
    for old in before:
        if isinstance(old, dict) and all(old.get(n) == item.get(n) for n in names):
            return old
    return {}


def _bad(path: Path, detail: str) -> Problem:
    return Problem(kind=ProblemKind.BAD_SETTINGS, params={"path": str(path)}, detail=detail)
