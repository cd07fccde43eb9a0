"""Callbacks that cannot take the storage thread down with them."""

import logging
from collections.abc import Callable
from typing import ParamSpec

P = ParamSpec("P")

_log = logging.getLogger(__name__)


def guarded(listener: Callable[P, None]) -> Callable[P, None]:
    """Log what a listener raises: its loop may have ended, ours has still something to save."""

    def call(*args: P.args, **kwargs: P.kwargs) -> None:
        try:
            listener(*args, **kwargs)
        except Exception:  # noqa: BLE001 - see above
            _log.exception("a listener of the storage failed")

    return call
