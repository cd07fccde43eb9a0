"""A listening socket that lets nobody in: connections to it hang until they are given up."""

import select
import socket
from typing import Self


class FullListener:
    """Listens, accepts nothing, and has its queue full already."""

    def __init__(self) -> None:
        self._listening = socket.socket()
        self._waiting: list[socket.socket] = []

    def __enter__(self) -> Self:
        self._listening.bind(("127.0.0.1", 0))
        self._listening.listen(0)
        while self._is_let_in():
            pass
        return self

    def __exit__(self, *_: object) -> None:
        for sock in (*self._waiting, self._listening):
            sock.close()

    @property
    def port(self) -> int:
        """Where it listens."""
        port: int = self._listening.getsockname()[1]
        return port

    @property
    def url(self) -> str:
        """Its address, as a model server's."""
        return f"http://127.0.0.1:{self.port}/v1"

    def _is_let_in(self) -> bool:
        sock = socket.socket()
        self._waiting.append(sock)
        sock.settimeout(0)
        sock.connect_ex(("127.0.0.1", self.port))
        _, let_in, _ = select.select([], [sock], [], 0.3)
        return bool(let_in)
