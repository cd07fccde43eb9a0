"""Tests written as coroutines, each on a loop of its own."""

import functools
from collections.abc import Callable, Coroutine
from typing import Any, ParamSpec

from tests.harness.loops import play

P = ParamSpec("P")


def played(test: Callable[P, Coroutine[Any, Any, None]]) -> Callable[P, None]:
    """Run a test's coroutine to its end, bounded."""

    @functools.wraps(test)
    def run(*args: P.args, **kwargs: P.kwargs) -> None:
        play(test(*args, **kwargs))

    return run
