"""Where icons and the style sheet lie: in the package once installed, beside it in a checkout."""

from functools import cache
from pathlib import Path


@cache
def read(name: str) -> str:
    """Give the text of a file under `resources/`."""
    return (_folder() / name).read_text(encoding="utf-8")


@cache
def _folder() -> Path:
    package = Path(__file__).resolve().parents[1]
    installed = package / "resources"
    return installed if installed.is_dir() else package.parent / "resources"
