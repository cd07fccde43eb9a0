"""A command to start: what to run, where, with which environment and pipes."""

import os
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """One child process; without `has_input` its stdin is empty from the start."""

    argv: tuple[str, ...]
    cwd: Path | None = None
    env: Mapping[str, str] | None = None  # None: ours, without our keys
    has_input: bool = False
    merges_errors: bool = False  # stderr goes where stdout goes, in the order written


def find_program(command: Command, environ: Mapping[str, str]) -> str:
    """Find the command's program; raise FileNotFoundError as a direct start would."""
    name = command.argv[0]
    if os.sep in name and command.cwd is not None:
        name = str(command.cwd / name)
    found = shutil.which(name, path=environ.get("PATH"))
    if found is None:
        raise FileNotFoundError(f"no such program: {command.argv[0]}")
    return found
