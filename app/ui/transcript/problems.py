"""Which button stands beside which problem, and what pressing it asks for."""

from dataclasses import dataclass
from enum import Enum

from app.core.errors import ProblemKind


class Wish(Enum):
    """What the person asks for with a problem's button."""

    RETRY = "retry"
    CONTINUE = "continue"
    FIX = "fix"  # open whatever can mend it: settings, models, the key


@dataclass(frozen=True, slots=True)
class Remedy:
    """A button's label and its wish."""

    label: str
    wish: Wish


_RETRY = Remedy("Retry", Wish.RETRY)
_CONTINUE = Remedy("Continue", Wish.CONTINUE)
_MODELS = Remedy("Open Models", Wish.FIX)

_REMEDIES: dict[ProblemKind, Remedy] = {
    ProblemKind.UNREACHABLE: _MODELS,
    ProblemKind.TLS: _MODELS,
    ProblemKind.BAD_REPLY: _MODELS,
    ProblemKind.BAD_ADDRESS: _MODELS,
    ProblemKind.NOT_CONFIGURED: Remedy("Open Settings", Wish.FIX),
    ProblemKind.BAD_SETTINGS: Remedy("Open Settings", Wish.FIX),
    ProblemKind.KEY_REJECTED: Remedy("Enter key", Wish.FIX),
    ProblemKind.NO_CREDIT: Remedy("Switch model", Wish.FIX),
    ProblemKind.NO_SUCH_MODEL: Remedy("Choose model", Wish.FIX),
    ProblemKind.TOO_LONG: Remedy("Choose what", Wish.FIX),
    ProblemKind.SILENT: Remedy("Switch model", Wish.FIX),
    ProblemKind.BROKEN_OFF: _CONTINUE,
    ProblemKind.TOO_MANY_STEPS: _CONTINUE,
}


def remedy(kind: ProblemKind, *, has_words: bool) -> Remedy:
    """Choose the button for a problem; only an answer that has begun can be continued."""
    found = _REMEDIES.get(kind, _RETRY)
    return _RETRY if found.wish is Wish.CONTINUE and not has_words else found
