"""A timer that ends the process without Python: it fires even while some C code holds the GIL.

Linux only: `timer_create` with a thread that calls the C library's `_exit`. Nothing of ours runs
between the kernel's clock and the end.
"""

import ctypes
import sys
from typing import Self

_CLOCK_MONOTONIC = 1
_SIGEV_THREAD = 2


class _SignalEvent(ctypes.Structure):
    _fields_ = (
        ("value", ctypes.c_void_p),
        ("number", ctypes.c_int),
        ("notify", ctypes.c_int),
        ("function", ctypes.c_void_p),
        ("attributes", ctypes.c_void_p),
        ("padding", ctypes.c_char * 32),
    )


class _Time(ctypes.Structure):
    _fields_ = (("seconds", ctypes.c_long), ("nanoseconds", ctypes.c_long))


class _TimerTimes(ctypes.Structure):
    _fields_ = (("interval", _Time), ("first", _Time))


class NativeTimer:
    """One armed timer."""

    def __init__(self, library: ctypes.CDLL, handle: ctypes.c_void_p) -> None:
        self._library = library
        self._handle = handle

    @classmethod
    def exit_after(cls, seconds: float, code: int) -> Self | None:
        """End the process after that time; None where there is no such timer."""
        if sys.platform != "linux" or ctypes.sizeof(ctypes.c_void_p) != 8:
            return None
        library = ctypes.CDLL(None, use_errno=True)
        if not hasattr(library, "timer_create"):
            return None  # a C library older than Python 3.11's other needs
        event = _SignalEvent(
            value=code,
            notify=_SIGEV_THREAD,
            function=ctypes.cast(library._exit, ctypes.c_void_p),  # noqa: SLF001 - its C name
        )
        handle = ctypes.c_void_p()
        if library.timer_create(_CLOCK_MONOTONIC, ctypes.byref(event), ctypes.byref(handle)):
            return None
        timer = cls(library, handle)
        timer._set(seconds)
        return timer

    def cancel(self) -> None:
        """Take the timer back."""
        self._library.timer_delete(self._handle)

    def _set(self, seconds: float) -> None:
        whole = int(seconds)
        times = _TimerTimes(first=_Time(whole, int((seconds - whole) * 1e9)))
        self._library.timer_settime(self._handle, 0, ctypes.byref(times), None)
