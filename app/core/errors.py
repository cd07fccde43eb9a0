"""Problems as values: a kind, its parameters, and a detail that only the log sees.

    ProblemError            carries a Problem to whoever can do something about it
    Cancelled (in tokens)   is not an error: the person, a redirect or Quit asked for it

The front ends find the words (`wording`), so that they can be translated.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum


class ProblemKind(StrEnum):
    """What went wrong, in terms of what a person can do about it."""

    NO_NETWORK = "no_network"
    UNREACHABLE = "unreachable"  # host
    NO_SUCH_HOST = "no_such_host"  # host: its name has no address
    PROXY = "proxy"  # host: of the proxy on the way
    LOGIN_NEEDED = "login_needed"  # A page of the network itself came instead
    KEY_REJECTED = "key_rejected"  # provider
    NO_CREDIT = "no_credit"  # provider
    RATE_LIMITED = "rate_limited"  # provider, seconds
    NO_SUCH_MODEL = "no_such_model"  # provider, model
    TOO_LONG = "too_long"  # model; used and limit where they are known
    BAD_REQUEST = "bad_request"  # provider, reason
    SERVER_FAULT = "server_fault"  # provider, times
    BROKEN_OFF = "broken_off"  # provider
    BAD_REPLY = "bad_reply"  # provider: not a chat server, or a malformed answer
    EMPTY_REPLY = "empty_reply"  # model
    SILENT = "silent"  # model, seconds
    TLS = "tls"  # host
    NOT_CONFIGURED = "not_configured"
    BUILT_IN_FAILED = "built_in_failed"  # reason
    BUILT_IN_MISSING = "built_in_missing"
    NOT_A_MODEL = "not_a_model"  # path
    MODEL_TOO_LARGE = "model_too_large"  # model, size, free
    SOUND_MISSING = "sound_missing"  # no PortAudio
    MICROPHONE_MISSING = "microphone_missing"
    MICROPHONE_REFUSED = "microphone_refused"
    MICROPHONE_FAILED = "microphone_failed"
    SPEECH_MISSING = "speech_missing"
    SPEECH_FAILED = "speech_failed"  # reason
    NO_SUCH_FILE = "no_such_file"  # path
    NOT_SOUND = "not_sound"  # path
    BAD_ADDRESS = "bad_address"  # address
    BAD_SETTINGS = "bad_settings"  # path
    STORAGE_LOCKED = "storage_locked"  # path
    STORAGE_READ_ONLY = "storage_read_only"  # path
    STORAGE_FULL = "storage_full"  # path
    STORAGE_CORRUPT = "storage_corrupt"  # path
    STORAGE_NEWER = "storage_newer"  # path
    STORAGE_LOST = "storage_lost"  # path
    STORAGE_FAILING = "storage_failing"  # path: reading or writing gives errors
    STORAGE_BUSY = "storage_busy"  # path: a migration needs the other Belay closed
    MESSAGE_EMPTY = "message_empty"
    MESSAGE_TOO_LARGE = "message_too_large"  # megabytes
    TOO_MANY_STEPS = "too_many_steps"  # steps
    INTERNAL = "internal"


Param = str | int | float


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """One thing that went wrong."""

    kind: ProblemKind
    params: Mapping[str, Param] = field(default_factory=dict)
    detail: str = ""  # for the log and "Show details"; never the sentence itself


class ProblemError(Exception):
    """A Problem on its way to the place that can handle it."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(f"{problem.kind}: {problem.detail}")
        self.problem = problem


def problem(kind: ProblemKind, detail: str = "", **params: Param) -> ProblemError:
    """Make the error for a kind of problem, ready to raise."""
    return ProblemError(Problem(kind=kind, params=params, detail=detail))
