"""What was asked on the command line, as a value; nothing heavy is imported to find out."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal

Topic = Literal["belay", "ask", "chat", "doctor", "transcribe"]


class UsageError(Exception):
    """The command line makes no sense; says why, and which help would tell more."""

    def __init__(self, sentence: str, topic: Topic = "belay") -> None:
        super().__init__(sentence)
        self.sentence = sentence
        self.topic = topic


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenWindow:
    """`belay [TEXT]`."""

    text: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Ask:
    """`belay ask`: one turn."""

    text: str | None = None
    as_json: bool = False
    model: str | None = None
    images: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Chat:
    """`belay chat`: the assistant in the terminal; `text` stands ready at the prompt."""

    model: str | None = None
    text: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Transcribe:
    """`belay transcribe`: what is said in a sound file."""

    file: str
    language: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Doctor:
    """`belay doctor`: what works on this machine."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ShowVersion:
    """`belay --version`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ShowHelp:
    """`belay --help`, alone or behind a command."""

    topic: Topic = "belay"


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckDisplay:
    """`belay _display`: for scripts that must know whether a window can open."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunWorker:
    """`belay _worker NAME`: this process is a child of another Belay."""

    arguments: tuple[str, ...]


Invocation = (
    OpenWindow
    | Ask
    | Chat
    | Transcribe
    | Doctor
    | ShowVersion
    | ShowHelp
    | CheckDisplay
    | RunWorker
)


def parse(argv: list[str]) -> Invocation:  # noqa: PLR0911 - one case per command
    """Read the arguments behind the program's name; raise UsageError if they make no sense."""
    first, rest = (argv[0], argv[1:]) if argv else ("", [])
    match first:
        case "_worker":
            return RunWorker(arguments=tuple(rest))
        case "_display":
            return CheckDisplay()
        case "ask":
            return _ask(rest)
        case "chat":
            return _chat(rest)
        case "transcribe":
            return _transcribe(rest)
        case "doctor":
            return _doctor(rest)
        case _:
            return _window(argv)


@dataclass(slots=True)
class _Found:
    """The options and words of one command."""

    words: list[str] = field(default_factory=list)
    flags: set[str] = field(default_factory=set)
    values: dict[str, list[str]] = field(default_factory=dict)

    def last(self, name: str) -> str | None:
        return self.values[name][-1] if name in self.values else None

    @property
    def text(self) -> str | None:
        return " ".join(self.words) if self.words else None


def _window(argv: list[str]) -> Invocation:
    found = _scan(argv, "belay", flags=("--version", "-V", "--help", "-h"))
    if found.flags & {"--help", "-h"}:
        return ShowHelp()
    if found.flags:
        return ShowVersion()
    return OpenWindow(text=found.text)


def _ask(argv: list[str]) -> Invocation:
    found = _scan(
        argv, "ask", flags=("--json", "--help", "-h"), valued=("--model", "-m", "--image", "-i")
    )
    if found.flags & {"--help", "-h"}:
        return ShowHelp(topic="ask")
    return Ask(
        text=found.text,
        as_json="--json" in found.flags,
        model=_model(found, "ask"),
        images=(*found.values.get("--image", ()), *found.values.get("-i", ())),
    )


def _chat(argv: list[str]) -> Invocation:
    found = _scan(argv, "chat", flags=("--help", "-h"), valued=("--model", "-m"))
    if found.flags:
        return ShowHelp(topic="chat")
    if found.words:
        raise UsageError("`belay chat` takes no text. Type it once it runs.", "chat")
    return Chat(model=_model(found, "chat"))


def _transcribe(argv: list[str]) -> Invocation:
    found = _scan(argv, "transcribe", flags=("--help", "-h"), valued=("--language", "-l"))
    if found.flags:
        return ShowHelp(topic="transcribe")
    if len(found.words) != 1:
        raise UsageError("`belay transcribe` takes one file.", "transcribe")
    language = found.last("-l") or found.last("--language") or ""
    if language and not (len(language) == 2 and language.isalpha()):
        raise UsageError("--language takes two letters, such as en.", "transcribe")
    return Transcribe(file=found.words[0], language=language.lower())


def _doctor(argv: list[str]) -> Invocation:
    found = _scan(argv, "doctor", flags=("--help", "-h"))
    if found.flags:
        return ShowHelp(topic="doctor")
    if found.words:
        raise UsageError("`belay doctor` takes no arguments.", "doctor")
    return Doctor()


def _model(found: _Found, topic: Topic) -> str | None:
    model = found.last("-m") or found.last("--model")
    named = "-m" in found.values or "--model" in found.values
    if named and not (model or "").strip():
        raise UsageError("--model needs the name of a model.", topic)
    return model


def _scan(
    argv: list[str], topic: Topic, *, flags: tuple[str, ...], valued: tuple[str, ...] = ()
) -> _Found:
    found, rest = _Found(), iter(argv)
    for word in rest:
        name, has_value, value = word.partition("=")
        if word == "--":
            found.words.extend(rest)
        elif not word.startswith("-") or word == "-":
            found.words.append(word)
        elif name in valued:
            given = value if has_value else _following(rest, name, topic)
            found.values.setdefault(name, []).append(given)
        elif word in flags:
            found.flags.add(word)
        else:
            what = f"{name} takes no value." if name in flags else f"There is no option {name}."
            raise UsageError(what, topic)
    return found


def _following(rest: Iterator[str], name: str, topic: Topic) -> str:
    given = next(rest, None)
    if given is None:
        raise UsageError(f"{name} needs a value.", topic)
    return given
