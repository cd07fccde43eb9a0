"""A virtual X display of our own: the server picks its number, we end it by its process."""

import os
import select
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

_START_LIMIT_S = 30.0


@contextmanager
def virtual_display(width: int = 1280, height: int = 800) -> Iterator[str]:
    """Run an Xvfb and give its name, such as ":7"."""
    program = shutil.which("Xvfb")
    if program is None:
        pytest.fail("Xvfb is missing: `make test` installs it, or names its package")
    read_end, write_end = os.pipe()
    argv = [program, "-displayfd", str(write_end), "-screen", "0", f"{width}x{height}x24"]
    argv += ["-nolisten", "tcp", "-noreset"]
    server = subprocess.Popen(
        argv, pass_fds=[write_end], stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    os.close(write_end)
    try:
        yield f":{_number(read_end)}"
    finally:
        os.close(read_end)
        server.kill()
        server.wait()


def _number(read_end: int) -> int:
    line = b""
    while not line.endswith(b"\n"):
        ready, _, _ = select.select([read_end], [], [], _START_LIMIT_S)
        chunk = os.read(read_end, 16) if ready else b""
        if not chunk:
            pytest.fail("Xvfb did not start")
        line += chunk
    return int(line)
