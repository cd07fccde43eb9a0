"""The environment that children get: ours, without what is not theirs to see."""

import os
import sys
from collections.abc import Mapping

from app.system.process_table import TAG_SEPARATOR, TAG_VARIABLE

_PRIVATE = ("OPENAI_API_KEY",)  # a tool that prints its environment would show it to the model
_LIBRARY_PATHS = ("LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH")


def child_environment(environ: Mapping[str, str] = os.environ) -> dict[str, str]:
    """Copy the environment for a child, leaving out our own keys."""
    copy = {name: value for name, value in environ.items() if name not in _PRIVATE}
    copy["ORT_DISABLE_TELEMETRY"] = "1"
    if getattr(sys, "frozen", False):
        _restore_library_paths(copy)
    return copy


def tagged(environ: Mapping[str, str], tag: str) -> dict[str, str]:
    """Add a tree's tag; the tags of the trees that we are in ourselves stay."""
    tags = [old for old in (environ.get(TAG_VARIABLE), tag) if old]
    return {**environ, TAG_VARIABLE: TAG_SEPARATOR.join(tags)}


def _restore_library_paths(environ: dict[str, str]) -> None:
    # A packaged app points these at its own libraries, which break other people's programs.
    for name in _LIBRARY_PATHS:
        original = environ.pop(f"{name}_ORIG", None)
        if original is None:
            environ.pop(name, None)
        else:
            environ[name] = original
