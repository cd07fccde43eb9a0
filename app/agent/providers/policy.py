"""For each kind of problem: ask again, ask another model, or say what to fix."""

from enum import StrEnum

from app.core.errors import ProblemKind


class Remedy(StrEnum):
    """What a provider may do about a failed request before anything was shown."""

    RETRY = "retry"  # and when that is used up, fall back
    FALL_BACK = "fall_back"
    SAY = "say"  # only the person can fix it, or nobody


_K, _R = ProblemKind, Remedy

REMEDIES: dict[ProblemKind, Remedy] = {
    _K.NO_NETWORK: _R.RETRY,
    _K.UNREACHABLE: _R.RETRY,
    _K.NO_SUCH_HOST: _R.RETRY,
    _K.PROXY: _R.FALL_BACK,
    _K.LOGIN_NEEDED: _R.FALL_BACK,
    _K.RATE_LIMITED: _R.RETRY,
    _K.SERVER_FAULT: _R.RETRY,
    _K.BROKEN_OFF: _R.RETRY,
    _K.NO_CREDIT: _R.FALL_BACK,
    _K.BAD_REPLY: _R.FALL_BACK,
    _K.SILENT: _R.FALL_BACK,
    _K.KEY_REJECTED: _R.SAY,
    _K.NO_SUCH_MODEL: _R.SAY,
    _K.TOO_LONG: _R.SAY,
    _K.BAD_REQUEST: _R.SAY,
    _K.TLS: _R.SAY,
    _K.NOT_CONFIGURED: _R.SAY,
    _K.BAD_ADDRESS: _R.SAY,
    _K.INTERNAL: _R.SAY,
}


def remedy(kind: ProblemKind) -> Remedy:
    """Look up what may be done; kinds that no server causes are said."""
    return REMEDIES.get(kind, Remedy.SAY)
