"""Run every benchmark, or those that are named: `python -m bench [--quick] [NAME…]`."""

import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent
NO_BENCHMARKS = {"__init__", "__main__", "harness", "first_paint"}


def main(arguments: list[str]) -> int:
    """Run each in a process of its own; 0 if every limit holds."""
    options = [argument for argument in arguments if argument.startswith("-")]
    named = [argument for argument in arguments if not argument.startswith("-")]
    found = sorted(path.stem for path in HERE.glob("*.py") if path.stem not in NO_BENCHMARKS)
    codes = []
    for name in named or found:
        print(f"\n{name}", flush=True)
        command = [sys.executable, "-m", f"bench.{name}", *options]
        codes.append(subprocess.run(command, cwd=HERE.parent, check=False).returncode)
    return max(codes, default=0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
