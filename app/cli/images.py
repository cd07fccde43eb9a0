"""Pictures for a question: checked by what they are, not by their names, and copied.

The copy is named after its content, so the same picture is kept once. Blocks on the disk: called
before the loop runs.
"""

import hashlib
from pathlib import Path
from typing import Final

from app.core.messages import ImagePart
from app.system.files import disk_problem, write_atomically

MAX_BYTES: Final = 20_000_000

_TYPES = (
    (b"\x89PNG\r\n\x1a\n", "image/png", ".png"),
    (b"\xff\xd8\xff", "image/jpeg", ".jpg"),
    (b"GIF87a", "image/gif", ".gif"),
    (b"GIF89a", "image/gif", ".gif"),
)


class BadImageError(Exception):
    """A file that cannot be attached; says why in a sentence."""

    def __init__(self, sentence: str) -> None:
        super().__init__(sentence)
        self.sentence = sentence


def attach(file: str, attachments: Path) -> ImagePart:
    """Copy a picture into the attachments; raise BadImageError or ProblemError."""
    data = _read(Path(file).expanduser())
    media_type, suffix = _kind(data, file)
    name = f"{hashlib.sha256(data).hexdigest()[:32]}{suffix}"
    target = attachments / name
    if not target.exists():
        try:
            write_atomically(target, data)
        except OSError as exc:
            raise disk_problem(exc, target) from exc
    return ImagePart(path=name, media_type=media_type)


def _read(path: Path) -> bytes:
    try:
        if not path.is_file():
            why = "is not a file" if path.exists() else "does not exist"
            raise BadImageError(f"{path} {why}.")
        if path.stat().st_size > MAX_BYTES:
            megabytes = MAX_BYTES // 1_000_000
            raise BadImageError(f"{path} is larger than {megabytes} MB. Make it smaller.")
        return path.read_bytes()
    except OSError as exc:
        raise BadImageError(f"{path} cannot be read: {exc.strerror or exc}.") from exc


def _kind(data: bytes, file: str) -> tuple[str, str]:
    for magic, media_type, suffix in _TYPES:
        if data.startswith(magic):
            return media_type, suffix
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return "image/webp", ".webp"
    raise BadImageError(f"{file} is not a PNG, JPEG, GIF or WebP picture.")
