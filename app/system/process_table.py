"""Who belongs to a process tree, read from /proc (Linux).

A member shares the root's group or session, descends from a member, or carries the tree's tag in
its environment, wherever it has moved: `setsid` leaves the group, a double fork leaves the
parent, but neither changes the environment. Kept light: the guard imports it and little else.
"""

import os
import sys
from collections.abc import Iterable
from typing import NamedTuple

TAG_VARIABLE = "BELAY_TREE"
TAG_SEPARATOR = ":"
CAN_SCAN = sys.platform == "linux"

_ENTRY = f"{TAG_VARIABLE}=".encode()
_NOT_ALIVE = frozenset(b"ZXx")


class Member(NamedTuple):
    """A process that cannot be mistaken for a later one of the same id."""

    pid: int
    started: int  # clock ticks since boot


class Row(NamedTuple):
    """One process as the kernel tells it."""

    member: Member
    parent: int
    group: int
    session: int
    is_alive: bool


class Tree(NamedTuple):
    """What marks the members: tags (a trailing dot matches all that begin so) and groups."""

    tag: str
    groups: frozenset[int]
    since: int  # nothing that started earlier is a member


def read_row(pid: int) -> Row | None:
    """Read one process; None if there is none, or none that we may see."""
    stat = _read(f"/proc/{pid}/stat")
    if not stat:
        return None
    fields = stat[stat.rindex(b")") + 2 :].split()
    return Row(
        member=Member(pid, int(fields[19])),
        parent=int(fields[1]),
        group=int(fields[2]),
        session=int(fields[3]),
        is_alive=fields[0][0] not in _NOT_ALIVE,
    )


def is_alive(member: Member) -> bool:
    """Say whether exactly this process still runs."""
    row = read_row(member.pid)
    return row is not None and row.member == member and row.is_alive


def scan(tree: Tree, known: Iterable[Member] = ()) -> set[Member]:
    """Find every living member; `known` ones are searched for descendants as well."""
    rows = {row.member.pid: row for row in _newer_rows(tree.since) if row.is_alive}
    found = {m.pid for m in known if m.pid in rows and rows[m.pid].member == m}
    found |= {pid for pid, row in rows.items() if _is_marked(row, tree)}
    while more := {pid for pid, row in rows.items() if row.parent in found} - found:
        found |= more
    return {rows[pid].member for pid in found}


def descendants(pid: int) -> set[Member]:
    """Find the living descendants of a process quickly, without reading the whole table."""
    found: set[Member] = set()
    waiting = [pid]
    while waiting:
        for child in _children(waiting.pop()):
            row = read_row(child)
            if row is not None and row.member not in found:
                found.add(row.member)
                waiting.append(child)
    return found


def _newer_rows(since: int) -> Iterable[Row]:
    own = os.getpid()
    for name in os.listdir("/proc"):  # noqa: PTH208 - the guard does without pathlib
        if name.isdigit() and int(name) != own:
            row = read_row(int(name))
            if row is not None and row.member.started >= since:
                yield row


def _is_marked(row: Row, tree: Tree) -> bool:
    if row.group in tree.groups or row.session in tree.groups:
        return True
    tags = read_tags(row.member.pid)
    return any(tag == tree.tag or _is_under(tag, tree.tag) for tag in tags)


def _is_under(tag: str, prefix: str) -> bool:
    return prefix.endswith(".") and tag.startswith(prefix)


def read_tags(pid: int) -> list[str]:
    """Read a process's tags; empty if it has none or is another user's."""
    for entry in _read(f"/proc/{pid}/environ").split(b"\0"):
        if entry.startswith(_ENTRY):
            return entry[len(_ENTRY) :].decode("ascii", "replace").split(TAG_SEPARATOR)
    return []


def _children(pid: int) -> list[int]:
    try:
        threads = os.listdir(f"/proc/{pid}/task")  # noqa: PTH208 - as above
    except OSError:
        return []  # ended meanwhile
    lists = [_read(f"/proc/{pid}/task/{thread}/children") for thread in threads]
    return [int(child) for child in b" ".join(lists).split()]


def _read(path: str) -> bytes:
    try:
        with open(path, "rb", buffering=0) as file:  # noqa: PTH123 - the guard does without pathlib
            return file.read()
    except OSError:
        return b""  # ended meanwhile, or not ours to see
