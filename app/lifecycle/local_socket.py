"""A socket that only this machine and this person can reach.

A Unix socket in a private folder where there are such sockets and its path fits; else loopback
TCP, with its port and a random key in a private file.
"""

import contextlib
import hmac
import secrets
import socket
import sys
from collections.abc import Iterator
from pathlib import Path

from app.system.files import OWNER_FILE, write_atomically

_LONGEST_UNIX_PATH = 100  # Linux allows 107 bytes, macOS 103


class LocalAddress:
    """Where a folder's socket is."""

    def __init__(self, folder: Path) -> None:
        self._socket_path = folder / "window.sock"
        self._port_path = folder / "window.port"
        fits = len(str(self._socket_path).encode()) <= _LONGEST_UNIX_PATH
        self._is_unix = sys.platform != "win32" and fits

    def listen(self) -> socket.socket:
        """Open the socket, in place of whatever a dead process left there."""
        return self._listen_unix() if self._is_unix else self._listen_tcp()

    def connect(self, timeout_s: float) -> socket.socket:
        """Connect; raise OSError if nobody listens."""
        family = socket.AF_UNIX if self._is_unix else socket.AF_INET
        connection = socket.socket(family, socket.SOCK_STREAM)
        connection.settimeout(timeout_s)
        try:
            connection.connect(self._target())
        except BaseException:
            connection.close()
            raise
        return connection

    def key(self) -> str:
        """Read the key to say; a Unix socket needs none, its folder is the key."""
        return "" if self._is_unix else self._port_path.read_text().split()[1]

    def is_key(self, key: str) -> bool:
        """Say whether somebody knows the key."""
        try:
            return hmac.compare_digest(key.encode(), self.key().encode())
        except (OSError, IndexError):
            return False

    def remove(self) -> None:
        """Take the address off the disk."""
        for path in (self._socket_path, self._port_path):
            path.unlink(missing_ok=True)

    def _target(self) -> str | tuple[str, int]:
        if self._is_unix:
            return str(self._socket_path)
        try:
            return "127.0.0.1", int(self._port_path.read_text().split()[0])
        except (ValueError, IndexError) as exc:
            raise ConnectionRefusedError(f"no port in {self._port_path}") from exc

    def _listen_unix(self) -> socket.socket:
        self.remove()
        listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        with _closed_on_error(listener):
            listener.bind(str(self._socket_path))
            self._socket_path.chmod(OWNER_FILE)
            listener.listen()
        return listener

    def _listen_tcp(self) -> socket.socket:
        listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        with _closed_on_error(listener):
            listener.bind(("127.0.0.1", 0))
            listener.listen()
            port = listener.getsockname()[1]
            write_atomically(self._port_path, f"{port} {secrets.token_hex(16)}\n")
        return listener


@contextlib.contextmanager
def _closed_on_error(listener: socket.socket) -> Iterator[None]:
    try:
        yield
    except BaseException:
        listener.close()
        raise
