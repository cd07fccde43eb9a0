"""Reads the head of a GGUF file: whether it is a chat model, what it is called, what it can read.

Only the head is read, and no further than needed; every length in it is distrusted. Blocks on the
disk.
"""

import struct
from pathlib import Path
from typing import BinaryIO, Final

from app.core.errors import ProblemError, ProblemKind, problem
from app.core.models import FileChecked
from app.system.memory import available_bytes

_MAGIC: Final = b"GGUF"
_VERSIONS: Final = (2, 3)
_MOST_ENTRIES: Final = 4096
_LONGEST: Final = 1 << 20  # of a key or a text
_MOST_ITEMS: Final = 4_000_000  # of an array
_NUMBERS: Final = ("<B", "<b", "<H", "<h", "<I", "<i", "<f", "<?", "", "", "<Q", "<q", "<d")
_TEXT, _ARRAY = 8, 9
# What such files also hold, and what cannot chat.
_OTHERS: Final = frozenset({"clip", "bert", "nomic-bert", "whisper", "t5encoder", "jina-bert-v2"})
_ROOM: Final = 1.2  # a model takes its file and some room to work in

Value = str | int | float | bool | None


class _BadFileError(Exception):
    """What was read is no GGUF head."""


def examine(path: str) -> FileChecked:
    """Say what a model file is; raises ProblemError if it cannot be served here."""
    file = Path(path)
    try:
        size = file.stat().st_size
        with file.open("rb") as opened:
            head = _Head(opened).read()
    except FileNotFoundError as exc:
        raise problem(ProblemKind.NO_SUCH_FILE, path=file.name) from exc
    except (OSError, _BadFileError, UnicodeError, struct.error) as exc:
        raise _no_model(file, str(exc)) from exc
    architecture = str(head.get("general.architecture") or "")
    if not architecture or architecture in _OTHERS:
        raise _no_model(file, f"architecture {architecture or 'not named'}")
    _check_memory(file, size)
    window = head.get(f"{architecture}.context_length")
    return FileChecked(
        path=str(file),
        name=str(head.get("general.name") or "") or file.stem,
        context_window=window if isinstance(window, int) else None,
        size_bytes=size,
    )


def _check_memory(file: Path, size: int) -> None:
    free = available_bytes()
    if free is not None and size * _ROOM > free:
        raise problem(
            ProblemKind.MODEL_TOO_LARGE,
            model=file.name,
            size=f"{size / 1e9:.1f}",
            free=f"{free / 1e9:.1f}",
        )


def _no_model(file: Path, why: str) -> ProblemError:
    return problem(ProblemKind.NOT_A_MODEL, why, path=file.name)


class _Head:
    """The key-value pairs in front of the weights."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file

    def read(self) -> dict[str, Value]:
        """Read the pairs, up to the vocabulary, which is long and says nothing we ask for."""
        if self._file.read(4) != _MAGIC:
            raise _BadFileError("it does not begin as a GGUF file does")
        version, _tensors, entries = (self._number("<I"), self._number("<Q"), self._number("<Q"))
        if version not in _VERSIONS or not 0 < entries <= _MOST_ENTRIES:
            raise _BadFileError(f"version {version}, {entries} entries")
        found: dict[str, Value] = {}
        for _ in range(int(entries)):
            key = self._text()
            if key.startswith("tokenizer."):
                break
            found[key] = self._value(int(self._number("<I")))
        return found

    def _value(self, kind: int) -> Value:
        if kind == _TEXT:
            return self._text()
        if kind == _ARRAY:
            self._skip_array()
            return None
        if not 0 <= kind < len(_NUMBERS):
            raise _BadFileError(f"unknown kind {kind}")
        return self._number(_NUMBERS[kind])

    def _skip_array(self) -> None:
        kind, count = int(self._number("<I")), int(self._number("<Q"))
        if count > _MOST_ITEMS or kind == _ARRAY:
            raise _BadFileError("an array that cannot be")
        for _ in range(count):
            self._value(kind)

    def _text(self) -> str:
        length = int(self._number("<Q"))
        if length > _LONGEST:
            raise _BadFileError(f"a text of {length} bytes")
        return self._exactly(length).decode("utf-8")

    def _number(self, form: str) -> int | float | bool:
        (value,) = struct.unpack(form, self._exactly(struct.calcsize(form)))
        number: int | float | bool = value
        return number

    def _exactly(self, count: int) -> bytes:
        data = self._file.read(count)
        if len(data) < count:
            raise _BadFileError("it ends too early")
        return data
