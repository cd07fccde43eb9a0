"""The fence round the tests: sockets of this process reach loopback and nothing else.

A name that is not ours does not resolve, as on a machine without a network. A connection to a
foreign address raises, and is remembered: the code under test may have turned the error into a
polite sentence, and the test must fail all the same.
"""

import ipaddress
import socket
from collections.abc import Callable
from typing import Any

import pytest

_LOCAL_NAMES = frozenset({"", "localhost", "localhost.localdomain"})


class OutsideLoopbackError(RuntimeError):
    """A test tried to leave this machine."""


def is_local(host: object) -> bool:
    """Say whether a host is this machine."""
    name = host.decode() if isinstance(host, bytes) else host
    if name is None:
        return True
    try:
        return ipaddress.ip_address(str(name).partition("%")[0]).is_loopback
    except ValueError:
        return str(name).rstrip(".").lower() in _LOCAL_NAMES


def _is_literal(host: object) -> bool:
    try:
        ipaddress.ip_address(str(host).partition("%")[0])
    except ValueError:
        return False
    return True


class Fence:
    """Patches `socket` for as long as a MonkeyPatch lives."""

    def __init__(self) -> None:
        self.attempts: list[object] = []

    def put_up(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Guard every way out of this process."""
        for method in ("connect", "connect_ex"):
            original = getattr(socket.socket, method)
            monkeypatch.setattr(socket.socket, method, self._guarded(original))
        monkeypatch.setattr(socket.socket, "sendto", self._guarded_sendto(socket.socket.sendto))
        monkeypatch.setattr(socket, "getaddrinfo", self._resolver(socket.getaddrinfo))

    def _check(self, sock: socket.socket, address: Any) -> None:
        if sock.family in (socket.AF_INET, socket.AF_INET6) and not is_local(address[0]):
            self.attempts.append(address)
            raise OutsideLoopbackError(f"a test tried to connect to {address}")

    def _guarded(self, original: Callable[..., Any]) -> Callable[..., Any]:
        def guarded(sock: socket.socket, address: Any) -> Any:
            self._check(sock, address)
            return original(sock, address)

        return guarded

    def _guarded_sendto(self, original: Callable[..., Any]) -> Callable[..., Any]:
        def sendto(sock: socket.socket, data: bytes, *rest: Any) -> Any:
            self._check(sock, rest[-1])
            return original(sock, data, *rest)

        return sendto

    def _resolver(self, original: Callable[..., Any]) -> Callable[..., Any]:
        def getaddrinfo(host: object, *args: Any, **kwargs: Any) -> Any:
            if not is_local(host) and not _is_literal(host):
                raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")
            return original(host, *args, **kwargs)

        return getaddrinfo
