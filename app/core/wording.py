"""The words for problems and endings, shared by the window and the terminal.

Sentences of twelve words at most: what happened, then what to do. Codes stay in the details.
"""

from app.core.errors import Problem, ProblemKind
from app.core.messages import Ending

_SENTENCES: dict[ProblemKind, str] = {
    ProblemKind.NO_NETWORK: "There is no network. Your message is kept.",
    ProblemKind.UNREACHABLE: "{host} cannot be reached. Check its address, or start it.",
    ProblemKind.NO_SUCH_HOST: "{host} cannot be found. Check its spelling, or the network.",
    ProblemKind.PROXY: "The proxy {host} does not let Belay through. Check its settings.",
    ProblemKind.LOGIN_NEEDED: "This network wants a login first. Open a browser, then retry.",
    ProblemKind.KEY_REJECTED: "{provider} did not accept the key. Enter it again.",
    ProblemKind.NO_CREDIT: "{provider} says the account has no credit. Top it up or switch.",
    ProblemKind.RATE_LIMITED: "{provider} asks to wait {seconds} s.",
    ProblemKind.NO_SUCH_MODEL: "{provider} has no model {model}. Choose another.",
    ProblemKind.TOO_LONG: "This is more than {model} can read. Leave something out.",
    ProblemKind.BAD_REQUEST: "{provider} refused the request: {reason}",
    ProblemKind.SERVER_FAULT: "{provider} failed {times} times. Try later or switch.",
    ProblemKind.BROKEN_OFF: "The connection broke. What arrived is kept.",
    ProblemKind.BAD_REPLY: "{provider} did not answer as a chat server does. Check its address.",
    ProblemKind.EMPTY_REPLY: "{model} sent an empty answer. Retry, or ask differently.",
    ProblemKind.SILENT: "{model} has sent nothing for {seconds} s. Wait, or switch.",
    ProblemKind.TLS: "The certificate of {host} cannot be trusted. Check its address.",
    ProblemKind.NOT_CONFIGURED: "No model is set up yet. Enter a server in Settings.",
    ProblemKind.BUILT_IN_FAILED: "The built-in model did not start: {reason}.",
    ProblemKind.BUILT_IN_MISSING: (
        "The built-in model is missing. `make run` fetches it, or use a server."
    ),
    ProblemKind.NOT_A_MODEL: "{path} is not a chat model in GGUF form.",
    ProblemKind.MODEL_TOO_LARGE: "{model} needs {size} GB of memory; {free} GB are free.",
    ProblemKind.SOUND_MISSING: "The sound library PortAudio is missing. Install it to talk.",
    ProblemKind.MICROPHONE_MISSING: "There is no microphone. Connect one, then try again.",
    ProblemKind.MICROPHONE_REFUSED: (
        "Belay may not use the microphone. Allow it in the system settings."
    ),
    ProblemKind.MICROPHONE_FAILED: "The microphone gives no sound. Choose another one.",
    ProblemKind.SPEECH_MISSING: "The speech model is not installed. Typing works as before.",
    ProblemKind.SPEECH_FAILED: "The speech model did not start: {reason}.",
    ProblemKind.NO_SUCH_FILE: "There is no file {path}.",
    ProblemKind.NOT_SOUND: "{path} is not a sound file that Belay can read.",
    ProblemKind.BAD_ADDRESS: "{address} is not a server address. It begins with http:// or https://.",
    ProblemKind.BAD_SETTINGS: "The settings could not be read. A copy is kept at {path}.",
    ProblemKind.STORAGE_LOCKED: "Another program locks the conversations. Your message is kept.",
    ProblemKind.STORAGE_READ_ONLY: "Belay may not write to {path}. Check its permissions.",
    ProblemKind.STORAGE_FULL: "The disk is full. Free some space, then try again.",
    ProblemKind.STORAGE_CORRUPT: "The conversations file is damaged. It is untouched: {path}.",
    ProblemKind.STORAGE_NEWER: "A newer Belay wrote these conversations. Update this one.",
    ProblemKind.STORAGE_LOST: "The folder {path} is gone. What you wrote is still here.",
    ProblemKind.STORAGE_FAILING: "The disk gives errors at {path}. Check it, and copy your data.",
    ProblemKind.STORAGE_BUSY: "Close the other Belay first: the conversations need an update.",
    ProblemKind.MESSAGE_EMPTY: "There is nothing to send. Write something first.",
    ProblemKind.MESSAGE_TOO_LARGE: "{megabytes} MB is too much for one message. Shorten it.",
    ProblemKind.TOO_MANY_STEPS: "It used tools {steps} times without an answer. Continue?",
    ProblemKind.INTERNAL: "Something in Belay failed. Nothing you wrote is lost.",
}

_TOO_LONG_BY = "This is more than {model} can read ({used} of {limit}). Leave something out."
_LIMIT_UNTOLD = "{provider} asks to wait. Try again later."

_ENDINGS: dict[Ending, str] = {
    Ending.OPEN: "",
    Ending.COMPLETE: "",
    Ending.STOPPED: "Stopped by you",
    Ending.REDIRECTED: "Redirected by you",
    Ending.CONNECTION_LOST: "Cut off: connection lost",
    Ending.BELAY_CLOSED: "Cut off: Belay closed",
    Ending.TOO_LONG: "Cut off: longest answer reached",
}


class _Params(dict[str, object]):
    def __missing__(self, key: str) -> str:
        return {"host": "The server", "provider": "The server", "model": "The model"}.get(key, "?")


def sentence(problem: Problem) -> str:
    """Say a problem in words a person can act on."""
    if problem.kind is ProblemKind.RATE_LIMITED and "seconds" not in problem.params:
        return _LIMIT_UNTOLD.format_map(_Params(problem.params))
    if problem.kind is ProblemKind.TOO_LONG and {"used", "limit"} <= problem.params.keys():
        return _TOO_LONG_BY.format_map(_Params(problem.params))
    return _SENTENCES[problem.kind].format_map(_Params(problem.params))


def switched(from_model: str, to_model: str, problem: Problem) -> str:
    """Say why another model was asked: what happened, without what to do about it."""
    happened = sentence(problem).partition(". ")[0].rstrip(".")
    return f"{happened}. Asked {to_model} instead of {from_model}."


def caption(ending: Ending) -> str:
    """Say under an answer how it ended; empty when it is whole."""
    return _ENDINGS[ending]
