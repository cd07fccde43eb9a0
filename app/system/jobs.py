"""Windows: a job object per tree, which Windows ends when its last handle closes, as when we die.

Written from the documentation; it has not been run on Windows yet. A child could start another
one in the moment before it is put into the job.
"""

import ctypes
import subprocess
import sys

if sys.platform == "win32":
    from ctypes import wintypes

    _EXTENDED_LIMITS = 9
    _BASIC_ACCOUNTING = 1
    _KILL_ON_CLOSE = 0x2000

    class _BasicLimits(ctypes.Structure):
        _fields_ = (
            ("PerProcessUserTimeLimit", ctypes.c_int64),
            ("PerJobUserTimeLimit", ctypes.c_int64),
            ("LimitFlags", wintypes.DWORD),
            ("MinimumWorkingSetSize", ctypes.c_size_t),
            ("MaximumWorkingSetSize", ctypes.c_size_t),
            ("ActiveProcessLimit", wintypes.DWORD),
            ("Affinity", ctypes.c_size_t),
            ("PriorityClass", wintypes.DWORD),
            ("SchedulingClass", wintypes.DWORD),
        )

    class _Limits(ctypes.Structure):
        _fields_ = (
            ("BasicLimitInformation", _BasicLimits),
            ("IoInfo", ctypes.c_uint64 * 6),
            ("ProcessMemoryLimit", ctypes.c_size_t),
            ("JobMemoryLimit", ctypes.c_size_t),
            ("PeakProcessMemoryUsed", ctypes.c_size_t),
            ("PeakJobMemoryUsed", ctypes.c_size_t),
        )

    class _Accounting(ctypes.Structure):
        _fields_ = (
            ("TotalUserTime", ctypes.c_int64),
            ("TotalKernelTime", ctypes.c_int64),
            ("ThisPeriodTotalUserTime", ctypes.c_int64),
            ("ThisPeriodTotalKernelTime", ctypes.c_int64),
            ("TotalPageFaultCount", wintypes.DWORD),
            ("TotalProcesses", wintypes.DWORD),
            ("ActiveProcesses", wintypes.DWORD),
            ("TotalTerminatedProcesses", wintypes.DWORD),
        )

    class JobMembers:
        """The processes of one job."""

        def __init__(self, process: "subprocess.Popen[bytes]") -> None:
            self._pid = process.pid
            self._kernel = ctypes.WinDLL("kernel32", use_last_error=True)
            self._kernel.CreateJobObjectW.restype = wintypes.HANDLE
            self._job = wintypes.HANDLE(self._kernel.CreateJobObjectW(None, None))
            limits = _Limits()
            limits.BasicLimitInformation.LimitFlags = _KILL_ON_CLOSE
            self._kernel.SetInformationJobObject(
                self._job, _EXTENDED_LIMITS, ctypes.byref(limits), ctypes.sizeof(limits)
            )
            handle = wintypes.HANDLE(int(process._handle))  # noqa: SLF001 - the only handle to it
            if not self._kernel.AssignProcessToJobObject(self._job, handle):
                raise ctypes.WinError(ctypes.get_last_error())

        def ask_to_end(self) -> None:
            """Do nothing: Windows has no way to ask; a closed stdin is our way."""

        def kill(self) -> None:
            """End every process of the job."""
            self._kernel.TerminateJobObject(self._job, 1)

        def left(self) -> frozenset[int]:
            """Say whether the job still has processes."""
            found = _Accounting()
            self._kernel.QueryInformationJobObject(
                self._job, _BASIC_ACCOUNTING, ctypes.byref(found), ctypes.sizeof(found), None
            )
            return frozenset({self._pid}) if found.ActiveProcesses else frozenset()
