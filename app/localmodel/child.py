"""One run of the model's child process, from its start to its end.

Lives on the loop that starts it. The child is gone when its stdin ends, when it is told to, and,
by the spawner's care, whenever we are.
"""

import asyncio
import json
import secrets
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from app.core.errors import ProblemKind, problem
from app.core.ports import ModelAddress
from app.localmodel.serve import MODEL_NAME
from app.system.children import child_argv
from app.system.commands import Command
from app.system.process_tree import ProcessTree
from app.system.redaction import register_secret
from app.system.spawner import spawner
from app.system.threads import await_future


class ModelChild:
    """A child that serves, or has ended."""

    def __init__(self, tree: ProcessTree, address: ModelAddress) -> None:
        self.address = address
        self._tree = tree

    @property
    def is_alive(self) -> bool:
        """Say whether it still runs."""
        return self._tree.exit_code is None

    def end(self) -> None:
        """Make it go, without waiting for it."""
        self._tree.begin_end(0)


async def start_child(path: Path, *, threads: int, context: int) -> ModelChild:
    """Start a child on these weights and wait until it serves; raise ProblemError."""
    key = secrets.token_urlsafe(24)
    register_secret(key)
    first_line = _FirstLine()
    command = Command(argv=child_argv("model"), has_input=True)
    tree = await await_future(spawner().start(command, on_stdout=first_line.feed))
    told = {"model": str(path), "key": key, "threads": threads, "context": context}
    assert tree.stdin is not None
    tree.stdin.write(json.dumps(told).encode() + b"\n")
    try:
        said = await _said(first_line, tree)
    except BaseException:
        tree.begin_end(0)
        raise
    if "url" not in said:
        tree.begin_end(0)
        reason = str(said.get("error") or "it gave no address")
        raise problem(ProblemKind.BUILT_IN_FAILED, detail=reason, reason=_plain(reason))
    return ModelChild(tree, ModelAddress(base_url=said["url"], key=key, model=MODEL_NAME))


async def _said(first_line: "_FirstLine", tree: ProcessTree) -> Mapping[str, Any]:
    """Wait for the child's word, or for its end without one."""
    ended = asyncio.ensure_future(tree.output_ended())
    either: tuple[asyncio.Future[Any], ...] = (ended, first_line.future)
    try:
        await asyncio.wait(either, return_when=asyncio.FIRST_COMPLETED)
    finally:
        ended.cancel()
    await asyncio.sleep(0)  # a line that came with the end is on its way to us
    if first_line.future.done():
        return first_line.future.result()
    return {"error": f"it ended with {await tree.exited()}"}


class _FirstLine:
    """The first line that a child writes, as JSON, from its pipe's thread to our loop."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._bytes = bytearray()
        self._is_read = False
        self.future: asyncio.Future[Mapping[str, Any]] = self._loop.create_future()

    def feed(self, data: bytes) -> None:
        """Take what the child wrote; called on the pipe's thread."""
        self._bytes += data
        line, newline, _ = self._bytes.partition(b"\n")
        if newline and not self._is_read:
            self._is_read = True
            try:
                self._loop.call_soon_threadsafe(self._settle, bytes(line))
            except RuntimeError:  # the loop has ended, and with it everybody who waited
                return

    def _settle(self, line: bytes) -> None:
        if self.future.done():
            return
        try:
            said = json.loads(line)
        except ValueError:
            said = {}
        self.future.set_result(said if isinstance(said, dict) else {})


def _plain(reason: str) -> str:
    """Keep a reason short enough for a sentence."""
    return reason.splitlines()[0][:80].rstrip(".") if reason else "unknown"
