"""How much memory a large file could still have; nothing is reserved by asking."""

import ctypes
import os
import sys
from pathlib import Path
from typing import Any


def available_bytes() -> int | None:
    """Say how much memory is free or can be freed; None if the system does not tell."""
    if sys.platform == "win32":
        return _of_windows()
    try:
        return _of_linux() if sys.platform == "linux" else _physical()
    except (OSError, ValueError, KeyError):
        return None


def _of_linux() -> int | None:
    for line in Path("/proc/meminfo").read_text(encoding="ascii").splitlines():
        if line.startswith("MemAvailable:"):
            return int(line.split()[1]) * 1024
    return None


def _physical() -> int | None:
    return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")


class _MemoryStatus(ctypes.Structure):
    _fields_ = (
        ("length", ctypes.c_uint32),
        ("load", ctypes.c_uint32),
        *((name, ctypes.c_uint64) for name in ("total", "free", "a", "b", "c", "d", "e")),
    )


def _of_windows() -> int | None:
    status = _MemoryStatus(length=ctypes.sizeof(_MemoryStatus))
    system: Any = getattr(ctypes, "windll", None)  # there on Windows alone
    if system is None or not system.kernel32.GlobalMemoryStatusEx(ctypes.byref(status)):
        return None
    return int(status.free)
