"""Recordings on disk until their words have landed.

A clip is 16 kHz mono, 16 bit, appended while the key is held and synced about once a second, so
that even a crash keeps what was said. Its name says whose it is. When the disk refuses, the clip
goes on in memory: hearing comes first.
"""

import logging
import os
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from app.core.ids import ConversationId, MessageId
from app.system.paths import make_folder
from app.system.threads import spawn_thread

log = logging.getLogger(__name__)

Samples = npt.NDArray[np.float32]

_SUFFIX = ".pcm"
_SYNC_S = 1.0
_SHORTEST_BYTES = int(0.3 * 16_000) * 2


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredClip:
    """A recording that an earlier run left behind."""

    id: MessageId
    conversation_id: ConversationId
    path: Path

    def samples(self) -> Samples:
        """Read it."""
        whole = self.path.read_bytes()
        data = np.frombuffer(whole[: len(whole) // 2 * 2], np.int16)
        return np.divide(data, 32768, dtype=np.float32)

    @property
    def is_too_short(self) -> bool:
        """Say whether there can be no word in it: it was killed as it began."""
        return self.path.stat().st_size < _SHORTEST_BYTES

    def delete(self) -> None:
        """Forget it: its words have landed."""
        self.path.unlink(missing_ok=True)


class Clips:
    """The folder of recordings."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def begin(self, clip_id: MessageId, conversation_id: ConversationId) -> "Clip":
        """Begin a recording."""
        stored = StoredClip(
            id=clip_id,
            conversation_id=conversation_id,
            path=self._folder / f"{clip_id}.{conversation_id}{_SUFFIX}",
        )
        return Clip(stored)

    def left(self) -> Iterator[StoredClip]:
        """List what has not landed, oldest first; what is too short for a word is deleted."""
        try:
            paths = sorted(self._folder.glob(f"*{_SUFFIX}"), key=lambda p: p.stat().st_mtime)
        except OSError:
            return
        for path in paths:
            clip_id, _, conversation_id = path.name.removesuffix(_SUFFIX).partition(".")
            if not clip_id or not conversation_id:
                continue
            clip = StoredClip(
                id=MessageId(clip_id), conversation_id=ConversationId(conversation_id), path=path
            )
            try:
                if not clip.is_too_short:
                    yield clip
                    continue
                clip.delete()
            except OSError as error:  # a folder that cannot be written must not make us deaf
                log.warning("a recording could not be looked at: %r", error)


class Clip:
    """A recording under way; one thread writes it."""

    def __init__(self, stored: StoredClip) -> None:
        self.stored = stored
        self._chunks: list[Samples] = []
        self._fd = self._open()
        self._synced_at = time.monotonic()

    def append(self, samples: Samples) -> None:
        """Add sound, in memory and on disk."""
        self._chunks.append(samples)
        if self._fd is None:
            return
        try:
            os.write(self._fd, to_pcm(samples))
        except OSError as error:
            log.warning("a recording goes on in memory: %s", error)
            self._close()
            return
        if time.monotonic() - self._synced_at > _SYNC_S:
            self._synced_at = time.monotonic()
            spawn_thread("belay-clip-sync", _sync, os.dup(self._fd))

    def samples(self) -> Samples:
        """Give all of it."""
        return np.concatenate(self._chunks) if self._chunks else np.zeros(0, np.float32)

    def finish(self) -> None:
        """Put the rest on disk."""
        if self._fd is not None:
            spawn_thread("belay-clip-sync", _sync, os.dup(self._fd))
        self._close()

    def delete(self) -> None:
        """Forget it."""
        self._close()
        self.stored.delete()

    def _open(self) -> int | None:
        try:
            make_folder(self.stored.path.parent)
            flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | getattr(os, "O_BINARY", 0)
            return os.open(self.stored.path, flags, 0o600)
        except Exception as error:  # noqa: BLE001 - a full disk must not make us deaf
            log.warning("a recording is kept in memory only: %s", error)
            return None

    def _close(self) -> None:
        if self._fd is not None:
            os.close(self._fd)
            self._fd = None


def to_pcm(samples: Samples) -> bytes:
    """Make 16-bit samples."""
    return (np.clip(samples, -1.0, 1.0) * 32767).astype(np.int16).tobytes()


def _sync(fd: int) -> None:
    try:
        os.fsync(fd)
    except OSError as error:
        log.warning("a recording could not be synced: %s", error)
    finally:
        os.close(fd)
