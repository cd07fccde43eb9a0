"""The processes of one tree: how to signal all of them and how to know that all are gone."""

import contextlib
import os
import signal
import subprocess
import sys
from typing import Protocol

from app.system.process_table import (
    CAN_SCAN,
    Member,
    Tree,
    descendants,
    is_alive,
    read_row,
    scan,
)

if sys.platform == "win32":
    from app.system.jobs import JobMembers


class Members(Protocol):
    """All processes of a tree; used by one thread at a time."""

    def ask_to_end(self) -> None:
        """Ask every process to end, as far as the platform has a way."""
        ...

    def kill(self) -> None:
        """Kill every process that is still there."""
        ...

    def left(self) -> frozenset[int]:
        """List the ids of those that still live."""
        ...


def members_of(process: "subprocess.Popen[bytes]", tag: str) -> Members:
    """Describe the tree of a process that was just started and leads its own group."""
    if sys.platform == "win32":
        return JobMembers(process)
    if CAN_SCAN:
        return ScannedMembers(process.pid, tag)
    return GroupMembers(process.pid)


class ScannedMembers:
    """Linux: the group, its descendants, and whoever carries the tag.

    While some known member lives only those are looked at; the whole table is read when all
    known ones are dead, and the tree is gone when it shows no further one.
    """

    def __init__(self, pid: int, tag: str) -> None:
        leader = read_row(pid)
        self._pid = pid
        self._known: set[Member] = {leader.member} if leader else set()
        since = leader.member.started if leader else 0
        self._tree = Tree(tag, frozenset({pid}), since)
        self._last_signal: signal.Signals | None = None

    def ask_to_end(self) -> None:
        """Send SIGTERM to all."""
        self._known |= descendants(self._pid)  # once their parent is dead they are nobody's
        self._signal(signal.SIGTERM)
        _signal_group(self._pid, signal.SIGCONT)  # a stopped process hears nothing else

    def kill(self) -> None:
        """Send SIGKILL to all."""
        self._known |= scan(self._tree, self._known)
        self._signal(signal.SIGKILL)

    def left(self) -> frozenset[int]:
        """List who lives; whoever turns up only now gets the signal that all others got."""
        living = {member for member in self._known if is_alive(member)}
        if not living:
            living = scan(self._tree, self._known)
            self._known |= living
            for member in living:
                _signal_member(member, self._last_signal)
        return frozenset(member.pid for member in living)

    def _signal(self, number: signal.Signals) -> None:
        self._last_signal = number
        _signal_group(self._pid, number)
        for member in self._known:
            _signal_member(member, number)


class GroupMembers:
    """Other Unix systems: the group alone. Written from the manuals, not yet run on macOS."""

    def __init__(self, pid: int) -> None:
        self._pid = pid

    def ask_to_end(self) -> None:
        """Send SIGTERM to the group."""
        _signal_group(self._pid, signal.SIGTERM)

    def kill(self) -> None:
        """Send SIGKILL to the group."""
        _signal_group(self._pid, signal.SIGKILL)

    def left(self) -> frozenset[int]:
        """Say whether the group still has anybody."""
        try:
            os.killpg(self._pid, 0)
        except (ProcessLookupError, PermissionError):  # macOS: only zombies are left
            return frozenset()
        return frozenset({self._pid})


def _signal_group(group: int, number: signal.Signals) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(group, number)


def _signal_member(member: Member, number: signal.Signals | None) -> None:
    if number is None:
        return
    handle = _open_handle(member.pid)
    try:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            if not is_alive(member):  # asked with the handle open: it means this very process
                return
            if sys.platform == "linux" and handle is not None:
                signal.pidfd_send_signal(handle, number)
            else:
                os.kill(member.pid, number)
    finally:
        if handle is not None:
            os.close(handle)


def _open_handle(pid: int) -> int | None:
    if sys.platform != "linux":
        return None
    try:
        return os.pidfd_open(pid)
    except OSError:  # it is gone, or the kernel or the container is too old to have handles
        return None
