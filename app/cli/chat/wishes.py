"""What a typed line asks for; pure."""

from dataclasses import dataclass

from app.core.messages import Intent


@dataclass(frozen=True, slots=True)
class Say:
    """Send a message; without an intent of its own, Enter decides."""

    text: str
    intent: Intent | None = None


@dataclass(frozen=True, slots=True)
class Nothing:
    """An empty line."""


@dataclass(frozen=True, slots=True)
class Stop:
    """`/stop`."""


@dataclass(frozen=True, slots=True)
class Retry:
    """`/retry`."""


@dataclass(frozen=True, slots=True)
class Continue:
    """`/continue`."""


@dataclass(frozen=True, slots=True)
class ShowWaiting:
    """`/held`."""


@dataclass(frozen=True, slots=True)
class SendWaiting:
    """`/send [N]`: all that is held, or one."""

    number: int | None = None


@dataclass(frozen=True, slots=True)
class Discard:
    """`/discard [N]`: all that is held, or one."""

    number: int | None = None


@dataclass(frozen=True, slots=True)
class New:
    """`/new`."""


@dataclass(frozen=True, slots=True)
class ListAll:
    """`/list`."""


@dataclass(frozen=True, slots=True)
class Open:
    """`/open N`."""

    number: int


@dataclass(frozen=True, slots=True)
class Help:
    """`/help`."""


@dataclass(frozen=True, slots=True)
class Quit:
    """`/quit`."""


@dataclass(frozen=True, slots=True)
class Unclear:
    """Something else behind a slash; says what is wrong."""

    sentence: str


Wish = (
    Say
    | Nothing
    | Stop
    | Retry
    | Continue
    | ShowWaiting
    | SendWaiting
    | Discard
    | New
    | ListAll
    | Open
    | Help
    | Quit
    | Unclear
)

_PLAIN: dict[str, Wish] = {
    "/stop": Stop(),
    "/retry": Retry(),
    "/continue": Continue(),
    "/held": ShowWaiting(),
    "/new": New(),
    "/list": ListAll(),
    "/help": Help(),
    "/quit": Quit(),
    "/exit": Quit(),
}
_SENDING = {"/queue": Intent.QUEUE, "/steer": Intent.STEER}


def understood(line: str) -> Wish:
    """Read a line; one that begins with a slash is a command, behind a space it is not."""
    if not line.strip():
        return Nothing()
    if not line.startswith("/"):
        return Say(line.strip())
    word, _, rest = line.strip().partition(" ")
    rest = rest.strip()
    if word in _SENDING:
        return Say(rest, _SENDING[word]) if rest else Unclear(f"{word} needs a message.")
    if word in ("/send", "/discard", "/open"):
        return _numbered(word, rest)
    if word in _PLAIN:
        return Unclear(f"{word} stands alone.") if rest else _PLAIN[word]
    return Unclear(f"There is no command {word}. Put a space before it to send it.")


def _numbered(word: str, rest: str) -> Wish:
    if rest and not (rest.isascii() and rest.isdigit() and len(rest) < 7):
        return Unclear(f"{word} takes a number.")
    number = int(rest) if rest else None
    match word:
        case "/send":
            return SendWaiting(number)
        case "/discard":
            return Discard(number)
        case _:
            return Open(number) if number is not None else Unclear("/open takes a number.")
